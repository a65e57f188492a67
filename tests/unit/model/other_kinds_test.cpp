// Encoders, encoder-decoders, vision networks and diffusion pipelines by hand, and what of them is refused.
#include <gtest/gtest.h>

#include "model/census.h"
#include "model/reader.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::Json;
using Kind = Architecture::Kind;

Json config_of(const std::string& id) { return Json::parse(test::read_source("catalog/models/" + id + ".json"))["config"]; }

std::int64_t total(const Json& config) { return census_of(test::architecture(config.dump())).total.value(); }

std::string failure_of(const Json& config) {
  const Result<Architecture> result = read_architecture(test::fields(config.dump()));
  return result ? "" : result.failure().code + " " + result.failure().path;
}

std::string failure_with(const std::string& id, const std::string& field, const Json& value) {
  Json config = config_of(id);
  config[Json::json_pointer("/" + field)] = value;
  return failure_of(config);
}

// 2 layers, width 8, 2 heads, MLP 32, 100 words, 16 positions, 2 kinds of segment.
const Json kSmallBert{{"model_type", "bert"},    {"hidden_size", 8},  {"num_hidden_layers", 2}, {"num_attention_heads", 2},
                      {"intermediate_size", 32}, {"vocab_size", 100}, {"type_vocab_size", 2},   {"max_position_embeddings", 16}};
constexpr std::int64_t kBlock = 4 * (8 * 8 + 8) + 2 * 8 * 32 + 32 + 8 + 4 * 8;

TEST(ModelOtherKinds, BertIsTablesBlocksAndAPooler) {
  EXPECT_EQ(total(kSmallBert), (100 + 16 + 2) * 8 + 2 * 8 + 2 * kBlock + 8 * 8 + 8);
  const Architecture model = test::architecture(kSmallBert.dump());
  EXPECT_EQ(model.kind, Kind::encoder);
  EXPECT_EQ(census_of(model).kv_elements_per_token, 0);
  EXPECT_FALSE(model.groups.at(0).layer.gated);
}

TEST(ModelOtherKinds, AlbertHoldsOneBlockAndUsesItInEveryLayer) {
  Json albert = kSmallBert;
  albert.update({{"model_type", "albert"}, {"embedding_size", 4}});
  EXPECT_EQ(total(albert), (100 + 16 + 2) * 4 + 2 * 4 + 4 * 8 + 8 + kBlock + 8 * 8 + 8);
  const Architecture model = test::architecture(albert.dump());
  EXPECT_EQ(model.layers, 2);
  const std::int64_t matrices = 4 * 8 * 8 + 2 * 8 * 32;
  EXPECT_EQ(census_of(model).multiplied.value(), 2 * matrices + 4 * 8 + 8 * 8 + 100 * 4);
}

TEST(ModelOtherKinds, WhatIsNotInAnEncodersSumIsRefused) {
  EXPECT_EQ(failure_with("bert-base-uncased", "position_embedding_type", "relative_key"), "unsupported_part /model/config/position_embedding_type");
  EXPECT_EQ(failure_with("bert-base-uncased", "is_decoder", true), "unsupported_part /model/config/is_decoder");
  EXPECT_EQ(failure_with("deberta-v3-base", "share_att_key", false), "unsupported_part /model/config/share_att_key");
  EXPECT_EQ(failure_with("deberta-v3-base", "conv_kernel_size", 3), "unsupported_part /model/config/conv_kernel_size");
  EXPECT_EQ(failure_with("albert-base-v2", "num_hidden_groups", 2), "unsupported_part /model/config/num_hidden_groups");
  EXPECT_EQ(failure_with("modernbert-base", "attention_bias", true), "unsupported_part /model/config/attention_bias");
  EXPECT_EQ(failure_with("swin-tiny-patch4-window7-224", "use_absolute_embeddings", true), "unsupported_part /model/config/use_absolute_embeddings");
  EXPECT_EQ(failure_with("flux.1-dev", "denoiser/_class_name", "SomebodysTransformer"), "unsupported_part /model/config/denoiser");
  EXPECT_EQ(failure_with("flux.1-dev", "vae/_class_name", "SomebodysVae"), "unsupported_part /model/config/vae");
  EXPECT_EQ(failure_with("flux.1-dev", "text_encoders/1/model_type", "t6"), "unsupported_architecture /model/config/text_encoders/1");
}

TEST(ModelOtherKinds, SizesMustBeStatedAndInRange) {
  const std::vector<std::pair<std::string, std::string>> kNeeded{{"bert-base-uncased", "type_vocab_size"},
                                                                 {"t5-base", "d_kv"},
                                                                 {"whisper-tiny", "max_source_positions"},
                                                                 {"vit-base-patch16-224", "patch_size"},
                                                                 {"flux.1-dev", "denoiser/num_single_layers"}};
  for (const auto& [id, field] : kNeeded) EXPECT_EQ(failure_with(id, field, nullptr), "config_missing_field /model/config/" + field) << id;
  EXPECT_EQ(failure_with("convnext-tiny-224", "depths", Json::array({3, 3})), "config_inconsistent /model/config/depths");
  EXPECT_EQ(failure_with("convnext-tiny-224", "depths", Json::array({3, 3, 1e300, 3})), "config_out_of_range /model/config/depths");
  EXPECT_EQ(failure_with("swin-tiny-patch4-window7-224", "num_heads", Json::array({3})), "config_inconsistent /model/config/num_heads");
  EXPECT_EQ(failure_with("wav2vec2-base", "conv_kernel", Json::array({3, 3})), "config_inconsistent /model/config/conv_kernel");
  EXPECT_EQ(failure_with("stable-diffusion-1.5", "denoiser/layers_per_block", 1e6), "config_out_of_range /model/config/denoiser/layers_per_block");
  EXPECT_NE(failure_with("stable-diffusion-1.5", "denoiser/down_block_types", Json::array({"DownBlock2D"})), "");
}

TEST(ModelOtherKinds, ADecoderCachesItsOwnTokensAndThoseOfTheSource) {
  const Census census = census_of(test::model("t5-small"));
  EXPECT_EQ(census.kv_elements_per_token, 6 * 2 * 512);
  EXPECT_EQ(census.kv_elements_per_source_token, 6 * 2 * 512);
  EXPECT_EQ(kv_elements(test::model("t5-small"), 100), 2 * 6 * 2 * 512 * 100);
  // Whisper always reads 30 seconds.
  EXPECT_EQ(kv_elements(test::model("whisper-tiny"), 10), 4 * 2 * 384 * 10 + 4 * 2 * 384 * 1500);
}

TEST(ModelOtherKinds, AnEncoderAloneIsHalfOfIt) {
  Json t5 = config_of("t5-base");
  t5["architectures"] = Json::array({"T5EncoderModel"});
  EXPECT_EQ(total(t5), 24'674'304 + 84'954'240);
  EXPECT_EQ(test::architecture(t5.dump()).kind, Kind::encoder);
}

TEST(ModelOtherKinds, LabelsAreCountedWhereTheirNumberIsNotStated) {
  Json vit = config_of("vit-base-patch16-224");
  vit.erase("num_labels");
  EXPECT_EQ(total(vit), 85'798'656);
  vit["id2label"] = {{"0", "cat"}, {"1", "dog"}};
  EXPECT_EQ(total(vit), 85'798'656 + 2 * 768 + 2);
}

}  // namespace
}  // namespace rigsizer
