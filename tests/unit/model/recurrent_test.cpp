// Mixers with a state of fixed size.
#include "model/recurrent.h"

#include <gtest/gtest.h>

#include "model/blocks.h"
#include "model/census.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

std::int64_t weights(const Layer& layer) {
  Count sum{};
  for (const Tensor& tensor : layer.tensors) sum += tensor.size();
  return sum.value();
}

TEST(ModelRecurrent, Mamba1) {
  Layer layer;
  add_mamba1(layer, {.hidden = 64, .inner = 128, .state = 16, .rank = 4, .kernel = 4});
  EXPECT_EQ(weights(layer), 2 * 64 * 128 + 128 * 4 + 128 + 128 * (4 + 2 * 16) + 4 * 128 + 128 + 128 * 16 + 128 + 128 * 64);
  EXPECT_EQ(layer.state_bytes, 4 * 128 * 16 + 2 * 128 * 3);
  EXPECT_TRUE(layer.kv.empty());
}

TEST(ModelRecurrent, JambaAddsInnerNorms) {
  Layer plain;
  Layer jamba;
  add_mamba1(plain, {.hidden = 64, .inner = 128, .state = 16, .rank = 4, .kernel = 4});
  add_mamba1(jamba, {.hidden = 64, .inner = 128, .state = 16, .rank = 4, .kernel = 4, .inner_norms = true});
  EXPECT_EQ(weights(jamba) - weights(plain), 4 + 2 * 16);
}

TEST(ModelRecurrent, Mamba2) {
  Layer layer;
  add_mamba2(layer, {.hidden = 64, .inner = 128, .state = 32, .kernel = 4, .heads = 8, .groups = 2});
  EXPECT_EQ(weights(layer), 64 * (2 * 128 + 2 * 2 * 32 + 8) + (128 + 2 * 2 * 32) * 5 + 3 * 8 + 128 + 128 * 64);
  EXPECT_EQ(layer.state_bytes, 4 * 128 * 32 + 2 * (128 + 2 * 2 * 32) * 3);
}

TEST(ModelRecurrent, GatedDelta) {
  Layer layer;
  add_gated_delta(layer, {.hidden = 64, .key_heads = 4, .key_dim = 8, .value_heads = 8, .value_dim = 16, .kernel = 4});
  const std::int64_t g = 4 * 8;
  const std::int64_t w = 8 * 16;
  EXPECT_EQ(weights(layer), 64 * (2 * g + 2 * w) + 2 * 64 * 8 + (2 * g + w) * 4 + 2 * 8 + 16 + w * 64);
  EXPECT_EQ(layer.state_bytes, 4 * 8 * 8 * 16 + 2 * (2 * g + w) * 3);
}

TEST(ModelRecurrent, Lightning) {
  Layer layer;
  add_lightning(layer, 64, 8, 8);
  EXPECT_EQ(weights(layer), 3 * 64 * 64 + 64 * 64 + 64 * 64 + 64);
  EXPECT_EQ(layer.state_bytes, 4 * 8 * 8 * 8);
}

TEST(ModelRecurrent, Kda) {
  Layer layer;
  add_kda(layer, 64, 4, 8, 4);
  const std::int64_t p = 32;
  EXPECT_EQ(weights(layer), 3 * 64 * p + 3 * p * 4 + 64 * 8 + 8 * p + 64 * 4 + 64 * p + 4 + p + 8 + p * 64);
  EXPECT_EQ(layer.state_bytes, 4 * 4 * 8 * 8 + 6 * p * 3);
}

TEST(ModelRecurrent, RwkvVersionsHaveTheirOwnSums) {
  const std::int64_t h = 64;
  const std::int64_t f = 256;
  const std::int64_t norms = 2 * 2 * h;
  Layer v4;
  add_rwkv(v4, {.version = Block::rwkv4, .hidden = h, .width = f});
  EXPECT_EQ(weights(v4), 5 * h + 4 * h * h + 2 * h + 2 * h * f + h * h + norms);
  EXPECT_EQ(v4.state_bytes, 20 * h);
  Layer v5;
  add_rwkv(v5, {.version = Block::rwkv5, .hidden = h, .width = f});
  EXPECT_EQ(weights(v5), 6 * h + 5 * h * h + 2 * h + 2 * h + 2 * h * f + h * h + norms);
  EXPECT_EQ(v5.state_bytes, 4 * h * 64 + 4 * h);
}

TEST(ModelRecurrent, Rwkv7SparesItsFirstLayerTheValueMixing) {
  const RwkvShape shape{.version = Block::rwkv7, .hidden = 64, .width = 256, .decay_rank = 8, .a_rank = 8, .v_rank = 4, .gate_rank = 16};
  RwkvShape first = shape;
  first.first_layer = true;
  Layer one;
  Layer other;
  add_rwkv(one, first);
  add_rwkv(other, shape);
  EXPECT_EQ(weights(other) - weights(one), 2 * 4 * 64 + 64);
}

TEST(ModelRecurrent, StateDoesNotGrowWithTheContext) {
  const Architecture mamba = test::model("mamba-2.8b");
  EXPECT_EQ(kv_elements(mamba, 1), 0);
  EXPECT_EQ(kv_elements(mamba, 1e6), 0);
  // 64 layers, inner width 5120, state 16, kernel 4.
  EXPECT_EQ(census_of(mamba).state_bytes, 64 * (4 * 5120 * 16 + 2 * 5120 * 3));
}

TEST(ModelRecurrent, HybridsCacheOnlyInTheirAttentionLayers) {
  // Qwen3-Next: 48 layers, one in four attends, with 2 key/value heads of 256.
  const Census census = census_of(test::model("qwen3-next-80b-a3b"));
  EXPECT_EQ(2 * census.kv_elements_per_token, 12 * 2 * 2 * 256 * 2);
  EXPECT_GT(census.state_bytes, 0);
}

TEST(ModelRecurrent, NemotronReadsOneMixerPerLayerFromItsPattern) {
  const char* const config =
      R"({"model_type": "nemotron_h", "hybrid_override_pattern": "M-*E", "mamba_num_heads": 8, "mamba_head_dim": 16, "ssm_state_size": 32,
    "n_groups": 2, "conv_kernel": 4, "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32})";
  const Census census = census_of(test::architecture(test::small_config(config)));
  const auto part = [&](Part p) { return census.parts.at(static_cast<std::size_t>(p)).value(); };
  EXPECT_EQ(part(Part::attention), 4 * 64 * 64);
  EXPECT_EQ(part(Part::mlp), 2 * 64 * 256);
  EXPECT_EQ(part(Part::moe), 64 * 4 + 4 * (2 * 64 * 32) + 4);
  EXPECT_EQ(part(Part::norm), 4 * 64 + 64);
  EXPECT_EQ(census.kv_elements_per_token, 2 * 8 * 8);
}

}  // namespace
}  // namespace rigsizer
