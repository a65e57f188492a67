// What a catalog must say, and what is said when it does not.
#include <gtest/gtest.h>

#include "reference/small_catalog.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::Json;
using test::offer_named;
using test::parse_changed;
using test::small_bundle;

/// The failure after `change`, which must be there.
Failure failure_after(const std::function<void(Json&)>& change) {
  const Result<Catalog> parsed = parse_changed(change);
  EXPECT_FALSE(parsed);
  return parsed ? Failure{} : parsed.failure();
}

TEST(CatalogParse, TheSmallCatalogIsRead) {
  const Catalog catalog = test::small_catalog();
  EXPECT_EQ(catalog.date, "2026-01-01");
  EXPECT_EQ(catalog.providers.size(), 2U);
  EXPECT_EQ(catalog.accelerators.size(), 5U);
  EXPECT_EQ(catalog.offers.size(), 9U);
  EXPECT_EQ(catalog.usable_share, 0.9);
  EXPECT_EQ(catalog.memory.value.eager_logit_bytes, 16);
  EXPECT_EQ(catalog.memory.of(EstimateKind::train_full).reach_above, 2);
  EXPECT_EQ(catalog.memory.of(EstimateKind::serve_paged).spread[Line::weights], 0.1);
  EXPECT_EQ(catalog.offers[0].id, "Acme/big-1/r1");
  EXPECT_EQ(catalog.models[0].source, "one; two");
  ASSERT_EQ(catalog.sources.size(), 1U);
  EXPECT_EQ(catalog.sources[0].license, "CC0");
}

TEST(CatalogParse, TheRealCatalogIsRead) {
  const Catalog& catalog = test::catalog();
  EXPECT_GT(catalog.offers.size(), 1000U);
  EXPECT_GT(catalog.models.size(), 400U);
  EXPECT_NE(catalog.accelerator("H100-SXM"), nullptr);
  EXPECT_NE(catalog.model("llama-3-8b"), nullptr);
  EXPECT_EQ(catalog.model("no-such"), nullptr);
  EXPECT_EQ(catalog.accelerator("no-such"), nullptr);
  EXPECT_EQ(catalog.constant("no-such"), nullptr);
}

TEST(CatalogParse, EachConstantEnclosesItsValue) {
  for (const Constant& constant : test::catalog().constants) {
    EXPECT_LE(constant.low, constant.value) << constant.name;
    EXPECT_LE(constant.value, constant.high) << constant.name;
    EXPECT_NE(constant.support, "") << constant.name;
  }
}

TEST(CatalogParse, TextThatIsNotJsonIsRefused) {
  for (const std::string text :
       {"", "{", "[1, 2", "{\"version\": 1,}", "<html>", "{\"version\": NaN}", "{\"version\": 1e999}", "{\"a\": Infinity}"}) {
    const Result<Catalog> parsed = parse_catalog(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.failure().code, "catalog_not_json") << text;
    EXPECT_NE(parsed.failure().hint, "") << text;
  }
}

TEST(CatalogParse, ANanTokenInsideIsRefused) {
  std::string text = small_bundle().dump();
  const std::string price = "\"on_demand_per_h\":2";
  const std::size_t at = text.find(price);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, price.size(), "\"on_demand_per_h\":NaN");
  const Result<Catalog> parsed = parse_catalog(text);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.failure().code, "catalog_not_json");
}

TEST(CatalogParse, JsonThatIsNoCatalogIsRefused) {
  for (const std::string text : {"null", "5", "\"text\"", "[]", "{}", "[{}]"}) {
    const Result<Catalog> parsed = parse_catalog(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.failure().code, "catalog_field") << text;
  }
}

TEST(CatalogParse, AnotherVersionIsRefused) {
  EXPECT_EQ(failure_after([](Json& b) { b["version"] = 2; }).code, "catalog_version");
}

TEST(CatalogParse, EachListMustBeThere) {
  for (const std::string list : {"providers", "accelerators", "offers", "models", "exchange_rates"}) {
    const Failure failure = failure_after([&](Json& b) { b.erase(list); });
    EXPECT_EQ(failure.code, "catalog_field") << list;
    EXPECT_EQ(failure.path, "/" + list);
    EXPECT_EQ(failure_after([&](Json& b) { b[list] = "text"; }).path, "/" + list);
  }
}

TEST(CatalogParse, ACalibrationMustBeThere) {
  EXPECT_EQ(failure_after([](Json& b) { b.erase("calibration"); }).code, "catalog_field");
  EXPECT_EQ(failure_after([](Json& b) { b["calibration"] = 3; }).code, "catalog_field");
}

TEST(CatalogParse, EachMissingConstantIsNamed) {
  for (std::size_t i = 0; i < small_bundle()["calibration"]["constants"].size(); ++i) {
    std::string name;
    const Failure failure = failure_after([&](Json& b) {
      Json& constants = b["calibration"]["constants"];
      name = constants[i]["name"];
      constants.erase(i);
    });
    EXPECT_EQ(failure.code, "catalog_field");
    EXPECT_NE(failure.message.find(name), std::string::npos) << failure.message;
  }
}

TEST(CatalogParse, ANegativePriceIsRefused) {
  const Failure failure = failure_after([](Json& b) { offer_named(b, "big-1")["prices"][0]["on_demand_per_h"] = -2; });
  EXPECT_EQ(failure.code, "catalog_range");
  EXPECT_EQ(failure.path, "/offers/0/prices/0/on_demand_per_h");
}

TEST(CatalogParse, APriceOfZeroIsRefusedRatherThanCalledFree) {
  EXPECT_EQ(failure_after([](Json& b) { offer_named(b, "big-1")["prices"][0]["on_demand_per_h"] = 0; }).code, "catalog_range");
}

TEST(CatalogParse, AnUnknownCurrencyIsRefused) {
  const Failure failure = failure_after([](Json& b) { offer_named(b, "mid-1")["prices"][0]["currency"] = "JPY"; });
  EXPECT_EQ(failure.code, "catalog_field");
  EXPECT_NE(failure.message.find("JPY"), std::string::npos);
}

TEST(CatalogParse, AnUnknownCurrencyOfARateIsRefused) {
  EXPECT_EQ(failure_after([](Json& b) { b["exchange_rates"][0]["to"] = "XXX"; }).code, "catalog_field");
}

TEST(CatalogParse, ARateOfZeroIsRefused) {
  EXPECT_EQ(failure_after([](Json& b) { b["exchange_rates"][0]["rate"] = 0; }).code, "catalog_range");
}

TEST(CatalogParse, NamesMustResolve) {
  EXPECT_EQ(failure_after([](Json& b) { offer_named(b, "mid-1")["provider"] = "Nobody"; }).path, "/offers/2/provider");
  EXPECT_EQ(failure_after([](Json& b) { offer_named(b, "mid-1")["accelerators"] = nlohmann::json::array({"NONE"}); }).path, "/offers/2/accelerators");
}

TEST(CatalogParse, ImpossibleCountsAreRefused) {
  for (const double count : {-1.0, 5000.0}) {
    EXPECT_EQ(failure_after([&](Json& b) { offer_named(b, "mid-1")["count"] = count; }).code, "catalog_range") << count;
  }
  EXPECT_EQ(failure_after([](Json& b) { offer_named(b, "mid-1").erase("count"); }).code, "catalog_field");
}

TEST(CatalogParse, WrongTypesAreRefused) {
  EXPECT_EQ(failure_after([](Json& b) { b["offers"][0]["count"] = "one"; }).code, "catalog_field");
  EXPECT_EQ(failure_after([](Json& b) { b["offers"][0] = 7; }).code, "catalog_field");
  EXPECT_EQ(failure_after([](Json& b) { b["accelerators"][0]["tflops"] = 7; }).code, "catalog_field");
  EXPECT_EQ(failure_after([](Json& b) { b["models"][0]["config"] = 7; }).code, "catalog_field");
  EXPECT_EQ(failure_after([](Json& b) { b["providers"][0].erase("source"); }).code, "catalog_field");
}

TEST(CatalogParse, WhatIsMissingStaysAbsent) {
  const Catalog catalog = test::small_catalog();
  const Accelerator& bare = *catalog.accelerator("BARE");
  EXPECT_FALSE(bare.memory_gib);
  EXPECT_FALSE(bare.usable_gib);
  EXPECT_FALSE(bare.bf16_tflops);
  EXPECT_FALSE(bare.nvlink_gb_per_s);
  const Offer& quote = catalog.offers[7];
  EXPECT_FALSE(quote.price);
  EXPECT_FALSE(quote.vcpus);
  EXPECT_FALSE(quote.ram_gib);
  EXPECT_FALSE(catalog.offers[2].price->of(Term::spot));
  EXPECT_FALSE(catalog.models[0].reported_parameters);
}

TEST(CatalogParse, ANullIsAbsentToo) {
  const Catalog catalog = test::small_catalog([](Json& b) {
    offer_named(b, "big-1")["prices"][0]["spot_per_h"] = nullptr;
    b["accelerators"][0]["usable_gib"] = nullptr;
  });
  EXPECT_FALSE(catalog.offers[0].price->of(Term::spot));
  EXPECT_FALSE(catalog.accelerators[0].usable_gib);
}

TEST(CatalogParse, TheNewestPriceWins) {
  const auto with_history = [](std::vector<std::string> dates) {
    return test::small_catalog([&](Json& b) {
      Json& prices = offer_named(b, "mid-1")["prices"];
      const Json first = prices[0];
      prices = Json::array();
      for (std::size_t i = 0; i < dates.size(); ++i) {
        Json entry = first;
        entry["as_of"] = dates[i];
        entry["on_demand_per_h"] = static_cast<double>(i + 1);
        prices.push_back(entry);
      }
    });
  };
  EXPECT_EQ(with_history({"2025-01-01", "2026-01-01"}).offers[2].price->of(Term::on_demand), 2.0);
  EXPECT_EQ(with_history({"2026-01-01", "2025-01-01"}).offers[2].price->of(Term::on_demand), 1.0);
  EXPECT_EQ(with_history({"2026-01-01", "2026-01-01"}).offers[2].price->of(Term::on_demand), 2.0)
      << "of equal dates the later entry is the correction";
  EXPECT_EQ(with_history({"2025-12-31", "2026-01-01", "2024-06-01"}).offers[2].price->as_of, "2026-01-01");
}

TEST(CatalogParse, AnEngineOverABrokenCatalogAnswersWithTheReason) {
  const Engine engine{"{\"version\": 1"};
  for (const std::string& answer : {engine.plan("{}"), engine.estimate("{}"), engine.describe("{}"), engine.catalog()}) {
    EXPECT_EQ(Json::parse(answer)["error"]["code"], "catalog_not_json");
  }
}

}  // namespace
}  // namespace rigsizer
