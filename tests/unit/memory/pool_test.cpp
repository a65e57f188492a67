// Pools of cache that engines were left with. Keys are those of public reports (repository#issue).
#include "memory/pool.h"

#include <gtest/gtest.h>

#include "memory/capacity.h"
#include "memory/weight_format.h"
#include "quantity/units.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

const MemoryConstants& calibrated() { return test::catalog().memory.value; }

double weights(const char* id, const WeightFormat& format, int ranks = 1) {
  return shard_bytes(weight_bytes(test::model(id), format), {.tensor_parallel = ranks});
}

Server server(ServingEngine engine, const CardTraits& card, double weights_bytes, EngineSettings settings, double longest = 0, int ranks = 1) {
  Server made;
  made.engine = engine;
  made.behaviour = behaviour_of(engine, EngineVersion{0, 8, 0});
  made.card = card;
  made.weights_bytes = weights_bytes;
  made.tensor_parallel = ranks;
  made.settings = settings_of(engine, made.behaviour, settings, card, longest);
  return made;
}

// ---- identities: with the terms a log prints, the pool is the one it prints ----

struct Printed {
  const char* report;
  const char* model;
  double card_gib, fraction;
  int ranks;
  double weights_gib, context_gib, activation_gib, pool_gib;
};
constexpr Printed kPrinted[] = {
    {"vllm#10517, 20,000 tokens", "llama-3.1-8b", 23.58, 0.90, 1, 14.99, 0.35, 2.07, 3.81},
    {"vllm#10517, 29,000 tokens", "llama-3.1-8b", 23.58, 0.90, 1, 14.99, 0.35, 2.99, 2.89},
    {"vllm#10511", "llama-3-8b", 79.21, 0.90, 1, 14.96, 1.79, 1.26, 53.28},
    {"vllm#16570", "qwen2.5-72b", 39.38, 0.95, 4, 34.43, 0.43, 2.51, 0.04},
    {"vllm#13882", "qwen2.5-7b", 8.00, 0.70, 1, 5.20, 0.03, 1.42, -1.05},
    {"vllm#13061, worker", "qwen2.5-14b", 23.55, 0.98, 2, 13.95, 0.25, 0.19, 8.69},
    {"vllm#15783", "qwen2.5-7b", 79.32, 0.80, 1, 15.53, 0.09, 1.72, 46.11},
};

/// Constants under which a server's activation peak is what was printed.
MemoryConstants printing(const Printed& row, const Server& made) {
  MemoryConstants constants;
  constants.serving_context_bytes = row.context_gib * kGib;
  constants.sampler_bytes_per_logit =
      row.activation_gib * kGib / (static_cast<double>(test::model(row.model).vocabulary) * made.settings.profiled_sequences);
  return constants;
}

TEST(MemoryPool, IsWhatTheLogsPrintFromTheTermsTheyPrint) {
  for (const Printed& row : kPrinted) {
    const Server made = server(ServingEngine::vllm, {row.card_gib * kGib}, row.weights_gib * kGib, {.memory_fraction = row.fraction}, 0, row.ranks);
    EXPECT_NEAR(serving_pool(test::model(row.model), made, printing(row, made)).bytes / kGib, row.pool_gib, 0.012) << row.report;
  }
}

struct PrintedTokens {
  const char* report;
  const char* model;
  int ranks;
  double pool_gib, rounding_gib, tokens;
};
TEST(MemoryPool, HoldsTheTokensTheLogsPrint) {
  constexpr PrintedTokens kRows[] = {
      {"vllm#15783", "qwen2.5-7b", 1, 46.11, 0.005, 863'440},
      {"vllm-recipes-kimi", "kimi-k2-thinking", 8, 46.80, 0.005, 715'072},
      {"vllm#21348, two halves of 8.23 GiB", "qwen3-235b-a22b", 4, 16.46, 0.01, 367'404},
  };
  for (const PrintedTokens& row : kRows) {
    Pool pool = serving_pool(test::model(row.model), server(ServingEngine::vllm, {80 * kGib}, 0, {}, 0, row.ranks), calibrated());
    pool.bytes = row.pool_gib * kGib;
    EXPECT_NEAR(cached_tokens(pool, 0), row.tokens, row.rounding_gib * kGib / pool.cost.full_bytes_per_token + pool.block_tokens) << row.report;
  }
}

// ---- predictions: no term printed ----

// vllm-project/vllm#13061
TEST(MemoryPool, FourteenBillionOnTwoCardsIsRefusedItsDefaultContext) {
  const char* const id = "deepseek-r1-distill-qwen-14b";
  const Server made = server(ServingEngine::vllm, {23.55 * kGib}, weights(id, WeightFormat::bf16, 2), {.memory_fraction = 0.98}, 131'072, 2);
  const Pool pool = serving_pool(test::model(id), made, calibrated());
  EXPECT_EQ(pool.cost.full_bytes_per_token, 98'304);
  EXPECT_NEAR(longest_context(pool, 131'072), 81'536, 0.03 * 81'536);
  EXPECT_LT(cached_tokens(pool, 131'072), 131'072);
  EXPECT_NEAR(pool.worker_bytes / kGib, 8.69, 0.03 * 8.69) << "the rank that does not sample has more";
  EXPECT_LT(pool.bytes, pool.worker_bytes);
}

// vllm-project/vllm#13882
TEST(MemoryPool, FourBitSevenBillionOnEightGigabytesNeedsAHigherFraction) {
  const Architecture qwen = test::model("qwen2.5-7b");
  const Server made = server(ServingEngine::vllm, {8.0 * kGib}, weights("qwen2.5-7b", WeightFormat::int4), {.memory_fraction = 0.7}, 4096);
  EXPECT_LT(serving_pool(qwen, made, calibrated()).bytes, 0);
  const Printed& printed = kPrinted[4];
  const auto least = least_fraction(qwen, made, 4096, printing(printed, made));
  ASSERT_TRUE(least);
  EXPECT_NEAR(*least, 0.86, 0.01);
}

// vllm-project/vllm#188
TEST(MemoryPool, MistralOnElevenGigabytesOnlyInFourBits) {
  const Architecture mistral = test::model("mistral-7b-v0.1");
  const CardTraits card{10.73 * kGib};
  const Server whole = server(ServingEngine::vllm, card, weights("mistral-7b-v0.1", WeightFormat::fp16), {}, 4096);
  EXPECT_FALSE(least_fraction(mistral, whole, 16, calibrated()));
  const Pool pool = serving_pool(mistral, server(ServingEngine::vllm, card, weights("mistral-7b-v0.1", WeightFormat::int4), {}, 4096), calibrated());
  EXPECT_GT(pool.bytes, 4 * kGib);
  EXPECT_EQ(pool.cost.short_bytes_per_token(), 128 * 1024);
}

// vllm-project/vllm#16712
TEST(MemoryPool, AllExpertsOfScoutMustBeResident) {
  const Architecture scout = test::model("llama-4-scout-17b-16e");
  const CardTraits card{93.0 * kGib, false, true};
  const auto pool = [&](WeightFormat format, int ranks) {
    return serving_pool(scout,
                        server(ServingEngine::vllm, card, weights("llama-4-scout-17b-16e", format, ranks), {.memory_fraction = 0.99}, 1000, ranks),
                        calibrated())
        .bytes;
  };
  EXPECT_LT(pool(WeightFormat::bf16, 2), 0);
  EXPECT_GT(pool(WeightFormat::bf16, 4), 0);
  EXPECT_GT(pool(WeightFormat::int4, 1), 0);
}

// hiyouga/LlamaFactory#6476
TEST(MemoryPool, FirstGenerationFourteenBillionIsRefusedOnThirtyTwoGigabytes) {
  const Server made = server(ServingEngine::vllm, {31.75 * kGib}, weights("qwen-14b", WeightFormat::fp16), {}, 4096);
  const Pool pool = serving_pool(test::model("qwen-14b"), made, calibrated());
  EXPECT_LT(cached_tokens(pool, 4096), 4096);
}

// alvarobartt/hf-mem#60, vllm-project/vllm#27508
TEST(MemoryPool, GptOssOnOneCardDoesNotStartItsDefaultContext) {
  const double weights_bytes = weights("gpt-oss-120b", WeightFormat::mxfp4);
  EXPECT_NEAR(weights_bytes / kGib, 60.8, 0.6);
  const Server made =
      server(ServingEngine::vllm, {79.2 * kGib, false, true}, weights_bytes, {.memory_fraction = 0.95, .profiled_sequences = 1024}, 131'072);
  const Pool pool = serving_pool(test::model("gpt-oss-120b"), made, calibrated());
  EXPECT_EQ(made.behaviour.windows, WindowedLayers::paged_alike);
  EXPECT_LT(longest_context(pool, 131'072), 131'072);
}

// SemiAnalysisAI/InferenceX#2128
TEST(MemoryPool, SglangNamesTheLeastStaticFraction) {
  const Architecture model = test::model("deepseek-v4-pro");
  const Server made = server(ServingEngine::sglang, {140.4 * kGib, false, true}, 125.65 * kGib, {.memory_fraction = 0.88}, 0, 8);
  EXPECT_LT(serving_pool(model, made, calibrated()).bytes, 0);
  const auto least = least_fraction(model, made, 1, calibrated());
  ASSERT_TRUE(least);
  EXPECT_NEAR(*least, 0.912, 0.006);
}

// vllm-project/vllm#21348: the same model on the same cards, in two engines
TEST(MemoryPool, SglangLeavesMoreThanVllmBecauseActivationsAreOutsideItsShare) {
  const Architecture qwen = test::model("qwen3-235b-a22b");
  const CardTraits h100{79.2 * kGib, false, true};
  const double weights_bytes = weights("qwen3-235b-a22b", WeightFormat::fp8, 4);
  const EngineSettings large{.profiled_sequences = 1024};
  const Pool vllm = serving_pool(qwen, server(ServingEngine::vllm, h100, weights_bytes, large, 40'960, 4), calibrated());
  const Pool sglang = serving_pool(qwen, server(ServingEngine::sglang, h100, weights_bytes, {.memory_fraction = 0.93}, 40'960, 4), calibrated());
  EXPECT_NEAR(vllm.bytes / kGib, 8.11, 0.12 * 8.11);
  EXPECT_NEAR(sglang.bytes / kGib, 16.46, 0.03 * 16.46);
}

// NVIDIA/TensorRT-LLM#1188
TEST(MemoryPool, TensorRtReservesFarMoreThanASmallModelNeeds) {
  const Architecture qwen = test::model("qwen2.5-0.5b");
  Server made = server(ServingEngine::tensorrt_llm, {15.6 * kGib}, 0.8545 * kGib, {});
  Pool pool = serving_pool(qwen, made, calibrated());
  EXPECT_NEAR((pool.body_bytes + pool.buffers_bytes) / kGib, 9.175, 0.05 * 9.175);
  EXPECT_NEAR(pool.bytes / kGib, 4.53, 0.08 * 4.53);
  EXPECT_NEAR(pool.reserved_bytes / kGib, 15, 0.03 * 15);
  EXPECT_LT(serving_need(qwen, made, 2048, 1, calibrated()).total(), 2 * kGb);
  pool.bytes = 4.53 * kGib;
  EXPECT_EQ(cached_tokens(pool, 0), 395'776);
  made.settings.profiled_sequences = 1;
  made.settings.chunk_tokens = 512;
  const Pool small = serving_pool(qwen, made, calibrated());
  EXPECT_LT(small.body_bytes + small.buffers_bytes, 0.06 * kGib);
}

// NVIDIA/TensorRT-LLM#1400
TEST(MemoryPool, TensorRtTakesNineTenthsOfWhatIsFree) {
  const Architecture llama = test::model("llama-2-7b");
  const Server made = server(ServingEngine::tensorrt_llm, {79.15 * kGib, true}, weights("llama-2-7b", WeightFormat::int8),
                             {.chunk_tokens = 2048, .profiled_sequences = 8});
  Pool pool = serving_pool(llama, made, calibrated());
  EXPECT_NEAR(pool.bytes / kGib, 64.75, 0.02 * 64.75);
  pool.bytes = 64.75 * kGib;
  EXPECT_EQ(cached_tokens(pool, 0), 132'608);
}

TEST(MemoryPool, GraphsCountAgainstTheBudgetOrComeOnTop) {
  const Architecture llama = test::model("llama-3-8b");
  Server made = server(ServingEngine::vllm, {40 * kGib}, 15 * kGib, {});
  const Pool on_top = serving_pool(llama, made, calibrated());
  made.behaviour.graphs_in_budget = true;
  const Pool inside = serving_pool(llama, made, calibrated());
  EXPECT_NEAR(on_top.bytes - inside.bytes, calibrated().graphs_bytes, 1);
  EXPECT_NEAR(on_top.reserved_bytes, 0.9 * 40 * kGib + calibrated().graphs_bytes, 1);
  EXPECT_NEAR(inside.reserved_bytes, 0.9 * 40 * kGib, 1);
}

// vllm-project/vllm#235 and #17891: a 7B "takes" 23 and 70 GB by design.
TEST(MemoryPool, WhatIsReservedIsNotWhatIsNeeded) {
  const Architecture llama = test::model("llama-2-7b");
  const Server made = server(ServingEngine::vllm, {79.15 * kGib, true}, weights("llama-2-7b", WeightFormat::fp16), {}, 4096);
  const ServingNeed need = serving_need(llama, made, 2048, 1, calibrated());
  EXPECT_GT(need.reserved_bytes, 70 * kGib);
  EXPECT_LT(need.total(), 15 * kGib);
  EXPECT_EQ(need.cache_bytes, 2048 * 524'288.0);
}

TEST(MemoryPool, LmdeploySharesTheCardOrWhatIsFree) {
  const Architecture llama = test::model("llama-2-7b");
  Server made = server(ServingEngine::lmdeploy, {80 * kGib}, 13 * kGib, {.memory_fraction = 0.5});
  made.behaviour.fraction_of_total = true;
  EXPECT_DOUBLE_EQ(serving_pool(llama, made, calibrated()).bytes, 40 * kGib);
  made.behaviour.fraction_of_total = false;
  EXPECT_DOUBLE_EQ(serving_pool(llama, made, calibrated()).bytes, 0.5 * (67 * kGib - calibrated().serving_context_bytes));
}

// huggingface/text-generation-inference#653
TEST(MemoryPool, TgiKeepsATwentiethOfTheRestFree) {
  const Server made = server(ServingEngine::tgi, {22 * kGib}, weights("llama-2-7b", WeightFormat::fp16), {});
  EXPECT_NEAR(cached_tokens(serving_pool(test::model("llama-2-7b"), made, calibrated()), 0), 16'224, 0.05 * 16'224);
}

}  // namespace
}  // namespace rigsizer
