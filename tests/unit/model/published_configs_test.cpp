// The shapes that published config.json files really come in, beyond the tidy ones: per-layer lists under other names,
// Python's Infinity, text parts without a type, fields left to defaults. Each was met in a public repository; a reader that
// skipped one of them would still print numbers, of another architecture.
#include <gtest/gtest.h>

#include "catalog/json_reader.h"
#include "model/census.h"
#include "model/reader.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::architecture;
using test::engine;
using test::fields;
using test::Json;
using test::small_config;

std::string failure_code(const std::string& config) {
  const Result<Architecture> result = read_architecture(fields(config));
  return result ? "" : result.failure().code;
}

Json described(const std::string& config_text) { return Json::parse(engine().describe(Json{{"model", {{"config_text", config_text}}}}.dump())); }

TEST(ModelPublishedConfigs, PythonsInfinityAndNanAreRead) {
  const std::string plain = small_config();
  const std::string python = plain.substr(0, plain.rfind('}')) +
                             R"(, "time_step_limit": [0.0, Infinity], "floor": -Infinity, "note": "NaN and Infinity \" Infinity", "x": NaN})";
  EXPECT_EQ(described(python)["model"]["parameters"], described(plain)["model"]["parameters"]);
}

TEST(ModelPublishedConfigs, StringsKeepTheirPythonWords) {
  EXPECT_EQ(without_python_constants(R"({"a": "Infinity", "b": "\"NaN"})"), R"({"a": "Infinity", "b": "\"NaN"})");
  EXPECT_EQ(without_python_constants(R"([NaN, -Infinity])"), R"([0  , null     ])");
}

TEST(ModelPublishedConfigs, NemotronNamesLayersByWordOrByLetter) {
  const std::string base = R"({"model_type": "nemotron_h", "hidden_size": 64, "intermediate_size": 96, "vocab_size": 1000, "mamba_num_heads": 8,
      "mamba_head_dim": 16, "ssm_state_size": 16, "n_groups": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
      "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, )";
  const Count letters = census_of(architecture(base + R"("num_hidden_layers": 4, "hybrid_override_pattern": "M*E-"})")).total;
  const Count words = census_of(architecture(base + R"("layers_block_type": ["mamba", "attention", "moe", "mlp"]})")).total;
  EXPECT_EQ(letters.value(), words.value());
  EXPECT_EQ(failure_code(base + R"("layers_block_type": ["mamba", "convolution"]})"), "config_inconsistent");
}

TEST(ModelPublishedConfigs, MimoListsWindowedLayersAsOnes) {
  const Census census =
      census_of(architecture(small_config(R"({"model_type": "mimo_v2_flash", "sliding_window": 128, "hybrid_layer_pattern": [0, 1, 1, 0]})")));
  EXPECT_EQ(census.kv_elements_per_token, 2 * 128);
  ASSERT_EQ(census.kv_windowed.size(), 1U);
  EXPECT_EQ(census.kv_windowed[0].elements_per_token, 2 * 128);
}

TEST(ModelPublishedConfigs, Llama4ChunksThreeLayersOfFourEvenWhenItDoesNotSay) {
  const std::string unsaid = small_config(R"({"model_type": "llama4_text", "num_hidden_layers": 4, "attention_chunk_size": 512})");
  const Census census = census_of(architecture(unsaid));
  EXPECT_EQ(census.kv_elements_per_token, 1 * 128);
  ASSERT_EQ(census.kv_windowed.size(), 1U);
  EXPECT_EQ(census.kv_windowed[0].window, 512);
  EXPECT_EQ(census.kv_windowed[0].elements_per_token, 3 * 128);
}

TEST(ModelPublishedConfigs, ATextPartWithoutATypeIsNotTakenForALlama) {
  const Json text{{"hidden_size", 64}, {"num_hidden_layers", 2}, {"num_attention_heads", 8}, {"vocab_size", 1000}, {"intermediate_size", 256}};
  EXPECT_EQ(failure_code(Json{{"model_type", "somebodys_vl"}, {"text_config", text}}.dump()), "unsupported_architecture");
  EXPECT_EQ(failure_code(Json{{"model_type", "llava"}, {"text_config", text}}.dump()), "");  // whose documented default it is
}

TEST(ModelPublishedConfigs, ATowerTheConfigLeavesOutIsSaid) {
  const Json text{{"model_type", "llama"},    {"hidden_size", 64},  {"num_hidden_layers", 2},
                  {"num_attention_heads", 8}, {"vocab_size", 1000}, {"intermediate_size", 256}};
  const Json answer = described(Json{{"model_type", "llava"}, {"text_config", text}}.dump());
  ASSERT_FALSE(answer["notes"].empty());
  EXPECT_EQ(answer["notes"][0]["code"], "tower_unstated");
}

TEST(ModelPublishedConfigs, AMissingMlpWidthIsAskedForNotTakenAsZero) {
  EXPECT_EQ(failure_code(small_config(R"({"intermediate_size": null})")), "config_missing_field");
}

TEST(ModelPublishedConfigs, SharedIndexersAreRefusedNotCountedTwice) {
  EXPECT_EQ(failure_code(small_config(R"({"indexer_types": ["full", "shared", "full", "shared"]})")), "unsupported_part");
  EXPECT_EQ(failure_code(small_config(R"({"indexer_types": ["full", "full", "full", "full"]})")), "");
}

TEST(ModelPublishedConfigs, AFormatThatCannotBeServedAsPublishedIsSaid) {
  const std::string config = small_config(R"({"quantization_config": {"quant_method": "modelopt"}})");
  const Json answer =
      Json::parse(engine().estimate(Json{{"model", {{"config_text", config}}}, {"task", "serve"}, {"accelerator", "H100-SXM"}}.dump()));
  EXPECT_EQ(answer["assumed"][0]["why"], "published_format_unknown");
  bool warned = false;
  for (const Json& warning : answer["warnings"]) warned = warned || warning["code"] == "published_format_unknown";
  EXPECT_TRUE(warned);
}

}  // namespace
}  // namespace rigsizer
