// Bytes of one sequence's cache by engine behaviour. Keys are those of public reports (repository#issue).
#include "memory/cache.h"

#include <gtest/gtest.h>

#include "memory/pool.h"
#include "quantity/units.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

CacheCost cost(const char* id, const CacheRules& rules = {}) { return cache_cost(test::model(id), rules); }

constexpr double kQ8 = 34.0 / 32;
constexpr double kQ4 = 18.0 / 32;

// vllm-project/vllm#22291: neither hidden width nor weight bits belong into the formula.
TEST(MemoryCache, KeysAndValuesFollowKeyValueHeads) {
  EXPECT_EQ(cost("qwen2.5-7b").full_bytes_per_token, 28 * 4 * 128 * 2 * 2);
  EXPECT_EQ(cost("qwen2.5-7b").sequence_bytes(3072), 3072 * 57'344.0);
  EXPECT_NEAR(cost("qwen2.5-7b").sequence_bytes(3072) / kGib, 0.164, 0.0005);
}

// hiyouga/LlamaFactory#6476: a first-generation 14B takes four times the cache of its successor.
TEST(MemoryCache, FullAttentionHeadsCostFourTimesGroupedOnes) {
  EXPECT_EQ(cost("qwen-14b").full_bytes_per_token, 819'200);
  EXPECT_EQ(cost("qwen2.5-14b").full_bytes_per_token, 196'608);
  EXPECT_NEAR(cost("qwen-14b").sequence_bytes(4096) / kGib, 3.125, 1e-9);
}

// alvarobartt/hf-mem#60
TEST(MemoryCache, WindowedLayersAreCutOrPagedAlike) {
  EXPECT_EQ(cost("gpt-oss-120b", {.windows = WindowedLayers::paged_alike}).full_bytes_per_token, 73'728);
  const CacheCost cut = cost("gpt-oss-120b");
  EXPECT_EQ(cut.full_bytes_per_token, 36'864);
  EXPECT_EQ(cut.short_bytes_per_token(), 73'728);
  EXPECT_EQ(cut.sequence_bytes(131'072), 131'072 * 36'864.0 + 128 * 36'864.0);
  EXPECT_EQ(cut.sequence_bytes(100), 100 * 73'728.0) << "a window not yet full costs like any layer";
}

// alvarobartt/hf-mem#61: ten global layers get the pages of the fifty windowed ones, which are twice as large.
TEST(MemoryCache, AlikePagesAreAsLargeAsTheWidestLayers) {
  EXPECT_EQ(cost("gemma-4-31b", {.windows = WindowedLayers::paged_alike}).full_bytes_per_token, 983'040);
  EXPECT_LT(cost("gemma-4-31b", {.windows = WindowedLayers::whole}).full_bytes_per_token, 983'040);
  EXPECT_LT(cost("gemma-4-31b").full_bytes_per_token, 983'040 / 9.0);
}

Server llama_server(double micro_batch = 512) {
  Server server;
  server.engine = ServingEngine::llama_cpp;
  server.settings.micro_batch = micro_batch;
  return server;
}

// gpustack/gguf-parser-go#32, ollama/ollama#16480
TEST(MemoryCache, WindowsInLlamaCppHoldTheMicroBatchToo) {
  const CacheCost oss = cache_cost_of(test::model("gpt-oss-20b"), llama_server());
  ASSERT_FALSE(oss.windowed.empty());
  EXPECT_EQ(oss.windowed.front().window_tokens, 768) << "128 + 512 rounded up to 256";
  // The report's 3.05 GiB is that of micro-batches of 2,048; it does not state them.
  EXPECT_NEAR(cache_cost_of(test::model("gpt-oss-20b"), llama_server(2048)).sequence_bytes(131'072) / kGib, 3.05, 0.01 * 3.05);
  const CacheCost larger = cache_cost_of(test::model("gpt-oss-120b"), llama_server(1024));
  EXPECT_EQ(larger.windowed.front().window_tokens, 1280);
  EXPECT_NEAR(2 * larger.sequence_bytes(131'072) / kMib, 9216 + 2 * 45, 1);
}

// ollama/ollama#16958, in GB
TEST(MemoryCache, GemmaGrowsWithItsFiveGlobalLayersOnly) {
  const CacheCost gemma = cache_cost_of(test::model("gemma-4-26b-a4b"), llama_server());
  const auto gb = [&](double tokens) { return gemma.sequence_bytes(tokens) / kGb; };
  EXPECT_NEAR(gb(4096), 0.40, 0.01);
  EXPECT_NEAR(gb(8192), 0.48, 0.01);
  EXPECT_NEAR(gb(32'768), 0.99, 0.01);
  EXPECT_NEAR(gb(131'072), 3.00, 0.01);
}

// ollama/ollama#8447
TEST(MemoryCache, LatentsAreKeptOrExpanded) {
  const CacheCost expanded = cost("deepseek-r1", {.latent = LatentCache::expanded});
  EXPECT_EQ(expanded.full_bytes_per_token, 61.0 * 128 * (192 + 128) * 2);
  EXPECT_EQ(expanded.sequence_bytes(2048) / kMib, 9760);
  EXPECT_NEAR(expanded.sequence_bytes(163'840) / kGib, 763, 1);
  const CacheCost kept = cost("deepseek-r1");
  EXPECT_EQ(kept.full_bytes_per_token, 61.0 * 576 * 2);
  EXPECT_EQ(kept.latent_bytes_per_token, kept.full_bytes_per_token);
  EXPECT_NEAR(kept.sequence_bytes(2048) / kMib, 137, 0.5);
  EXPECT_NEAR(kept.sequence_bytes(163'840) / kGib, 10.7, 0.05);
  EXPECT_NEAR(cost("deepseek-r1", {.latent = LatentCache::kept_with_values}).sequence_bytes(16'384) / kGib, 2.0254, 0.0005) << "ik_llama.cpp#394";
}

TEST(MemoryCache, BlockFormatsCountTheirScales) {
  const CacheRules q8{.key_bytes = kQ8, .value_bytes = kQ8};
  EXPECT_NEAR(cost("deepseek-r1", q8).sequence_bytes(32'768) / kMib, 1166.6, 0.05);
  EXPECT_NEAR(cost("qwen3-235b-a22b", q8).sequence_bytes(32'768) / kMib, 3196, 0.05);
}

TEST(MemoryCache, KeysAndValuesMayDifferInFormat) {
  const double elements = 32.0 * 8 * 128;
  EXPECT_EQ(cost("llama-3-8b", {.key_bytes = kQ8, .value_bytes = kQ4}).full_bytes_per_token, elements * (kQ8 + kQ4));
}

TEST(MemoryCache, RanksHoldWholeHeadsAndCopyLatents) {
  const auto at = [](const char* id, int ranks) { return cost(id, {.tensor_parallel = ranks}).full_bytes_per_token; };
  EXPECT_EQ(at("qwen3-235b-a22b", 4), 48'128) << "vllm-project/vllm#21348";
  EXPECT_EQ(at("qwen3-235b-a22b", 8), 48'128) << "four heads over eight ranks are doubled";
  EXPECT_EQ(at("deepseek-r1", 8), at("deepseek-r1", 1));
  EXPECT_EQ(cost("deepseek-r1", {.latent = LatentCache::expanded, .tensor_parallel = 8}).full_bytes_per_token, 61.0 * 16 * (192 + 128) * 2);
  EXPECT_EQ(cost("deepseek-r1", {.tensor_parallel = 8, .context_parallel = 8}).full_bytes_per_token, at("deepseek-r1", 1) / 8);
}

// Two ways to count: element by element of the census, layer by layer here.
TEST(MemoryCache, AgreesWithTheCensusOfEveryModel) {
  for (const std::string& id : test::supported_models()) {
    const Architecture model = test::model(id);
    if (!model.takes_sequences()) continue;
    const ModelSizes sizes = sizes_of(model);
    for (const int ranks : {1, 2, 8}) {
      for (const double tokens : {128.0, 131'072.0}) {
        const double counted = 2 * kv_elements_per_rank(sizes, tokens, ranks) + sizes.state_bytes / ranks;
        EXPECT_NEAR(cache_cost(model, {.tensor_parallel = ranks}).sequence_bytes(tokens), counted, 1e-9 * counted) << id;
      }
    }
  }
}

TEST(MemoryCache, StatesDoNotGrow) {
  const CacheCost mamba = cost("mamba2-2.7b");
  EXPECT_GT(mamba.state_bytes, 0);
  EXPECT_EQ(mamba.sequence_bytes(1), mamba.sequence_bytes(1'000'000));
}

}  // namespace
}  // namespace rigsizer
