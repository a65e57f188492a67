// Compute buffers llama.cpp prints, in MiB.
#include "memory/llama_cpp.h"

#include <gtest/gtest.h>

#include "quantity/units.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

double mib(const char* id, const LlamaGraph& graph) { return compute_buffer(test::model(id), graph).bytes() / kMib; }

TEST(MemoryLlamaCpp, WithoutFlashAttentionTheScoresOfAMicroBatchExist) {
  EXPECT_EQ(mib("mistral-7b-v0.1", {.context_tokens = 2048, .flash_attention = false}), 164);
  EXPECT_EQ(mib("mistral-7b-v0.1", {.context_tokens = 32'768, .flash_attention = false}), 2144);
  EXPECT_NEAR(mib("qwen3-30b-a3b", {.context_tokens = 16'384, .flash_attention = false}), 1080, 11);
  EXPECT_NEAR(mib("deepseek-r1", {.context_tokens = 163'840, .flash_attention = false, .latent_kept = false}), 40'818, 0.02 * 40'818);
}

TEST(MemoryLlamaCpp, WithItTheOutputLayersDeviceHoldsLogits) {
  EXPECT_NEAR(mib("qwen3-235b-a22b", {.context_tokens = 32'768, .micro_batch = 4096}), 2502, 1);
  EXPECT_NEAR(mib("qwen3-235b-a22b", {.context_tokens = 32'768, .micro_batch = 2048}), 1251, 1);
  EXPECT_NEAR(mib("gemma-3-27b", {.context_tokens = 32'768}), 522.62, 0.03 * 522.62);
}

TEST(MemoryLlamaCpp, OtherDevicesHoldMasksAndOneLayer) {
  const LlamaGraph first{.context_tokens = 32'768, .micro_batch = 4096, .holds_output = false, .cache_quantised = true};
  EXPECT_NEAR(mib("qwen3-235b-a22b", first), 2096, 0.1 * 2096);
  LlamaGraph longer = first;
  longer.context_tokens = 65'536;
  EXPECT_NEAR(mib("qwen3-235b-a22b", longer) - mib("qwen3-235b-a22b", first), 336, 0.1 * 336);
}

TEST(MemoryLlamaCpp, LatentsAreExpandedLayerByLayer) {
  const auto capped = [](double tokens, double micro_batch) {
    return LlamaGraph{.context_tokens = tokens, .micro_batch = micro_batch, .cache_quantised = true, .attention_cap_bytes = 512 * kMib};
  };
  EXPECT_NEAR(mib("deepseek-r1", capped(2048, 512)), 503, 0.03 * 503);
  EXPECT_NEAR(mib("deepseek-r1", capped(32'768, 512)), 3425, 0.1 * 3425);
  EXPECT_NEAR(mib("deepseek-r1", capped(65'536, 512)), 6081, 0.05 * 6081);
  EXPECT_NEAR(mib("deepseek-r1", capped(131'072, 1024)), 11'718, 0.05 * 11'718);
}

TEST(MemoryLlamaCpp, ExpertsOnTheHostAreCopiedThrough) {
  const LlamaGraph graph{.context_tokens = 4096, .copied_expert_bytes = 900 * kMib};
  EXPECT_EQ(mib("qwen3-30b-a3b", graph), 900);
}

}  // namespace
}  // namespace rigsizer
