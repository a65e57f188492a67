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
  EXPECT_EQ(cache_bytes(pool, 17, 2), 2 * 32 * 10);
  EXPECT_EQ(cached_tokens(pool_of(cost, 159, 16), 0), 0);
  EXPECT_EQ(cached_tokens(pool_of(cost, -5, 16), 0), 0);
}

TEST(MemoryCapacity, WindowsAndStatesLeaveLongContextsCheap) {
  CacheCost cost;
  cost.full_bytes_per_token = 1;
  cost.windowed.push_back({100, 9});
  cost.state_bytes = 50;
  EXPECT_EQ(cost.sequence_bytes(10), 150);
  EXPECT_EQ(cost.sequence_bytes(1000), 1000 + 900 + 50);
}

// vllm-project/vllm#13061: two cards of 23.55 GiB, fraction .98. Ranks' pools do not add.
TEST(MemoryCapacity, TheLongestContextOfFourteenBillionOnTwoCards) {
  const ServingJob job{
      .behaviour = behaviour_of(ServingEngine::vllm, EngineVersion{0, 7, 0}), .settings = {.memory_fraction = 0.98}, .context_tokens = 131'072};
  const Layout two{.accelerators = 2, .tensor_parallel = 2};
  const ServingCapacity capacity = serving_capacity(test::sizes("deepseek-r1-distill-qwen-14b"), job, two, calibrated(), {23.55 * kGib});
  EXPECT_NEAR(capacity.longest_context_tokens, 81'536, 0.03 * 81'536);
  EXPECT_EQ(capacity.highest_concurrency, 0);
}

// vllm-project/vllm#40691: where layers differ the line of tokens is concurrency x longest length, not a capacity.
TEST(MemoryCapacity, PrintedTokensOfMixedModelsAreConcurrencyTimesLength) {
  CacheCost cost;
  cost.full_bytes_per_token = 1;
  cost.state_bytes = 1000;
  EXPECT_EQ(cached_tokens(pool_of(cost, 10'000, 1), 4000), 8000);
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
    EXPECT_GE(enough.bytes, cache_bytes(enough, 8192, 1));
    made.settings.memory_fraction = *least - 2e-4;
    EXPECT_LT(serving_pool(llama, made, calibrated()).bytes, cache_bytes(enough, 8192, 1));
  }
}

// Qwen speed tables: Qwen2 7B at 30,720 tokens, 42.6 GiB where logits of the prompt are kept, 19.97 for Qwen2.5 where not.
TEST(MemoryCapacity, OldTransformersNeedTheLogitsOfAWholePrompt) {
  ServingJob job{.engine = ServingEngine::transformers, .behaviour = {}, .context_tokens = 30'720};
  const auto need = [&](const char* id) { return serving_capacity(test::sizes(id), job, {}, calibrated(), {80 * kGib}).needed_bytes / kGib; };
  EXPECT_NEAR(need("qwen2.5-7b"), 19.97 + 0.4, 0.03 * 20);
  job.behaviour.keeps_prompt_logits = true;
  EXPECT_NEAR(need("qwen2-7b"), 42.6, 0.03 * 42.6);
}

// ---- for every model of the catalog ----

TEST(MemoryCapacity, MoreWorkNeverNeedsLess) {
  for (const std::string& id : test::supported_models()) {
    const ModelSizes sizes = test::sizes(id);
    for (const ServingEngine engine : kAll) {
      const auto need = [&](double tokens, double sequences) {
        const ServingJob job{.engine = engine, .behaviour = behaviour_of(engine, std::nullopt), .context_tokens = tokens, .concurrency = sequences};
        return serving_lines(serving_terms(sizes, job, {}, calibrated())).total();
      };
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

// What capacity says fits must fit, and no more: one block or one sequence on top does not.
TEST(MemoryCapacity, TheLongestContextAndTheMostSequencesAreThoseThatJustFit) {
  int compared = 0;
  for (const char* const id : {"llama-3-8b", "gpt-oss-20b", "gemma-2-9b", "deepseek-v2-lite"}) {
    const ModelSizes sizes = test::sizes(id, WeightFormat::int4);
    for (const ServingEngine engine : kAll) {
      const CardTraits card{24 * kGib};
      ServingJob job{.engine = engine, .behaviour = behaviour_of(engine, std::nullopt), .context_tokens = 4096, .concurrency = 2};
      const auto room = [&] {
        const ServingTerms terms = serving_terms(sizes, job, {}, calibrated(), card);
        const MemoryLines lines = serving_lines(terms);
        return serving_limit_bytes(terms, lines) - lines.total();
      };
      const ServingCapacity capacity = serving_capacity(sizes, job, {}, calibrated(), card);
      const std::string what = std::string{id} + " " + std::string{kServingEngineNames.at(static_cast<std::size_t>(engine))};
      const double most_tokens = static_cast<double>(sizes.architecture.max_context_tokens);
      if (capacity.highest_concurrency >= 1) {
        job.concurrency = capacity.highest_concurrency;
        EXPECT_GE(room(), 0) << what;
        job.concurrency += 1;
        const bool waits = capacity.highest_concurrency == serving_terms(sizes, job, {}, calibrated(), card).server.settings.profiled_sequences - 1;
        EXPECT_TRUE(waits || room() < 0) << what;
        ++compared;
      }
      job.concurrency = 2;
      if (capacity.longest_context_tokens >= 1) {
        job.context_tokens = capacity.longest_context_tokens;
        EXPECT_GE(room(), 0) << what;
        job.context_tokens += 1;
        EXPECT_TRUE(capacity.longest_context_tokens == most_tokens || room() < 0) << what;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 50);
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
