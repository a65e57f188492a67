// What a pool is good for, and what must hold for every model and engine.
#include "memory/capacity.h"

#include <gtest/gtest.h>

#include "quantity/units.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

const MemoryConstants& calibrated() { return test::catalog().memory.value; }

Server server(ServingEngine engine, double card_gib, double weights_gib, int ranks = 1) {
  Server made;
  made.engine = engine;
  made.behaviour = behaviour_of(engine, std::nullopt);
  made.card = {card_gib * kGib};
  made.weights_bytes = weights_gib * kGib;
  made.tensor_parallel = ranks;
  made.settings = settings_of(engine, made.behaviour, {}, made.card, 0);
  return made;
}

constexpr ServingEngine kAll[] = {ServingEngine::vllm,   ServingEngine::sglang,       ServingEngine::tensorrt_llm,
                                  ServingEngine::tgi,    ServingEngine::lmdeploy,     ServingEngine::llama_cpp,
                                  ServingEngine::ollama, ServingEngine::transformers, ServingEngine::exllamav2};

Pool pool_of(const CacheCost& cost, double bytes, double block) {
  Pool pool;
  pool.cost = cost;
  pool.bytes = bytes;
  pool.block_tokens = block;
  return pool;
}

TEST(MemoryCapacity, CountsWholeBlocks) {
  CacheCost cost;
  cost.full_bytes_per_token = 10;
  const Pool pool = pool_of(cost, 1'000, 16);
  EXPECT_EQ(cached_tokens(pool, 0), 96);
  EXPECT_EQ(longest_context(pool, 1e6), 96);
  EXPECT_EQ(longest_context(pool, 50), 50);
  EXPECT_EQ(cache_bytes(pool, 17, 2), 2 * 32 * 10);
  EXPECT_EQ(highest_concurrency(pool, 17), 3);
  EXPECT_EQ(longest_context(pool_of(cost, 159, 16), 1e6), 0);
  EXPECT_EQ(highest_concurrency(pool_of(cost, -5, 16), 16), 0);
}

TEST(MemoryCapacity, WindowsAndStatesLeaveLongContextsCheap) {
  CacheCost cost;
  cost.full_bytes_per_token = 1;
  cost.windowed.push_back({100, 9});
  cost.state_bytes = 50;
  EXPECT_EQ(cost.sequence_bytes(10), 150);
  EXPECT_EQ(cost.sequence_bytes(1000), 1000 + 900 + 50);
  EXPECT_EQ(longest_context(pool_of(cost, 2950, 1), 1e6), 2000);
  EXPECT_EQ(highest_concurrency(pool_of(cost, 4000, 1), 1000), 2);
}

// vllm-project/vllm#40691: where layers differ the line of tokens is concurrency x longest length, not a capacity.
TEST(MemoryCapacity, PrintedTokensOfMixedModelsAreConcurrencyTimesLength) {
  CacheCost cost;
  cost.full_bytes_per_token = 1;
  cost.state_bytes = 1000;
  EXPECT_EQ(cached_tokens(pool_of(cost, 10'000, 1), 4000), 8000);
  EXPECT_EQ(longest_context(pool_of(cost, 10'000, 1), 1e6), 9000);
}

// vllm-project/vllm#43308: same card and flags before and after; pools of about 50 GB.
TEST(MemoryCapacity, CuttingWindowsGivesTenTimesTheTokens) {
  Server made = server(ServingEngine::vllm, 79.15, 20);
  made.settings.chunk_tokens = 2048;
  const Architecture gemma = test::model("gemma-4-31b");
  const auto tokens = [&](WindowedLayers windows) {
    made.behaviour.windows = windows;
    Pool pool = serving_pool(gemma, made, calibrated());
    pool.bytes = 50 * kGb;
    return cached_tokens(pool, 262'144);
  };
  EXPECT_NEAR(tokens(WindowedLayers::paged_alike), 55'000, 0.1 * 55'000);
  EXPECT_NEAR(tokens(WindowedLayers::cut), 525'000, 0.1 * 525'000);
}

TEST(MemoryCapacity, TheLeastFractionJustStarts) {
  const Architecture llama = test::model("llama-3-8b");
  for (const ServingEngine engine : kAll) {
    Server made = server(engine, 40, 16);
    const auto least = least_fraction(llama, made, 8192, calibrated());
    if (!has_pool(engine)) {
      EXPECT_FALSE(least);
      continue;
    }
    ASSERT_TRUE(least) << kServingEngineNames.at(static_cast<std::size_t>(engine));
    made.settings.memory_fraction = *least;
    const Pool enough = serving_pool(llama, made, calibrated());
    EXPECT_GE(longest_context(enough, 1e6), 8192);
    made.settings.memory_fraction = *least - 2e-4;
    EXPECT_LT(serving_pool(llama, made, calibrated()).bytes, cache_bytes(enough, 8192, 1));
  }
}

// Qwen speed tables: Qwen2 7B at 30,720 tokens, 42.6 GiB where logits of the prompt are kept, 19.97 for Qwen2.5 where not.
TEST(MemoryCapacity, OldTransformersNeedTheLogitsOfAWholePrompt) {
  Server made = server(ServingEngine::transformers, 80, 14.19);
  const auto need = [&](const char* id) { return serving_need(test::model(id), made, 30'720, 1, calibrated()).total() / kGib; };
  EXPECT_NEAR(need("qwen2.5-7b"), 19.97 + 0.4, 0.03 * 20);
  made.behaviour.keeps_prompt_logits = true;
  EXPECT_NEAR(need("qwen2-7b"), 42.6, 0.03 * 42.6);
}

// ---- for every model of the catalog ----

TEST(MemoryCapacity, MoreWorkNeverNeedsLess) {
  for (const std::string& id : test::supported_models()) {
    const Architecture model = test::model(id);
    if (!model.takes_sequences()) continue;
    for (const ServingEngine engine : kAll) {
      const Server made = server(engine, 80, 10);
      const auto need = [&](double tokens, double sequences) { return serving_need(model, made, tokens, sequences, calibrated()).total(); };
      double before = 0;
      for (const double tokens : {1.0, 100.0, 5'000.0, 5'001.0, 200'000.0}) {
        const double now = need(tokens, 1);
        EXPECT_GE(now, before) << id << " " << tokens;
        EXPECT_GE(need(tokens, 2), now) << id;
        before = now;
      }
    }
  }
}

TEST(MemoryCapacity, MoreRanksNeverCostACardMoreCache) {
  for (const std::string& id : test::supported_models()) {
    const Architecture model = test::model(id);
    for (const LatentCache latent : {LatentCache::kept, LatentCache::expanded}) {
      double before = 1e30;
      for (const int ranks : {1, 2, 4, 8, 16}) {
        const double now = cache_cost(model, {.latent = latent, .tensor_parallel = ranks}).sequence_bytes(10'000);
        EXPECT_LE(now, before) << id << " on " << ranks;
        before = now;
      }
    }
  }
}

TEST(MemoryCapacity, ALargerFractionNeverLeavesLess) {
  const Architecture model = test::model("gpt-oss-20b");
  for (const ServingEngine engine : kAll) {
    Server made = server(engine, 24, 13);
    double before = -1e30;
    for (const double fraction : {0.3, 0.5, 0.7, 0.9, 0.98, 1.0}) {
      made.settings.memory_fraction = fraction;
      const Pool pool = serving_pool(model, made, calibrated());
      EXPECT_GE(pool.bytes, before);
      EXPECT_GE(pool.worker_bytes, pool.bytes);
      EXPECT_LE(pool.reserved_bytes, pool.card_bytes);
      before = pool.bytes;
    }
  }
}

}  // namespace
}  // namespace rigsizer
