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

TEST(ModelPublishedConfigs, ASizeThatIsNotANumberIsRefusedNotTakenForUnset) {
  for (const std::string field : {"num_key_value_heads", "sliding_window", "hidden_size", "tie_word_embeddings"}) {
    const std::string plain = small_config(R"({"model_type": "mistral", ")" + field + R"(": null})");
    std::string python = plain;
    const std::size_t at = python.find(":null", python.find(field));
    ASSERT_NE(at, std::string::npos) << python;
    python.replace(at, 5, ":NaN ");
    EXPECT_EQ(described(python)["error"]["code"], "config_wrong_type") << field;
  }
}

TEST(ModelPublishedConfigs, StringsKeepTheirPythonWords) {
  EXPECT_EQ(without_python_constants(R"({"a": "Infinity", "b": "\"NaN"})"), R"({"a": "Infinity", "b": "\"NaN"})");
  EXPECT_EQ(without_python_constants(R"([NaN, -Infinity])"), R"([[] , []       ])");
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

/// A catalog model without one of its fields, or with another value of it.
std::string without(const std::string& id, const std::string& field, const Json& value = nullptr) {
  Json config = Json::parse(test::read_source("catalog/models/" + id + ".json"))["config"];
  Json* object = &config;
  std::string name = field;
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.')) {
    object = &(*object)[name.substr(0, dot)];
    name = name.substr(dot + 1);
  }
  EXPECT_TRUE(object->contains(name)) << id << " has no " << field;
  (*object)[name] = value;
  return config.dump();
}

TEST(ModelPublishedConfigs, WhatDiffersBetweenModelsOfAFamilyMustBeStated) {
  const std::vector<std::pair<std::string, std::string>> kNeeded{
      {"qwen3-0.6b", "head_dim"},
      {"gemma-7b", "head_dim"},
      {"gpt-oss-20b", "head_dim"},
      {"deepseek-v3", "first_k_dense_replace"},
      {"glm-4.5-air", "first_k_dense_replace"},
      {"qwen1.5-moe-a2.7b", "shared_expert_intermediate_size"},
      {"qwen3-next-80b-a3b", "full_attention_interval"},
      {"mamba2-1.3b", "n_groups"},
      {"mamba2-1.3b", "state_size"},
      {"rwkv-6-world-3b", "time_mix_extra_dim"},
      {"rwkv-7-world-1b5", "a_low_rank_dim"},
      {"rwkv-7-world-1b5", "head_size"},
      {"gpt2", "n_positions"},
  };
  for (const auto& [id, field] : kNeeded) EXPECT_EQ(failure_code(without(id, field)), "config_missing_field") << id << " without " << field;
}

TEST(ModelPublishedConfigs, ListsThatDoNotMatchTheLayersAreRefused) {
  EXPECT_EQ(failure_code(without("deepseek-v4-flash", "compress_ratios", Json::array({4, 4, 128}))), "config_inconsistent");
  EXPECT_EQ(failure_code(without("minimax-m3", "sparse_attention_config.sparse_attention_freq", Json::array({0, 1}))), "config_inconsistent");
  EXPECT_EQ(failure_code(small_config(R"({"moe_layer_freq": [0, 1]})")), "config_inconsistent");
  EXPECT_EQ(failure_code(without("llama-3.2-11b-vision", "text_config.cross_attention_layers", Json::array({3, 400}))), "config_inconsistent");
}

TEST(ModelPublishedConfigs, HeadsThatDoNotDivideTheWidthNeedAStatedSize) {
  EXPECT_EQ(failure_code(small_config(R"({"hidden_size": 100, "num_attention_heads": 8})")), "config_inconsistent");
  EXPECT_EQ(failure_code(small_config(R"({"hidden_size": 100, "num_attention_heads": 8, "head_dim": 16})")), "");
}

TEST(ModelPublishedConfigs, JambaHasExpertsInEverySecondLayerEvenWhenItDoesNotSay) {
  Json config = Json::parse(test::read_source("catalog/models/jamba-v0.1.json"))["config"];
  const auto stated = census_of(architecture(config.dump())).total.value();
  config.erase("expert_layer_period");
  config.erase("expert_layer_offset");
  EXPECT_EQ(census_of(architecture(config.dump())).total.value(), stated);
}

}  // namespace
}  // namespace rigsizer
