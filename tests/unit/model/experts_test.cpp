// Mixtures of experts: which layers have them, what they weigh, what one token meets.
#include <gtest/gtest.h>

#include "model/census.h"
#include "model/reader.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::architecture;
using test::small_config;

// One routed expert of width 32 on hidden 64, gated: 3 matrices. A dense MLP has width 256.
constexpr std::int64_t kExpert = 3 * 64 * 32;
constexpr std::int64_t kDense = 3 * 64 * 256;

std::int64_t part(const Census& census, Part part) { return census.parts.at(static_cast<std::size_t>(part)).value(); }

Census census(const std::string& family, const std::string& more) {
  return census_of(architecture(small_config(R"({"model_type": ")" + family + R"(", "num_experts": 8, "n_routed_experts": 8, "num_experts_per_tok": 2,
                                                 "moe_intermediate_size": 32)" +
                                             (more.empty() ? "" : ", " + more) + "}")));
}

TEST(ModelExperts, EveryLayerHasThemUnlessTheConfigSaysOtherwise) {
  const Census c = census("qwen3_moe", "");
  EXPECT_EQ(part(c, Part::moe), 4 * (64 * 8 + 8 * kExpert));
  EXPECT_EQ(part(c, Part::mlp), 0);
}

TEST(ModelExperts, ATokenMeetsOnlyKOfThem) {
  const Census c = census("qwen3_moe", "");
  EXPECT_EQ(c.total.value() - c.active.value(), 4 * (8 - 2) * kExpert);
  EXPECT_EQ(c.expert.value(), 4 * 8 * kExpert);
  EXPECT_EQ(c.router.value(), 4 * 64 * 8);
}

TEST(ModelExperts, TheFirstKLayersMayBeDense) {
  const Census c = census("deepseek", R"("first_k_dense_replace": 1)");
  EXPECT_EQ(part(c, Part::mlp), 1 * kDense);
  EXPECT_EQ(part(c, Part::moe), 3 * (64 * 8 + 8 * kExpert));
}

TEST(ModelExperts, AListMayNameTheDenseLayers) {
  const Census c = census("qwen3_moe", R"("mlp_only_layers": [0, 2])");
  EXPECT_EQ(part(c, Part::mlp), 2 * kDense);
}

TEST(ModelExperts, AListMayNameEachLayer) {
  const Census c = census("deepseek", R"("moe_layer_freq": [0, 0, 0, 1])");
  EXPECT_EQ(part(c, Part::mlp), 3 * kDense);
  EXPECT_EQ(part(c, Part::moe), 1 * (64 * 8 + 8 * kExpert));
}

TEST(ModelExperts, AStepSkipsLayers) {
  EXPECT_EQ(part(census("qwen3_moe", R"("decoder_sparse_step": 2)"), Part::mlp), 2 * kDense);
  EXPECT_EQ(part(census("qwen3_moe", R"("decoder_sparse_step": 3)"), Part::mlp), 3 * kDense);
}

TEST(ModelExperts, APeriodAndAnOffsetPickLayers) {
  // Layers 1 and 3 of 4.
  EXPECT_EQ(part(census("mixtral", R"("expert_layer_period": 2, "expert_layer_offset": 1)"), Part::mlp), 2 * kDense);
}

TEST(ModelExperts, AFirstAndALastLayerBoundThem) {
  EXPECT_EQ(part(census("ernie4_5_moe", R"("moe_layer_start_index": 1, "moe_layer_end_index": 2)"), Part::mlp), 2 * kDense);
}

TEST(ModelExperts, SharedExpertsAreMetByEveryToken) {
  const Census c = census("deepseek", R"("first_k_dense_replace": 0, "n_shared_experts": 2)");
  EXPECT_EQ(part(c, Part::moe), 4 * (64 * 8 + 8 * kExpert + 2 * kExpert));
  EXPECT_EQ(c.total.value() - c.active.value(), 4 * 6 * kExpert);
}

TEST(ModelExperts, QwenGatesItsSharedExpert) {
  const Census c = census("qwen2_moe", R"("shared_expert_intermediate_size": 128)");
  EXPECT_EQ(part(c, Part::moe), 4 * (64 * 8 + 8 * kExpert + 3 * 64 * 128 + 64));
}

TEST(ModelExperts, SomeFamiliesHaveABiasPerExpert) {
  const Census c = census("minimax_m2", "");
  EXPECT_EQ(part(c, Part::moe), 4 * (64 * 8 + 8 * kExpert + 8));
}

TEST(ModelExperts, MoreExpertsPerTokenThanExpertsAreRefused) {
  const auto result = read_architecture(test::fields(small_config(R"({"model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 5})")));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().code, "config_out_of_range");
}

TEST(ModelExperts, AListOfTheWrongLengthIsRefused) {
  const auto result = read_architecture(
      test::fields(small_config(R"({"model_type": "deepseek", "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_layer_freq": [0, 1]})")));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().code, "config_inconsistent");
}

// Mixtral 8x7B: 46.7B resident, 12.9B met, as its authors state.
TEST(ModelExperts, MixtralHolds47AndUses13Billion) {
  const Census c = census_of(test::model("mixtral-8x7b"));
  EXPECT_EQ(c.total.value(), 46'702'792'704);
  EXPECT_EQ(c.total.value() - c.active.value(), 32LL * 6 * 3 * 4096 * 14336);
}

}  // namespace
}  // namespace rigsizer
