// Whatever is handed in, the engine answers with a code, a path and a hint, in valid JSON, and answers the next request.
#include <gtest/gtest.h>

#include <functional>

#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::engine;
using test::Json;

enum class Call { plan, estimate, describe };

std::string answer_text(Call call, const std::string& request) {
  switch (call) {
    case Call::plan: return engine().plan(request);
    case Call::estimate: return engine().estimate(request);
    case Call::describe: return engine().describe(request);
  }
  return "";
}

/// Parsed; a text that is no JSON fails the test.
Json ask(Call call, const std::string& request) {
  Json answer = Json::parse(answer_text(call, request), nullptr, false);
  EXPECT_FALSE(answer.is_discarded()) << request.substr(0, 200);
  return answer;
}

/// The answer must be a failure with everything in it; gives its code.
std::string refusal(Call call, const std::string& request) {
  const Json answer = ask(call, request);
  const std::string shown = request.substr(0, 300);
  if (!answer.contains("error")) {
    ADD_FAILURE() << "was answered: " << shown;
    return "";
  }
  const Json& error = answer["error"];
  EXPECT_EQ(answer.size(), 1U) << shown;
  for (const char* const part : {"code", "path", "message", "hint"}) {
    EXPECT_TRUE(error.contains(part) && error[part].is_string()) << part << " for " << shown;
  }
  EXPECT_NE(error["code"], "") << shown;
  EXPECT_NE(error["message"], "") << shown;
  EXPECT_NE(error["hint"], "") << shown;
  return error["code"];
}
std::string refusal_path(Call call, const std::string& request) {
  const Json answer = ask(call, request);
  return answer.contains("error") ? answer["error"]["path"].get<std::string>() : "answered";
}

/// Either an answer or a whole failure, and never a null where the shape of answers promises a number.
void expect_sane(Call call, const std::string& request) {
  const Json answer = ask(call, request);
  if (answer.contains("error")) {
    refusal(call, request);
    return;
  }
  ASSERT_TRUE(answer.contains("model")) << request;
  EXPECT_TRUE(answer["model"]["parameters"].is_number()) << request;
}

const std::string& good_plan() {
  static const std::string text =
      R"({"version":1,"model":"llama-3-8b","task":"serve","serve":{"weight_format":"bf16","kv_format":"fp8","context_tokens":4096,)"
      R"("concurrency":8},"filter":{"providers":["AWS"],"provider_kinds":["public-cloud"],"vendors":["NVIDIA"],"min_count":1,)"
      R"("max_count":8,"whole_accelerators_only":true,"max_price_per_h":100},"term":"on_demand","currency":"USD",)"
      R"("exchange_rates":{"CNY":7.1},"today":"2026-12-01","select":"x"})";
  return text;
}
const std::string& good_train() {
  static const std::string text =
      R"({"model":"llama-3-8b","task":"lora","train":{"precision":"bf16_mixed","optimizer":"adamw","micro_batch":1,)"
      R"("sequence_tokens":2048,"accumulation_steps":8,"recompute":"full","loss":"plain","sharding":"auto","lora_rank":16,)"
      R"("lora_targets":"all_linear"}})";
  return text;
}
const std::string& good_estimate() {
  static const std::string text = R"({"model":"llama-3-8b","task":"serve","accelerator":"H100-SXM","count":2})";
  return text;
}
std::string with_config(const std::string& config) { return R"({"model":{"config":)" + config + R"(},"task":"serve","accelerator":"H100-SXM"})"; }

/// A good request with the value at `pointer` replaced.
std::string replaced(const std::string& request, const std::string& pointer, const std::string& value) {
  Json json = Json::parse(request);
  json[Json::json_pointer{pointer}] = "@@";
  std::string text = json.dump();
  return text.replace(text.find("\"@@\""), 4, value);
}

// The engine must still be right after each of these tests.
class ApiBadInput : public testing::Test {
 protected:
  void TearDown() override {
    const Json answer = ask(Call::estimate, good_estimate());
    ASSERT_TRUE(answer.contains("estimate"));
    EXPECT_EQ(answer["model"]["parameters"], 8'030'261'248);
  }
};

TEST_F(ApiBadInput, TheGoodRequestsAreGood) {
  EXPECT_FALSE(ask(Call::plan, good_plan()).contains("error")) << ask(Call::plan, good_plan()).dump().substr(0, 300);
  EXPECT_FALSE(ask(Call::plan, good_train()).contains("error"));
  EXPECT_FALSE(ask(Call::estimate, good_estimate()).contains("error"));
}

TEST_F(ApiBadInput, EveryTruncationIsRefused) {
  for (const std::string* request : {&good_plan(), &good_train(), &good_estimate()}) {
    for (std::size_t length = 0; length < request->size(); ++length) {
      EXPECT_EQ(refusal(Call::plan, request->substr(0, length)), "request_not_json") << length;
    }
  }
}

TEST_F(ApiBadInput, ATruncatedConfigTextIsRefusedWithItsOwnPath) {
  const std::string config = test::small_config();
  for (std::size_t length = 0; length < config.size(); ++length) {
    const Json request{{"model", {{"config_text", config.substr(0, length)}}}};
    EXPECT_EQ(refusal(Call::describe, request.dump()), "config_not_json") << length;
    EXPECT_EQ(refusal_path(Call::describe, request.dump()), "/model/config_text");
  }
  EXPECT_FALSE(ask(Call::describe, Json{{"model", {{"config_text", config}}}}.dump()).contains("error"));
}

TEST_F(ApiBadInput, TextThatIsNotJsonIsRefused) {
  for (const std::string text : {"", " ", "nul", "{'a': 1}", "{\"a\": NaN}", "{\"a\": Infinity}", "{\"a\": -Infinity}", "{\"a\": 1e999}",
                                 "{\"a\": 0x10}", "{\"a\": 1,}", "// hi\n{}", "{} {}", "\"unclosed", "{\"a\": 01}", "\xEF\xBB\xBF{", "{\"a\": .5}"}) {
    for (const Call call : {Call::plan, Call::estimate, Call::describe}) EXPECT_EQ(refusal(call, text), "request_not_json") << text;
  }
}

TEST_F(ApiBadInput, JsonThatIsNoRequestIsRefused) {
  for (const std::string text : {"null", "true", "5", "\"serve\"", "[]", "[{}]", "{}", "{\"model\": null}", "{\"task\": \"serve\"}"}) {
    for (const Call call : {Call::plan, Call::estimate, Call::describe}) EXPECT_NE(refusal(call, text), "") << text;
  }
}

TEST_F(ApiBadInput, WrongTypesAreRefusedEverywhere) {
  const std::vector<std::string> values{"true", "-1", "0.5", "1e300", "\"\\u0000\"", "\"text\"", "[]", "[1]", "[null]", "{}", "{\"a\":1}", "\"\""};
  for (const std::string* request : {&good_plan(), &good_train()}) {
    const Json flat = Json::parse(*request).flatten();
    for (const auto& [pointer, value] : flat.items()) {
      for (const std::string& wrong : values) expect_sane(Call::plan, replaced(*request, pointer, wrong));
    }
  }
  // Places where every other type is a mistake.
  for (const char* const pointer : {"/serve/context_tokens", "/serve/concurrency"}) {
    for (const char* const wrong : {"true", "\"8\"", "[8]", "{}", "0", "-1", "0.5", "1e300"})
      EXPECT_NE(refusal(Call::plan, replaced(good_plan(), pointer, wrong)), "");
  }
  for (const char* const pointer : {"/serve", "/filter", "/exchange_rates"}) {
    for (const char* const wrong : {"true", "\"8\"", "[8]", "7"}) {
      EXPECT_EQ(refusal(Call::plan, replaced(good_plan(), pointer, wrong)), "request_field") << pointer << wrong;
      EXPECT_EQ(refusal_path(Call::plan, replaced(good_plan(), pointer, wrong)), pointer);
    }
  }
  for (const char* const pointer : {"/serve/weight_format", "/serve/kv_format", "/term", "/currency", "/task"}) {
    for (const char* const wrong : {"true", "7", "[\"bf16\"]", "{}", "\"BF61\"", "\"none of these\""})
      EXPECT_NE(refusal(Call::plan, replaced(good_plan(), pointer, wrong)), "");
  }
}

TEST_F(ApiBadInput, AnEmptyChoiceIsNoChoice) {
  for (const char* const pointer : {"/serve/weight_format", "/term", "/currency", "/task"}) {
    EXPECT_NE(refusal(Call::plan, replaced(good_plan(), pointer, "\"\"")), "") << pointer;
  }
}

TEST_F(ApiBadInput, SizesBeyondReasonAreRefusedWithTheirRange) {
  for (const char* const wrong : {"0", "-1", "-8192", "1.5", "1e10", "1e300"}) {
    const std::string request = replaced(good_plan(), "/serve/context_tokens", wrong);
    EXPECT_EQ(refusal(Call::plan, request), "request_range") << wrong;
    EXPECT_EQ(refusal_path(Call::plan, request), "/serve/context_tokens");
  }
  for (const char* const pointer : {"/train/micro_batch", "/train/sequence_tokens", "/train/accumulation_steps", "/train/lora_rank"}) {
    for (const char* const wrong : {"0", "-1", "0.5", "1e12"})
      EXPECT_EQ(refusal(Call::plan, replaced(good_train(), pointer, wrong)), "request_range") << pointer << wrong;
  }
  for (const char* const pointer : {"/filter/min_count", "/filter/max_count", "/filter/max_price_per_h"}) {
    EXPECT_EQ(refusal(Call::plan, replaced(good_plan(), pointer, "-1")), "request_range") << pointer;
  }
  EXPECT_EQ(refusal(Call::plan, replaced(good_plan(), "/exchange_rates/CNY", "0")), "request_range");
  EXPECT_EQ(refusal(Call::plan, replaced(good_plan(), "/exchange_rates/CNY", "-7")), "request_range");
  EXPECT_EQ(refusal(Call::estimate, replaced(good_estimate(), "/count", "0")), "request_range");
  EXPECT_EQ(refusal(Call::estimate, replaced(good_estimate(), "/count", "1025")), "request_range");
}

TEST_F(ApiBadInput, InfiniteAndUndefinedNumbersAreNotJson) {
  for (const char* const wrong : {"1e999", "-1e999", "NaN", "Infinity"}) {
    EXPECT_EQ(refusal(Call::plan, replaced(good_plan(), "/serve/context_tokens", wrong)), "request_not_json") << wrong;
  }
}

TEST_F(ApiBadInput, UnknownFieldsAreRefusedWithASuggestion) {
  const auto hint = [](const std::string& request) { return ask(Call::plan, request)["error"]["hint"].get<std::string>(); };
  const std::string request = R"({"model":"llama-3-8b","task":"serve","serve":{"context_token":4096}})";
  EXPECT_EQ(refusal(Call::plan, request), "request_unknown_field");
  EXPECT_EQ(refusal_path(Call::plan, request), "/serve/context_token");
  EXPECT_NE(hint(request).find("context_tokens"), std::string::npos);
  EXPECT_NE(hint(R"({"modle":"llama-3-8b","task":"serve"})").find("model"), std::string::npos);
  EXPECT_EQ(refusal(Call::plan, R"({"model":"llama-3-8b","task":"serve","filter":{"vendor":["NVIDIA"]}})"), "request_unknown_field");
  EXPECT_EQ(refusal(Call::plan, R"({"model":"llama-3-8b","task":"full","train":{"lora_rank":8}})"), "request_unknown_field");
  EXPECT_EQ(refusal(Call::plan, R"({"model":"llama-3-8b","task":"serve","exchange_rates":{"JPY":150}})"), "request_unknown_field");
}

TEST_F(ApiBadInput, AFieldNameWithASlashIsEscapedInItsPath) {
  EXPECT_EQ(refusal_path(Call::plan, R"({"model":"llama-3-8b","task":"serve","a/b~c":1})"), "/a~1b~0c") << "paths are JSON pointers, RFC 6901";
}

TEST_F(ApiBadInput, UnknownChoicesAreRefusedWithASuggestion) {
  const Json answer = ask(Call::plan, replaced(good_plan(), "/serve/weight_format", "\"bf61\""));
  EXPECT_EQ(answer["error"]["code"], "request_choice");
  const std::string hint = answer["error"]["hint"];
  for (const char* const named : {"bf16", "nvfp4", "gguf:Q4_K_M", "exl2"}) EXPECT_NE(hint.find(named), std::string::npos) << named;
  EXPECT_EQ(ask(Call::plan, replaced(good_plan(), "/serve/weight_format", "\"gguf:Q4_K_N\""))["error"]["values"]["nearest"], "gguf:Q4_K_S");
}

TEST_F(ApiBadInput, SettingsOfTheOtherTaskAreRefused) {
  EXPECT_EQ(refusal(Call::plan, R"({"model":"llama-3-8b","task":"serve","train":{"micro_batch":1}})"), "request_unknown_field");
  EXPECT_EQ(refusal(Call::plan, R"({"model":"llama-3-8b","task":"full","serve":{"concurrency":1}})"), "request_unknown_field");
}

TEST_F(ApiBadInput, UnknownModelsAndCardsAreSuggestedFor) {
  const Json model = ask(Call::plan, R"({"model":"lama-3-8b","task":"serve"})");
  EXPECT_EQ(model["error"]["code"], "unknown_model");
  EXPECT_EQ(model["error"]["values"]["nearest"], "llama-3-8b");
  const Json card = ask(Call::estimate, R"({"model":"llama-3-8b","task":"serve","accelerator":"H100-SMX"})");
  EXPECT_EQ(card["error"]["code"], "unknown_accelerator");
  EXPECT_EQ(card["error"]["values"]["nearest"], "H100-SXM");
  EXPECT_EQ(refusal(Call::estimate, R"({"model":"llama-3-8b","task":"serve"})"), "request_field");
}

TEST_F(ApiBadInput, AnUnknownArchitectureIsNeverGuessed) {
  EXPECT_EQ(refusal(Call::estimate, with_config(test::small_config(R"({"model_type":"quantumformer"})"))), "unsupported_architecture");
  EXPECT_EQ(refusal(Call::estimate, with_config(R"({"hidden_size":64})")), "config_no_model_type");
  for (const char* const config : {"null", "5", "[]", "\"text\"", "{}"}) EXPECT_NE(refusal(Call::estimate, with_config(config)), "") << config;
}

TEST_F(ApiBadInput, WrongConfigsAreRefusedFieldByField) {
  const Json config = Json::parse(test::small_config(R"({"num_key_value_heads":2})"));
  for (const char* const field :
       {"hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size", "vocab_size"}) {
    for (const char* const wrong : {"0", "-1", "0.5", "1e300", "1e15", "\"64\"", "true", "[]", "{}", "\"\""}) {
      Json changed = config;
      changed[field] = Json::parse(wrong);
      if (std::string{field} == "intermediate_size" && std::string{wrong} == "0") continue;  // stated below
      EXPECT_NE(refusal(Call::estimate, with_config(changed.dump())), "") << field << " = " << wrong;
    }
  }
}

TEST_F(ApiBadInput, AConfigOfAMillionBillionParametersIsRefused) {
  const std::string huge = test::small_config(
      R"({"hidden_size":4194304,"intermediate_size":4194304,"num_hidden_layers":8192,"vocab_size":67108864,"num_attention_heads":64})");
  EXPECT_EQ(refusal(Call::estimate, with_config(huge)), "model_too_large");
  const std::string experts = test::small_config(
      R"({"model_type":"mixtral","hidden_size":4194304,"intermediate_size":4194304,"num_hidden_layers":8192,"num_local_experts":65536,"num_experts_per_tok":65536,"num_attention_heads":65536})");
  EXPECT_EQ(refusal(Call::estimate, with_config(experts)), "model_too_large");
}

TEST_F(ApiBadInput, TheLargestAcceptedModelStillGivesFiniteNumbers) {
  const std::string large = test::small_config(
      R"({"hidden_size":65536,"intermediate_size":262144,"num_hidden_layers":2048,"vocab_size":1000000,"num_attention_heads":512})");
  Json request = Json::parse(with_config(large));
  request["serve"] = {{"context_tokens", 1e9}, {"concurrency", 1e6}};
  const Json answer = ask(Call::estimate, request.dump());
  ASSERT_TRUE(answer.contains("estimate")) << answer.dump().substr(0, 300);
  EXPECT_TRUE(answer["estimate"]["total"]["value"].is_number());
  EXPECT_TRUE(answer["estimate"]["total"]["high"].is_number());
  EXPECT_EQ(answer["estimate"]["verdict"], "short");
}

TEST_F(ApiBadInput, ARequestOverEightMebibytesIsRefusedUnread) {
  std::string request = R"({"model":"llama-3-8b","task":"serve","select":")";
  request.append((8U << 20U) + 1 - request.size() - 2, 'x');
  request += "\"}";
  ASSERT_EQ(request.size(), (8U << 20U) + 1);
  EXPECT_EQ(refusal(Call::plan, request), "request_too_long");
  request.erase(request.size() - 3, 1);
  EXPECT_FALSE(ask(Call::plan, request).contains("error")) << "exactly 8 MiB is allowed";
}

TEST_F(ApiBadInput, BytesThatAreNotUtf8AreRefusedOrReplaced) {
  for (const std::string bytes : {"\xFF", "\xC3", "\xE2\x82", "\xED\xA0\x80", "\xF8\x88\x80\x80\x80"}) {
    for (const std::string& request : {"{\"model\":\"" + bytes + "\",\"task\":\"serve\"}", "{\"" + bytes + "\":1}", bytes}) {
      EXPECT_NE(refusal(Call::plan, request), "");
    }
  }
  EXPECT_NE(refusal(Call::plan, R"({"model":"\ud800","task":"serve"})"), "");
  EXPECT_NE(refusal(Call::plan, R"({"model":"\u0000\u0001","task":"serve"})"), "");
}

TEST_F(ApiBadInput, DeepNestingIsAnsweredWithoutFallingOver) {
  for (const std::size_t depth : {100U, 10'000U, 200'000U}) {
    const std::string open(depth, '[');
    const std::string close(depth, ']');
    EXPECT_NE(refusal(Call::plan, open + close), "");
    EXPECT_NE(refusal(Call::plan, open), "");
    EXPECT_NE(refusal(Call::plan, R"({"model":)" + open + close + R"(,"task":"serve"})"), "");
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i) objects += "{\"a\":";
    EXPECT_NE(refusal(Call::describe, R"({"model":{"config":)" + objects + "1" + std::string(depth, '}') + "}}"), "");
  }
}

TEST_F(ApiBadInput, LongNamesAreShortenedInMessages) {
  const std::string name(100'000, 'x');
  const Json answer = ask(Call::plan, R"({"model":")" + name + R"(","task":"serve"})");
  EXPECT_EQ(answer["error"]["code"], "unknown_model");
  EXPECT_LT(answer.dump().size(), 2000U);
  EXPECT_LT(ask(Call::plan, "{\"" + name + "\":1}").dump().size(), 2000U) << "names of unknown fields too";
}

TEST_F(ApiBadInput, ADateThatIsNoneIsRefused) {
  for (const char* const today : {"\"yesterday\"", "\"2026-13-01\"", "\"2026\"", "20261201", "\"2026-12-01T00:00:00Z\""}) {
    EXPECT_EQ(refusal_path(Call::plan, replaced(good_plan(), "/today", today)), "/today") << today;
  }
}

TEST_F(ApiBadInput, ContextsToDescribeMustBeTokenCounts) {
  for (const char* const contexts : {"5", "[0]", "[-1]", "[1e10]", "[\"8\"]", "{}", "[null]"}) {
    EXPECT_EQ(refusal_path(Call::describe, R"({"model":"llama-3-8b","contexts":)" + std::string{contexts} + "}"), "/contexts") << contexts;
  }
  EXPECT_NE(refusal(Call::describe, R"({"model":"llama-3-8b","contexts":[1.5]})"), "") << "half a token";
}

TEST_F(ApiBadInput, AnotherVersionIsRefused) {
  EXPECT_EQ(refusal(Call::plan, R"({"version":2,"model":"llama-3-8b","task":"serve"})"), "request_version");
}

TEST_F(ApiBadInput, FiltersNameWhatTheCatalogHas) {
  const auto code = [](const std::string& filter) { return refusal(Call::plan, R"({"model":"llama-3-8b","task":"serve","filter":)" + filter + "}"); };
  EXPECT_EQ(code(R"({"providers":["Aws"]})"), "request_choice");
  EXPECT_EQ(code(R"({"provider_kinds":["cloud"]})"), "request_choice");
  EXPECT_EQ(code(R"({"vendors":["NVIDIA","Nvidia"]})"), "request_choice");
  const Json answer = ask(Call::plan, R"({"model":"llama-3-8b","task":"serve","filter":{"providers":["AWS"],"vendors":["NVIDIA"]}})");
  EXPECT_GT(answer["offers"]["rows"].size(), 0U);
}

TEST_F(ApiBadInput, AMinimumAboveTheMaximumIsAMistake) {
  EXPECT_NE(refusal(Call::plan, R"({"model":"llama-3-8b","task":"serve","filter":{"min_count":8,"max_count":2}})"), "");
}

TEST_F(ApiBadInput, ARepeatedFieldIsAMistakeOrTheLastOneCounts) {
  expect_sane(Call::plan, R"({"model":"llama-3-8b","model":"nonsense","task":"serve"})");
}

}  // namespace
}  // namespace rigsizer
