// Money keeps its currency; conversion needs a rate the caller states.
//
//   Rates rates; rates.set(Currency::cny, 7.1);       // 1 USD = 7.1 CNY
//   convert({25.2, Currency::cny}, Currency::eur, rates) -> nullopt until EUR has a rate
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace rigsizer {

enum class Currency { usd, cny, eur };
inline constexpr std::array kCurrencies{Currency::usd, Currency::cny, Currency::eur};

constexpr std::string_view name_of(Currency currency) {
  switch (currency) {
    case Currency::usd: return "USD";
    case Currency::cny: return "CNY";
    case Currency::eur: return "EUR";
  }
  return "";
}

constexpr std::optional<Currency> currency_named(std::string_view name) {
  for (const Currency currency : kCurrencies) {
    if (name_of(currency) == name) return currency;
  }
  return std::nullopt;
}

struct Money {
  double amount = 0;
  Currency currency = Currency::usd;
};

/// Units of each currency for one US dollar; a currency without a rate is simply absent.
class Rates {
 public:
  void set(Currency currency, double units_per_usd) { per_usd_.at(index(currency)) = units_per_usd; }
  [[nodiscard]] std::optional<double> per_usd(Currency currency) const { return currency == Currency::usd ? 1.0 : per_usd_.at(index(currency)); }

 private:
  static constexpr std::size_t index(Currency currency) { return static_cast<std::size_t>(currency); }
  std::array<std::optional<double>, kCurrencies.size()> per_usd_{};
};

/// Nothing when a rate is missing: a price is never invented. Same currency needs no rate and stays bit-equal.
constexpr std::optional<Money> convert(Money money, Currency to, const Rates& rates) {
  if (money.currency == to) return money;
  const std::optional<double> from_rate = rates.per_usd(money.currency);
  const std::optional<double> to_rate = rates.per_usd(to);
  if (!from_rate || !to_rate) return std::nullopt;
  return Money{money.amount / *from_rate * *to_rate, to};
}

}  // namespace rigsizer
