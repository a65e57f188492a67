// The shape of answers and the defaults that were filled in.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "api/answer.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::engine;
using test::Json;

Json plan(const std::string& request) { return Json::parse(engine().plan(request)); }
Json estimate(const std::string& request) { return Json::parse(engine().estimate(request)); }
Json describe(const std::string& request) { return Json::parse(engine().describe(request)); }

/// Calls `visit` with every number and null of an answer and its path.
void walk(const Json& value, const std::string& path, const std::function<void(const Json&, const std::string&)>& visit) {
  if (value.is_structured()) {
    for (const auto& [key, item] : value.items()) walk(item, path + "/" + key, visit);
  } else {
    visit(value, path);
  }
}

TEST(ApiAnswers, NumbersKeepTwelveDigits) {
  EXPECT_EQ(number_json(1.0 / 3).dump(), "0.333333333333");
  EXPECT_EQ(number_json(2.0).dump(), "2");
  EXPECT_EQ(number_json(-0.5).dump(), "-0.5");
  EXPECT_EQ(number_json(8'030'261'248.0).dump(), "8030261248");
  EXPECT_EQ(number_json(123456789012.345).dump(), "123456789012.0");
  EXPECT_EQ(number_json(1e300).dump(), "1e+300");
  EXPECT_EQ(number_json(0.1 + 0.2).dump(), "0.3");
  EXPECT_EQ(number_json(1.23456789012345e-15).get<double>(), 1.23456789012e-15);
}

TEST(ApiAnswers, WhatIsNoNumberIsNull) {
  EXPECT_TRUE(number_json(std::nan("")).is_null());
  EXPECT_TRUE(number_json(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_TRUE(number_json(-std::numeric_limits<double>::infinity()).is_null());
}

TEST(ApiAnswers, DefaultsAreFilledInAndSaid) {
  const Json answer = estimate(R"({"model":"llama-3-8b","task":"serve","accelerator":"H100-SXM"})");
  EXPECT_EQ(answer["request"]["serve"], (Json{{"weight_format", "bf16"}, {"kv_format", "bf16"}, {"context_tokens", 8192}, {"concurrency", 1}}));
  std::set<std::string> paths;
  for (const Json& one : answer["assumed"]) paths.insert(one["path"]);
  EXPECT_EQ(paths, (std::set<std::string>{"/serve/weight_format", "/serve/kv_format", "/serve/context_tokens", "/serve/concurrency"}));
}

TEST(ApiAnswers, WhatWasGivenIsNotCalledAssumed) {
  const Json answer = estimate(R"({"model":"llama-3-8b","task":"serve","serve":{"concurrency":1},"accelerator":"H100-SXM"})");
  for (const Json& one : answer["assumed"]) EXPECT_NE(one["path"], "/serve/concurrency");
}

TEST(ApiAnswers, APublishedFormatIsTheDefault) {
  EXPECT_EQ(estimate(R"({"model":"deepseek-v3","task":"serve","accelerator":"H200-SXM","count":8})")["request"]["serve"]["weight_format"], "fp8");
  EXPECT_EQ(estimate(R"({"model":"gpt-oss-120b","task":"serve","accelerator":"H100-SXM"})")["request"]["serve"]["weight_format"], "mxfp4");
}

TEST(ApiAnswers, EveryWeightFormatIsAnsweredUnderItsName) {
  std::vector<std::string> asked = weight_format_names();
  asked.insert(asked.end(), {"gptq4:g32-act", "w4a16:g32", "exl2:4bpw", "gguf:IQ4_XS:imatrix"});
  for (const std::string& name : asked) {
    const Json request{
        {"model", "llama-3.2-1b"}, {"task", "serve"}, {"accelerator", "H100-SXM"}, {"serve", {{"weight_format", name}, {"kv_format", "q8_0"}}}};
    const Json answer = estimate(request.dump());
    ASSERT_TRUE(answer.contains("estimate")) << name << answer.dump();
    EXPECT_EQ(answer["request"]["serve"]["weight_format"], name);
    EXPECT_EQ(answer["request"]["serve"]["kv_format"], "q8_0");
  }
}

TEST(ApiAnswers, AShortModelShortensTheDefaultContext) {
  const Json answer = estimate(R"({"model":"llama-2-7b","task":"serve","accelerator":"H100-SXM"})");
  EXPECT_EQ(answer["request"]["serve"]["context_tokens"], 4096);
}

TEST(ApiAnswers, AContextAboveTheMaximumIsWarnedAbout) {
  const Json answer = estimate(R"({"model":"llama-2-7b","task":"serve","serve":{"context_tokens":8192},"accelerator":"H100-SXM"})");
  bool warned = false;
  for (const Json& warning : answer["warnings"]) warned = warned || warning["code"] == "context_above_max";
  EXPECT_TRUE(warned);
}

TEST(ApiAnswers, LinesSumToTheTotal) {
  const Json memory = estimate(R"({"model":"llama-3-70b","task":"full","accelerator":"H100-SXM","count":8})")["estimate"];
  double sum = 0;
  for (const Json& line : memory["lines"]) sum += line["bytes"].get<double>();
  EXPECT_NEAR(sum, memory["total"]["value"].get<double>(), 100);
}

TEST(ApiAnswers, APlanListsEveryOfferOnce) {
  const Json answer = plan(R"({"model":"llama-3-8b","task":"serve"})");
  const Json& offers = answer["offers"];
  const Json& rows = offers.is_object() ? offers["rows"] : offers;
  std::set<std::string> ids;
  for (const Json& row : rows) ids.insert(row.is_array() ? row[1] : row["id"]);
  EXPECT_EQ(ids.size(), rows.size());
  EXPECT_EQ(rows.size(), answer["counts"]["offers"].get<std::size_t>() - answer["counts"]["filtered_out"].get<std::size_t>());
}

TEST(ApiAnswers, EveryReferenceOfAPlanResolves) {
  const Json answer = plan(R"({"model":"llama-3-70b","task":"qlora"})");
  const std::size_t shapes = answer["shapes"].size();
  for (const Json& row : answer["offers"]["rows"]) {
    ASSERT_LT(row[2].get<std::size_t>(), shapes);
    ASSERT_LT(row[0].get<std::size_t>(), test::catalog().offers.size());
    EXPECT_EQ(test::catalog().offers[row[0].get<std::size_t>()].id, row[1].get<std::string>());
  }
  for (const Json& pick : answer["picks"]) EXPECT_NE(pick["offer"], "");
}

TEST(ApiAnswers, ShapesNeverShowBytesThatAreNotThere) {
  const Json answer = plan(R"({"model":"llama-3-8b","task":"serve"})");
  for (const Json& shape : answer["shapes"]) {
    const std::string verdict = shape["verdict"];
    if (verdict == "fits" || verdict == "tight" || verdict == "short") {
      EXPECT_TRUE(shape["needed_bytes"]["value"].is_number());
      EXPECT_TRUE(shape["usable_bytes"].is_number());
      EXPECT_TRUE(shape["layout"].is_object());
    }
    if (verdict != "fits") {
      EXPECT_FALSE(shape["reasons"].empty()) << shape.dump();
    }
  }
}

TEST(ApiAnswers, NumbersAreNeverNullWhereTheyMustBeThere) {
  const std::set<std::string> may_be_missing{"usable_bytes", "needed_bytes",       "layout",  "accelerator", "id",
                                             "model",        "max_context_tokens", "selected"};
  for (const std::string& id : test::supported_models()) {
    const Json answer = describe(R"({"model":")" + id + "\"}");
    ASSERT_FALSE(answer.contains("error")) << id;
    walk(answer, "", [&](const Json& value, const std::string& path) {
      const std::string last = path.substr(path.rfind('/') + 1);
      EXPECT_TRUE(!value.is_null() || may_be_missing.contains(last)) << id << " " << path;
    });
  }
}

TEST(ApiAnswers, ADescriptionListsCachesByContext) {
  const Json answer = describe(R"({"model":"llama-3-8b","contexts":[1,1000]})");
  ASSERT_EQ(answer["kv_cache"].size(), 2U);
  EXPECT_EQ(answer["kv_cache"][1]["bytes"], 131'072'000);
  EXPECT_EQ(describe(R"({"model":"llama-2-7b"})")["kv_cache"].back()["context_tokens"], 4096) << "defaults stop at the model's maximum";
}

TEST(ApiAnswers, APastedConfigEqualsTheCatalogModel) {
  const Json config{{"model_type", "llama"},    {"hidden_size", 4096},        {"num_hidden_layers", 32}, {"num_attention_heads", 32},
                    {"num_key_value_heads", 8}, {"intermediate_size", 14336}, {"vocab_size", 128256},    {"max_position_embeddings", 8192}};
  const Json pasted = describe(Json{{"model", {{"config", config}}}}.dump());
  EXPECT_EQ(pasted["model"]["parameters"], 8'030'261'248);
  EXPECT_TRUE(pasted["model"]["id"].is_null());
  EXPECT_EQ(describe(Json{{"model", {{"config_text", config.dump()}}}}.dump()), pasted);
}

TEST(ApiAnswers, TheCatalogIndexListsEverything) {
  const Json index = Json::parse(engine().catalog());
  EXPECT_EQ(index["models"].size(), test::catalog().models.size());
  EXPECT_EQ(index["offers"].size(), test::catalog().offers.size());
  std::size_t supported = 0;
  for (const Json& model : index["models"]) {
    supported += model["supported"].get<bool>() ? 1U : 0U;
    if (!model["supported"].get<bool>()) {
      EXPECT_NE(model["why_not"], "");
    }
  }
  EXPECT_EQ(supported, test::supported_models().size());
}

TEST(ApiAnswers, TheSameRequestGivesTheSameBytes) {
  const std::string request = R"({"model":"deepseek-v3","task":"serve"})";
  EXPECT_EQ(engine().plan(request), engine().plan(request));
  const Engine other{test::catalog_text()};
  EXPECT_EQ(engine().plan(request), other.plan(request));
}

TEST(ApiAnswers, RatesUsedAreListed) {
  const Json answer = plan(R"({"model":"llama-3-8b","task":"serve","currency":"CNY","exchange_rates":{"CNY":7.25}})");
  bool found = false;
  for (const Json& rate : answer["exchange_rates"]) found = found || (rate["to"] == "CNY" && rate["rate"] == 7.25 && rate["source"] == "request");
  EXPECT_TRUE(found);
  EXPECT_EQ(answer["currency"], "CNY");
}

TEST(ApiAnswers, AnUnknownSelectionIsWarnedAbout) {
  const Json answer = plan(R"({"model":"llama-3-8b","task":"serve","select":"Nobody/nothing/nowhere"})");
  bool warned = false;
  for (const Json& warning : answer["warnings"]) warned = warned || warning["code"] == "select_unknown";
  EXPECT_TRUE(warned);
  EXPECT_FALSE(answer["selected"].is_null());
}

}  // namespace
}  // namespace rigsizer
