// Serving memory by hand. Numbers are written as the arithmetic they come from.
#include "memory/serving.h"

#include <gtest/gtest.h>

#include "quantity/units.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

constexpr MemoryConstants kConstants{.body_tensors = 3,
                                     .sampler_bytes_per_logit = 40,
                                     .serving_context_bytes = 100,
                                     .graphs_bytes = 23,
                                     .prefill_chunk_tokens = 2048,
                                     .profiled_sequences = 256};

MemoryLines lines(const ModelSizes& sizes, const ServingJob& job, int tensor = 1, int data = 1) {
  return serving_lines(serving_terms(sizes, job, {.accelerators = tensor * data, .tensor_parallel = tensor, .data_parallel = data}, kConstants));
}

// Llama 3 8B: 32 layers, hidden 4096, 32 query and 8 key/value heads of 128, MLP 14336, vocabulary 128256, untied.
constexpr double kLlamaLinears = 32.0 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3.0 * 4096 * 14336);
constexpr double kLlamaTable = 128256.0 * 4096;
constexpr double kLlamaNorms = 32.0 * 2 * 4096 + 4096;

TEST(MemoryServing, SixteenBitWeightsTakeTwoBytesEach) {
  EXPECT_DOUBLE_EQ(lines(test::sizes("llama-3-8b"), {})[Line::weights], 2 * (kLlamaLinears + 2 * kLlamaTable + kLlamaNorms));
  EXPECT_NEAR(lines(test::sizes("llama-3-8b"), {})[Line::weights] / kGib, 14.96, 0.005);
}

TEST(MemoryServing, FormatsQuantiseLinearsAndKeepTablesAndNorms) {
  const double kept = 2 * (2 * kLlamaTable + kLlamaNorms);
  const auto weights = [](const WeightFormat& format) { return lines(test::sizes("llama-3-8b", format), {})[Line::weights]; };
  EXPECT_DOUBLE_EQ(weights(WeightFormat::int4), kLlamaLinears * (4 + 16.0 / 128 + 4.0 / 128) / 8 + kept);
  // One fp32 scale an output: queries and outputs of attention 4096 each, keys and values 1024, MLP 14336, 14336, 4096.
  EXPECT_DOUBLE_EQ(weights(WeightFormat::int8), kLlamaLinears + 32.0 * 4 * (2 * 4096 + 2 * 1024 + 2 * 14336 + 4096) + kept);
  EXPECT_DOUBLE_EQ(weights(WeightFormat::fp8), kLlamaLinears * (1 + 4.0 / (128 * 128)) + kept);
  EXPECT_DOUBLE_EQ(weights(WeightFormat::nf4), kLlamaLinears * (4 + 32.0 / 64) / 8 + kept);
  EXPECT_DOUBLE_EQ(weights(WeightFormat::fp16), weights(WeightFormat::bf16));
  EXPECT_DOUBLE_EQ(weights(WeightFormat::fp32), 2 * weights(WeightFormat::bf16));
  EXPECT_DOUBLE_EQ(weights(WeightFormat::mxfp4), weights(WeightFormat::bf16)) << "MXFP4 touches experts only";
}

TEST(MemoryServing, Mxfp4TouchesExpertsOnly) {
  const ModelSizes oss = test::sizes("gpt-oss-120b");
  // 36 layers x 128 experts x 3 matrices of 2880 x 2880, of 4 + 8/32 bits.
  const double experts = 36.0 * 128 * 3 * 2880 * 2880;
  EXPECT_EQ(oss.expert, experts);
  EXPECT_DOUBLE_EQ(lines(test::sizes("gpt-oss-120b", WeightFormat::mxfp4), {})[Line::weights], experts * 4.25 / 8 + 2 * (oss.total - experts));
}

TEST(MemoryServing, QuantisingACheckpointUntiesItsHead) {
  const ModelSizes tied = test::sizes("qwen2.5-0.5b");  // hidden 896, vocabulary 151936, tied
  const double copy = 151936.0 * 896 * 2;
  const auto weights = [](const WeightFormat& format) { return lines(test::sizes("qwen2.5-0.5b", format), {})[Line::weights]; };
  const double kept = 2 * (tied.total - tied.linear);
  EXPECT_DOUBLE_EQ(weights(WeightFormat::bf16), 2 * tied.linear + kept);
  EXPECT_DOUBLE_EQ(weights(WeightFormat::int4), tied.linear * 4.15625 / 8 + kept + copy);
  EXPECT_DOUBLE_EQ(weights(WeightFormat::fp8), tied.linear * (1 + 4.0 / (128 * 128)) + kept + copy);
  EXPECT_DOUBLE_EQ(weights(WeightFormat::nf4), tied.linear * 4.5 / 8 + kept) << "bitsandbytes converts in memory and keeps the tie";
}

TEST(MemoryServing, TensorParallelDividesLinearsTablesAndHeadButNotNorms) {
  const ModelSizes llama = test::sizes("llama-3-8b");
  EXPECT_DOUBLE_EQ(lines(llama, {}, 4)[Line::weights], 2 * (kLlamaLinears + 2 * kLlamaTable) / 4 + 2 * kLlamaNorms);
}

TEST(MemoryServing, TheCacheIsSequencesTimesTokensTimesKeysAndValues) {
  const ModelSizes llama = test::sizes("llama-3-8b");
  const double token = 32.0 * 2 * 8 * 128 * 2;
  EXPECT_EQ(lines(llama, {.context_tokens = 8192})[Line::kv_cache], 8192 * token);
  EXPECT_EQ(lines(llama, {.context_tokens = 8192})[Line::kv_cache], kGib);
  EXPECT_EQ(lines(llama, {.context_tokens = 8192, .concurrency = 5})[Line::kv_cache], 5 * 8192 * token);
  EXPECT_EQ(lines(llama, {.kv_format = KvFormat::fp8, .context_tokens = 8192})[Line::kv_cache], 8192 * token / 2);
  EXPECT_EQ(lines(llama, {.kv_format = KvFormat::int8, .context_tokens = 8192})[Line::kv_cache], 8192 * token / 2);
}

TEST(MemoryServing, WeightBitsDoNotChangeTheCache) {
  // vllm-project/vllm#22291: an int8 model still caches 57,344 B per token.
  const MemoryLines int8 = lines(test::sizes("qwen2.5-7b", WeightFormat::int8), {.context_tokens = 3072});
  EXPECT_EQ(int8[Line::kv_cache], 3072 * 57344.0);
}

TEST(MemoryServing, TheCacheGrowsInBlocksOfSixteen) {
  const ModelSizes llama = test::sizes("llama-3-8b");
  const auto cache = [&](double tokens) { return lines(llama, {.context_tokens = tokens})[Line::kv_cache] / 131072; };
  EXPECT_EQ(cache(1), 16);
  EXPECT_EQ(cache(16), 16);
  EXPECT_EQ(cache(17), 32);
  EXPECT_EQ(cache(1000), 1008);
}

TEST(MemoryServing, TensorParallelDividesTheCacheByHeads) {
  const ModelSizes llama = test::sizes("llama-3-8b");
  const double whole = 8192 * 131072.0;
  EXPECT_EQ(lines(llama, {}, 2)[Line::kv_cache], whole / 2);
  EXPECT_EQ(lines(llama, {}, 8)[Line::kv_cache], whole / 8);
}

TEST(MemoryServing, HeadsFewerThanRanksAreCopied) {
  const ModelSizes llama = test::sizes("llama-3-8b");  // 8 key/value heads
  EXPECT_EQ(lines(llama, {}, 16)[Line::kv_cache], lines(llama, {}, 8)[Line::kv_cache]);
  const ModelSizes qwen = test::sizes("qwen3-235b-a22b");  // 4 key/value heads
  EXPECT_EQ(lines(qwen, {}, 8)[Line::kv_cache], lines(qwen, {}, 4)[Line::kv_cache]);
}

TEST(MemoryServing, RanksHoldWholeHeads) {
  // Phi-2 style 10 heads of keys over 4 ranks: the fullest rank holds ceil(10 / 4) = 3.
  const ModelSizes sizes =
      sizes_of(test::architecture(test::small_config(R"({"num_attention_heads": 20, "head_dim": 8, "num_key_value_heads": 10})")));
  EXPECT_DOUBLE_EQ(kv_elements_per_rank(sizes, 100, 4), 4 * 100 * 3 * 2 * 8);
}

TEST(MemoryServing, ALatentIsCopiedToEveryRank) {
  const ModelSizes v3 = test::sizes("deepseek-v3");
  EXPECT_EQ(lines(v3, {.context_tokens = 4096}, 1)[Line::kv_cache], 4096 * 61.0 * 576 * 2);
  EXPECT_EQ(lines(v3, {.context_tokens = 4096}, 8)[Line::kv_cache], 4096 * 61.0 * 576 * 2);
}

TEST(MemoryServing, GptOssByBothWaysOfCounting) {
  const ModelSizes oss = test::sizes("gpt-oss-120b");
  EXPECT_EQ(2 * kv_elements_all_layers(oss, 1000, 1), 1000 * 73'728.0);                 // vLLM pages all layers alike
  EXPECT_EQ(2 * kv_elements_per_rank(oss, 1000, 1), 1000 * 36'864.0 + 128 * 36'864.0);  // windows honoured
  EXPECT_EQ(lines(oss, {.context_tokens = 1008})[Line::kv_cache], 1008 * 36'864.0 + 128 * 36'864.0);
}

TEST(MemoryServing, StatesAreHeldPerSequence) {
  const ModelSizes mamba = test::sizes("mamba-2.8b");
  const double state = 64 * (4.0 * 5120 * 16 + 2 * 5120 * 3);
  EXPECT_EQ(lines(mamba, {.concurrency = 7})[Line::state], 7 * state);
  EXPECT_EQ(lines(mamba, {.context_tokens = 1e6, .concurrency = 7})[Line::state], 7 * state);
  EXPECT_EQ(lines(mamba, {})[Line::kv_cache], 0);
}

TEST(MemoryServing, SequencesSpreadOverReplicasRoundedUp) {
  const ModelSizes llama = test::sizes("llama-3-8b");
  EXPECT_EQ(lines(llama, {.concurrency = 9}, 1, 4)[Line::kv_cache], 3 * kGib);
  EXPECT_EQ(lines(llama, {.concurrency = 1}, 1, 4)[Line::kv_cache], 1 * kGib);
}

TEST(MemoryServing, ActivationsAreAChunkOrTheSampler) {
  const ModelSizes llama = test::sizes("llama-3-8b");
  const double sampler = 40 * 128256.0 * 256;
  const double chunk = 2048 * 2 * 3 * (14336.0 + 4096);
  ASSERT_GT(sampler, chunk);
  EXPECT_EQ(lines(llama, {})[Line::activations], sampler);
  EXPECT_EQ(lines(llama, {.concurrency = 1000})[Line::activations], 40 * 128256.0 * 1000) << "more sequences than were profiled";
  const ModelSizes llama2 = test::sizes("llama-2-70b");  // vocabulary 32000, MLP 28672, hidden 8192
  EXPECT_EQ(lines(llama2, {})[Line::activations], 2048 * 2 * 3 * (28672.0 + 8192));
  EXPECT_EQ(lines(llama2, {}, 8)[Line::activations], std::max(2048 * 2 * 3 * (28672.0 / 8 + 8192), 40 * 32000.0 * 256));
}

TEST(MemoryServing, AShortContextMakesASmallChunk) {
  ModelSizes sizes = test::sizes("llama-2-70b");
  sizes.vocabulary = 1;
  EXPECT_EQ(lines(sizes, {.context_tokens = 100})[Line::activations], 100 * 2 * 3 * (28672.0 + 8192));
}

TEST(MemoryServing, OverheadIsContextAndGraphs) { EXPECT_EQ(lines(test::sizes("llama-3-8b"), {})[Line::overhead], 123); }

TEST(MemoryServing, TheBandComesFromItsKindAlone) {
  MemoryCalibration calibration{.value = kConstants};
  Certainty& paged = calibration.certainty[static_cast<std::size_t>(EstimateKind::serve_paged)];
  paged.spread[Line::weights] = 0.01;
  paged.reach_below = 1;
  paged.reach_above = 3;
  const BandedLines banded = serving_memory(test::sizes("llama-3-8b"), {}, {}, calibration);
  const double weights = banded.value[Line::weights];
  EXPECT_DOUBLE_EQ(banded.total().value, weights + kGib + 40 * 128256.0 * 256 + 123);
  EXPECT_DOUBLE_EQ(banded.total().low, banded.total().value - 0.01 * weights);
  EXPECT_DOUBLE_EQ(banded.total().high, banded.total().value + 0.03 * weights);
}

}  // namespace
}  // namespace rigsizer
