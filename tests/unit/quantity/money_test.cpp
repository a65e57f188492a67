#include "quantity/money.h"

#include <gtest/gtest.h>

namespace rigsizer {
namespace {

Rates rates() {
  Rates rates;
  rates.set(Currency::cny, 7.1);
  rates.set(Currency::eur, 0.9);
  return rates;
}

TEST(QuantityMoney, ConvertsThroughTheDollar) {
  const auto euros = convert({25.2, Currency::cny}, Currency::eur, rates());
  ASSERT_TRUE(euros);
  EXPECT_NEAR(euros->amount, 25.2 / 7.1 * 0.9, 1e-12);
  EXPECT_EQ(euros->currency, Currency::eur);
}

TEST(QuantityMoney, ConvertsFromAndToTheDollar) {
  EXPECT_DOUBLE_EQ(convert({2, Currency::usd}, Currency::cny, rates())->amount, 14.2);
  EXPECT_DOUBLE_EQ(convert({14.2, Currency::cny}, Currency::usd, rates())->amount, 2);
}

TEST(QuantityMoney, ReturnsFromARoundTrip) {
  for (const double amount : {0.000123, 0.49, 1.28, 98.32, 125'000.0}) {
    for (const Currency from : kCurrencies) {
      for (const Currency to : kCurrencies) {
        const auto there = convert({amount, from}, to, rates());
        ASSERT_TRUE(there);
        EXPECT_NEAR(convert(*there, from, rates())->amount, amount, amount * 1e-14);
      }
    }
  }
}

TEST(QuantityMoney, TheSameCurrencyNeedsNoRateAndStaysBitEqual) {
  const double odd = 0.1 + 0.2;
  EXPECT_EQ(convert({odd, Currency::eur}, Currency::eur, Rates{})->amount, odd);
}

TEST(QuantityMoney, WithoutARateThereIsNoPrice) {
  Rates only_cny;
  only_cny.set(Currency::cny, 7.1);
  EXPECT_FALSE(convert({1, Currency::cny}, Currency::eur, only_cny));
  EXPECT_FALSE(convert({1, Currency::eur}, Currency::cny, only_cny));
  EXPECT_TRUE(convert({1, Currency::cny}, Currency::usd, only_cny));
}

TEST(QuantityMoney, NamesReadBack) {
  for (const Currency currency : kCurrencies) EXPECT_EQ(currency_named(name_of(currency)), currency);
  EXPECT_FALSE(currency_named("usd"));
  EXPECT_FALSE(currency_named("JPY"));
  EXPECT_FALSE(currency_named(""));
}

}  // namespace
}  // namespace rigsizer
