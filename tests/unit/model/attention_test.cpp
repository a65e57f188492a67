// Attention kinds by hand: weights and cache of one layer, written out as sums.
#include <gtest/gtest.h>

#include "model/census.h"
#include "model/reader.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::architecture;
using test::small_config;

std::int64_t part(const Architecture& model, Part part) { return census_of(model).parts.at(static_cast<std::size_t>(part)).value(); }
std::int64_t attention_of(std::string_view more) { return part(architecture(small_config(more)), Part::attention); }
double cache_of(std::string_view more) { return census_of(architecture(small_config(more))).kv_elements_per_token; }

// small_config: 4 layers, hidden 64, 8 heads of 8.
TEST(ModelAttention, FullHeadsKeepAKeyAndAValuePerHead) {
  EXPECT_EQ(attention_of("{}"), 4 * (4 * 64 * 64));
  EXPECT_EQ(cache_of("{}"), 4 * (2 * 8 * 8));
}

TEST(ModelAttention, GroupedHeadsShareKeysAndValues) {
  EXPECT_EQ(attention_of(R"({"num_key_value_heads": 2})"), 4 * (64 * 64 + 2 * 64 * (2 * 8) + 64 * 64));
  EXPECT_EQ(cache_of(R"({"num_key_value_heads": 2})"), 4 * (2 * 2 * 8));
}

TEST(ModelAttention, OneSharedHeadIsMultiQuery) {
  EXPECT_EQ(attention_of(R"({"model_type": "gpt_bigcode", "multi_query": true, "tie_word_embeddings": true})"),
            4 * (64 * 64 + 64 * 16 + 64 * 64 + (64 + 16) + 64));  // with biases of q, k, v and the output
  EXPECT_EQ(cache_of(R"({"model_type": "gpt_bigcode", "multi_query": true})"), 4 * (2 * 8));
}

TEST(ModelAttention, HeadSizeMayDifferFromHiddenOverHeads) {
  EXPECT_EQ(attention_of(R"({"head_dim": 32, "num_key_value_heads": 4})"), 4 * (64 * 8 * 32 + 2 * 64 * 4 * 32 + 8 * 32 * 64));
  EXPECT_EQ(cache_of(R"({"head_dim": 32, "num_key_value_heads": 4})"), 4 * (2 * 4 * 32));
}

TEST(ModelAttention, BiasesFollowTheFamilyAndTheConfigWins) {
  EXPECT_EQ(attention_of(R"({"model_type": "qwen2"})"), 4 * (4 * 64 * 64 + 3 * 64));
  EXPECT_EQ(attention_of(R"({"attention_bias": true})"), 4 * (4 * 64 * 64 + 3 * 64 + 64));
  EXPECT_EQ(attention_of(R"({"model_type": "qwen2", "attention_bias": false})"), 4 * (4 * 64 * 64));
  EXPECT_EQ(attention_of(R"({"model_type": "glm4_moe", "attention_bias": true, "n_routed_experts": 1})"), 4 * (4 * 64 * 64 + 3 * 64));
}

TEST(ModelAttention, QueryKeyNormsHaveOneWeightPerHeadSizeOrPerProjection) {
  EXPECT_EQ(attention_of(R"({"model_type": "qwen3", "num_key_value_heads": 2})"), 4 * (2 * 64 * 64 + 2 * 64 * 16 + 2 * 8));
  EXPECT_EQ(attention_of(R"({"model_type": "olmo2", "num_key_value_heads": 2})"), 4 * (2 * 64 * 64 + 2 * 64 * 16 + 64 + 16));
  EXPECT_EQ(attention_of(R"({"model_type": "cohere", "use_qk_norm": false})"), 4 * (4 * 64 * 64));
}

// MLA: query rank 24, latent 16, head parts 6 + 2 rotated, values of 5, 8 heads.
constexpr const char* kLatent = R"({"model_type": "deepseek_v2", "q_lora_rank": 24, "kv_lora_rank": 16, "qk_nope_head_dim": 6,
                                    "qk_rope_head_dim": 2, "v_head_dim": 5})";

TEST(ModelAttention, LatentAttentionCachesOneVectorForAllHeads) {
  const std::int64_t queries = 64 * 24 + 24 + 24 * 8 * (6 + 2);
  const std::int64_t keys_values = 64 * (16 + 2) + 16 + 16 * 8 * (6 + 5);
  EXPECT_EQ(attention_of(kLatent), 4 * (queries + keys_values + 8 * 5 * 64));
  EXPECT_EQ(cache_of(kLatent), 4 * (16 + 2));
}

TEST(ModelAttention, LatentAttentionMayProjectQueriesDirectly) {
  const char* const direct = R"({"model_type": "deepseek_v2", "q_lora_rank": null, "kv_lora_rank": 16, "qk_nope_head_dim": 6,
                                 "qk_rope_head_dim": 2, "v_head_dim": 5})";
  EXPECT_EQ(attention_of(direct), 4 * (64 * 8 * 8 + 64 * 18 + 16 + 16 * 8 * 11 + 8 * 5 * 64));
}

TEST(ModelAttention, AnIndexerAddsWeightsAndCachesAKeyPerToken) {
  const char* const indexed = R"({"model_type": "deepseek_v32", "q_lora_rank": 24, "kv_lora_rank": 16, "qk_nope_head_dim": 6,
                                  "qk_rope_head_dim": 2, "v_head_dim": 5, "index_n_heads": 3, "index_head_dim": 4})";
  const std::int64_t indexer = 24 * 3 * 4 + 64 * 4 + 2 * 4 + 64 * 3;
  EXPECT_EQ(attention_of(indexed), attention_of(kLatent) + 4 * indexer);
  EXPECT_EQ(cache_of(indexed), 4 * (16 + 2 + 4));
}

TEST(ModelAttention, SharedKeysAndValuesAreHeldByEverySecondLayer) {
  const char* const shared = R"({"model_type": "hunyuan_v1_dense", "use_cla": true, "cla_share_factor": 2})";
  const std::int64_t with = 4 * 64 * 64 + 2 * 8;
  EXPECT_EQ(attention_of(shared), 2 * with + 2 * (with - 2 * 64 * 64));
  EXPECT_EQ(cache_of(shared), 2 * (2 * 8 * 8));
}

TEST(ModelAttention, HeadsThatCannotShareEvenlyAreRefused) {
  const auto result = read_architecture(test::fields(small_config(R"({"num_key_value_heads": 3})")));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().code, "config_inconsistent");
  EXPECT_EQ(result.failure().path, "/model/config/num_key_value_heads");
}

// Published figures, bytes per token at 16 bits.
TEST(ModelAttention, KnownModelsCacheWhatTheirReportsSay) {
  const auto bytes = [](std::string_view id) { return 2 * census_of(test::model(id)).kv_elements_per_token; };
  EXPECT_EQ(bytes("llama-3-8b"), 32 * 2 * 8 * 128 * 2);
  EXPECT_EQ(bytes("llama-2-7b"), 32 * 2 * 32 * 128 * 2);
  EXPECT_EQ(bytes("qwen2.5-7b"), 57'344);  // vllm-project/vllm#22291: not the 1.53 MiB of the paper's formula
  EXPECT_EQ(bytes("qwen-14b"), 819'200);   // hiyouga/LlamaFactory#6476: no grouping in the first generation
  EXPECT_EQ(bytes("qwen2.5-14b"), 196'608);
  EXPECT_EQ(bytes("deepseek-v3"), 61 * (512 + 64) * 2);
}

TEST(ModelAttention, FlopsOfAPairAreTwoPerQueryKeyAndValueWidth) {
  const Architecture model = architecture(small_config("{}"));
  EXPECT_EQ(model.groups.at(0).layer.flops_per_token_pair, 2 * 8 * (8 + 8));
  const Census census = census_of(model);
  const double weights = 4 * (4 * 64 * 64 + 3 * 64 * 256) + 64 * 1000;
  EXPECT_EQ(census.multiplied.as_double(), weights);
  EXPECT_EQ(forward_flops_per_token(model, 0), 2 * weights + 4 * 256);
  EXPECT_EQ(forward_flops_per_token(model, 9), 2 * weights + 4 * 256 * 10);
}

}  // namespace
}  // namespace rigsizer
