// Public reports of serving jobs: what the calculator must answer. Keys are repository#issue.
#include <gtest/gtest.h>

#include "memory/serving_plain.h"
#include "quantity/units.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

double weights_gib(const char* model, WeightFormat format, int tensor = 1) {
  const Layout layout{.accelerators = tensor, .tensor_parallel = tensor};
  return serving_lines(serving_terms(test::sizes(model, format), {}, layout, test::catalog().memory.value))[Line::weights] / kGib;
}

// vllm-project/vllm#13061
TEST(MemoryCasesServing, FourteenBillionOnTwoCards) {
  EXPECT_NEAR(weights_gib("deepseek-r1-distill-qwen-14b", WeightFormat::bf16, 2), 13.95, 0.03 * 13.95);
  EXPECT_EQ(kv_elements_per_rank(test::sizes("deepseek-r1-distill-qwen-14b"), 1, 2) * 2, 98'304);
}

// vllm-project/vllm#13882
TEST(MemoryCasesServing, FourBitSevenBillionKeepsTableAndHead) { EXPECT_NEAR(weights_gib("qwen2.5-7b", WeightFormat::int4), 5.20, 0.05); }

// vllm-project/vllm#188
TEST(MemoryCasesServing, MistralDoesNotFitElevenGigabytes) {
  EXPECT_GT(weights_gib("mistral-7b-v0.1", WeightFormat::fp16), 10.73);
  EXPECT_NEAR(weights_gib("mistral-7b-v0.1", WeightFormat::int4), 3.9, 0.1);
}

// vllm-project/vllm#16712
TEST(MemoryCasesServing, AllExpertsOfScoutAreResident) { EXPECT_GT(weights_gib("llama-4-scout-17b-16e", WeightFormat::bf16, 2), 93.0); }

// vllm-project/vllm#22291 and hiyouga/LlamaFactory#6476
TEST(MemoryCasesServing, CachePerTokenFollowsKeyValueHeads) {
  EXPECT_EQ(kv_elements_per_rank(test::sizes("qwen2.5-7b"), 1, 1) * 2, 57'344);
  EXPECT_EQ(kv_elements_per_rank(test::sizes("qwen-14b"), 1, 1) * 2, 819'200);
}

// alvarobartt/hf-mem#60
TEST(MemoryCasesServing, WindowedLayersAreChargedOrNot) {
  const ModelSizes oss = test::sizes("gpt-oss-120b");
  EXPECT_EQ(kv_elements_all_layers(oss, 1, 1) * 2, 73'728);
  EXPECT_EQ((kv_elements_per_rank(oss, 131'072, 1) - kv_elements_per_rank(oss, 131'071, 1)) * 2, 36'864);
}

}  // namespace
}  // namespace rigsizer
