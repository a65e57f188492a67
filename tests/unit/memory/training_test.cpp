// Training memory by hand. Numbers are written as the arithmetic they come from.
#include "memory/training.h"

#include <gtest/gtest.h>

#include "reference/test_data.h"

namespace rigsizer {
namespace {

constexpr MemoryConstants kConstants{.context_bytes = 1000,
                                     .collectives_bytes = 500,
                                     .allocator_slack = 0,
                                     .logits_bytes_per_element = 16,
                                     .fused_loss_bytes_per_hidden = 6,
                                     .activation_scale = 1,
                                     .weights_scale = 1,
                                     .quantised_scale = 1};

MemoryLines lines(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout = {}) {
  return training_memory(sizes, task, job, layout, {.low = kConstants, .value = kConstants, .high = kConstants}).lines.value;
}
MemoryLines at(PeakMoment moment, const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout = {}) {
  TrainingTerms terms = training_terms(sizes, task, job, layout, kConstants);
  terms.moment = moment;
  return training_lines(terms);
}
Layout spread(int count, Layout::Shards shards) { return {.accelerators = count, .data_parallel = count, .shards = shards}; }

// Llama 3 8B: 32 layers, h 4096, q 4096, kv 2 x 1024, f 14336, vocabulary 128256, untied.
constexpr double kN = 8'030'261'248.0;
constexpr double kLayerWeights = 2.0 * 4096 * 4096 + 2 * 4096 * 1024 + 3.0 * 4096 * 14336 + 2 * 4096;
constexpr double kTables = 2 * 128256.0 * 4096;
constexpr double kLinears = 32.0 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3.0 * 4096 * 14336);
// Bytes one token leaves in one layer when everything is kept: 16 h + 12 q + 8 f.
constexpr double kWhole = 16 * 4096 + 12 * 4096 + 8 * 14336;

ModelSizes llama() { return test::sizes("llama-3-8b"); }

TEST(MemoryTraining, MixedPrecisionAdamWTakes18BytesPerParameterOnOneCard) {
  const MemoryLines m = at(PeakMoment::loss, llama(), Task::full, {});
  EXPECT_DOUBLE_EQ(m[Line::weights], kN * (4 + 2));
  EXPECT_DOUBLE_EQ(m[Line::gradients], kN * 4);
  EXPECT_DOUBLE_EQ(m[Line::optimizer], kN * 8);
}

TEST(MemoryTraining, FullShardingTakes16BytesOverTheShards) {
  const MemoryLines m = at(PeakMoment::loss, llama(), Task::full, {}, spread(8, Layout::Shards::full));
  EXPECT_DOUBLE_EQ(m[Line::weights] + m[Line::gradients] + m[Line::optimizer], kN * 16 / 8);
}

TEST(MemoryTraining, PureBf16AdamWTakes8BytesPerParameter) {
  const MemoryLines m = at(PeakMoment::loss, llama(), Task::full, {.precision = Precision::bf16_pure});
  EXPECT_DOUBLE_EQ(m[Line::weights], kN * 2);
  EXPECT_DOUBLE_EQ(m[Line::gradients], kN * 2);
  EXPECT_DOUBLE_EQ(m[Line::optimizer], kN * 4);
}

TEST(MemoryTraining, Fp32NeedsNoCast) {
  const MemoryLines m = at(PeakMoment::loss, llama(), Task::full, {.precision = Precision::fp32});
  EXPECT_DOUBLE_EQ(m[Line::weights], kN * 4);
  EXPECT_DOUBLE_EQ(m[Line::optimizer], kN * 8);
}

TEST(MemoryTraining, Fp16MixedStoresAsBf16Mixed) {
  const MemoryLines fp16 = lines(llama(), Task::full, {.precision = Precision::fp16_mixed});
  EXPECT_DOUBLE_EQ(fp16.total(), lines(llama(), Task::full, {.precision = Precision::bf16_mixed}).total());
}

TEST(MemoryTraining, EachOptimizerKeepsWhatItKeeps) {
  const auto state = [](Optimizer optimizer, Precision precision = Precision::bf16_mixed) {
    return at(PeakMoment::loss, llama(), Task::full, {.precision = precision, .optimizer = optimizer})[Line::optimizer];
  };
  EXPECT_DOUBLE_EQ(state(Optimizer::adamw), kN * 8);
  EXPECT_DOUBLE_EQ(state(Optimizer::adamw_8bit), kN * 2 * (1 + 4.0 / 256));
  EXPECT_DOUBLE_EQ(state(Optimizer::adamw_8bit, Precision::bf16_pure), kN * 2 * (1 + 4.0 / 256));
  EXPECT_DOUBLE_EQ(state(Optimizer::lion), kN * 4);
  EXPECT_DOUBLE_EQ(state(Optimizer::sgd_momentum), kN * 4);
  EXPECT_DOUBLE_EQ(state(Optimizer::sgd_momentum, Precision::bf16_pure), kN * 2);
}

TEST(MemoryTraining, AdafactorKeepsRowsAndColumns) {
  const double layer = 2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 14336) + 2 * 4096;
  const double tables = 2 * (128256 + 4096) + 4096;
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::full, {.optimizer = Optimizer::adafactor})[Line::optimizer], 4 * (32 * layer + tables));
}

TEST(MemoryTraining, RecomputationDecidesWhatIsKept) {
  const double tokens = 2 * 4096.0;
  const auto kept = [](Recompute recompute, Precision precision = Precision::bf16_mixed) {
    return at(PeakMoment::loss, llama(), Task::full,
              {.precision = precision, .micro_batch = 2, .sequence_tokens = 4096, .recompute = recompute})[Line::activations];
  };
  EXPECT_DOUBLE_EQ(kept(Recompute::none), tokens * 32 * kWhole);
  EXPECT_DOUBLE_EQ(kept(Recompute::full), tokens * (32 * 2 * 4096 + kWhole));
  EXPECT_DOUBLE_EQ(kept(Recompute::selective), tokens * (32 * (4 * 4096 + 4 * 4096 + 2 * 2048.0 + 2 * 14336 + 4 * 32) + kWhole));
  EXPECT_DOUBLE_EQ(kept(Recompute::none, Precision::fp32), 2 * tokens * 32 * kWhole);
  EXPECT_DOUBLE_EQ(kept(Recompute::full, Precision::fp32), tokens * (32 * 4 * 4096 + 2 * kWhole));
}

TEST(MemoryTraining, ASingleLayerIsNotRecomputed) {
  const ModelSizes one = sizes_of(test::architecture(test::small_config(R"({"num_hidden_layers": 1})")));
  const auto kept = [&](Recompute recompute) {
    return at(PeakMoment::loss, one, Task::full, {.sequence_tokens = 100, .recompute = recompute})[Line::activations];
  };
  EXPECT_DOUBLE_EQ(kept(Recompute::none), 100.0 * (16 * 64 + 12 * 64 + 8 * 256));
  EXPECT_DOUBLE_EQ(kept(Recompute::full), kept(Recompute::none)) << "it would be held whole and its input beside it";
}

TEST(MemoryTraining, LayerNormAndPlainMlpKeepLess) {
  const ModelSizes gpt2 = test::sizes("gpt2-xl");  // 48 layers, h = q = 1600, kv 2 x 1600, f 6400, 25 heads
  const double whole = 8 * 1600 + 4 * 1600 + 4 * 3200 + 4 * 6400 + 4 * 25;
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, gpt2, Task::full, {.sequence_tokens = 1024, .recompute = Recompute::none})[Line::activations],
                   1024.0 * 48 * whole);
}

TEST(MemoryTraining, ExpertsKeepDispatchedCopiesAndTheRouter) {
  const ModelSizes mixtral = test::sizes("mixtral-8x7b");  // 32 layers, h = q = 4096, f = 2 x 14336, 2 of 8 experts
  const double whole = 16 * 4096 + 12 * 4096 + 8 * (2 * 14336) + 4 * 2 * 4096 + 4 * 8;
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, mixtral, Task::full, {.sequence_tokens = 100, .recompute = Recompute::none})[Line::activations],
                   100.0 * 32 * whole);
}

TEST(MemoryTraining, Fp32DoublesDispatchedCopiesToo) {
  const ModelSizes mixtral = test::sizes("mixtral-8x7b");
  const double whole = 2 * (16 * 4096 + 12 * 4096 + 8 * (2 * 14336) + 4 * 2 * 4096) + 4 * 8;
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, mixtral, Task::full,
                      {.precision = Precision::fp32, .sequence_tokens = 100, .recompute = Recompute::none})[Line::activations],
                   100.0 * 32 * whole);
}

TEST(MemoryTraining, PlainLossHoldsLogitsAndFusedLossDoesNot) {
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::full, {.micro_batch = 3, .sequence_tokens = 1000})[Line::logits], 16 * 3000.0 * 128256);
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::full, {.sequence_tokens = 1000, .loss = Loss::fused})[Line::logits], 6 * 1000.0 * 4096);
}

TEST(MemoryTraining, TheOptimizerStepCopiesItsShardOnce) {
  const MemoryLines one = at(PeakMoment::step, llama(), Task::full, {});
  EXPECT_DOUBLE_EQ(one[Line::temporary], kN * 4);
  EXPECT_EQ(one[Line::activations], 0);
  EXPECT_EQ(one[Line::logits], 0);
  // hiyouga/LlamaFactory#1221: 4 B x 6.74e9 / 8 = 3.14 GiB asked for inside the step.
  const MemoryLines eight = at(PeakMoment::step, test::sizes("llama-2-7b"), Task::full, {}, spread(8, Layout::Shards::full));
  EXPECT_NEAR(eight[Line::temporary] / (1024.0 * 1024 * 1024), 3.14, 0.005);
  EXPECT_DOUBLE_EQ(at(PeakMoment::step, llama(), Task::full, {.precision = Precision::bf16_pure})[Line::temporary], kN * 2);
}

TEST(MemoryTraining, TheGreaterMomentIsReported) {
  const MemoryCalibration calibration{.low = kConstants, .value = kConstants, .high = kConstants};
  const auto moment = [&](double tokens) {
    return training_memory(llama(), Task::full, {.sequence_tokens = tokens, .loss = Loss::fused}, {}, calibration).moment;
  };
  EXPECT_EQ(moment(1), PeakMoment::step);
  EXPECT_EQ(moment(1e6), PeakMoment::loss);
  for (const double tokens : {1.0, 4096.0, 1e5}) {
    const TrainingJob job{.sequence_tokens = tokens};
    EXPECT_DOUBLE_EQ(lines(llama(), Task::full, job).total(),
                     std::max(at(PeakMoment::loss, llama(), Task::full, job).total(), at(PeakMoment::step, llama(), Task::full, job).total()));
  }
}

TEST(MemoryTraining, WithoutAccumulationGradientsAreAbsentAtTheLoss) {
  EXPECT_EQ(at(PeakMoment::loss, llama(), Task::full, {.accumulation_steps = 1})[Line::gradients], 0);
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::full, {.accumulation_steps = 2})[Line::gradients], kN * 4);
  EXPECT_DOUBLE_EQ(at(PeakMoment::step, llama(), Task::full, {.accumulation_steps = 1})[Line::gradients], kN * 4);
}

TEST(MemoryTraining, DdpKeepsWholeCopiesAndGradientBuckets) {
  const MemoryLines one = at(PeakMoment::loss, llama(), Task::full, {});
  const MemoryLines ddp = at(PeakMoment::loss, llama(), Task::full, {}, spread(8, Layout::Shards::ddp));
  EXPECT_DOUBLE_EQ(ddp[Line::weights], one[Line::weights]);
  EXPECT_DOUBLE_EQ(ddp[Line::optimizer], one[Line::optimizer]);
  EXPECT_DOUBLE_EQ(ddp[Line::activations], one[Line::activations]);
  EXPECT_DOUBLE_EQ(ddp[Line::temporary] - one[Line::temporary], kN * 4);
}

TEST(MemoryTraining, FullShardingGathersTwoLayersAndBothTables) {
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::full, {}, spread(8, Layout::Shards::full))[Line::temporary],
                   (2 * kLayerWeights + kTables) * 2);
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::full, {.precision = Precision::fp32}, spread(8, Layout::Shards::full))[Line::temporary],
                   (2 * kLayerWeights + kTables) * 4);
}

TEST(MemoryTraining, ALoraTrainsRankTimesInPlusOut) {
  const double attention = 32.0 * (2 * (4096 + 4096) + 2 * (4096 + 1024));
  const double mlp = 32.0 * 3 * (4096 + 14336);
  EXPECT_DOUBLE_EQ(adapter_parameters(llama(), {.lora_rank = 16, .lora_targets = LoraTargets::all_linear}), 16 * (attention + mlp));
  EXPECT_DOUBLE_EQ(adapter_parameters(llama(), {.lora_rank = 8, .lora_targets = LoraTargets::attention}), 8 * attention);
  EXPECT_DOUBLE_EQ(adapter_parameters(llama(), {.lora_rank = 16}), 41'943'040) << "as PEFT prints for rank 16 on all linears";
}

TEST(MemoryTraining, ALoraSkipsRoutedExperts) {
  const double attention = 32.0 * (2 * (4096 + 4096) + 2 * (4096 + 1024));
  EXPECT_DOUBLE_EQ(adapter_parameters(test::sizes("mixtral-8x7b"), {.lora_rank = 1}), attention);
}

TEST(MemoryTraining, LoraFreezesA16BitBaseAndTrainsAdaptersInFp32) {
  const double adapters = 16 * 32.0 * (2 * 8192 + 2 * 5120 + 3 * 18432);
  const MemoryLines m = at(PeakMoment::loss, llama(), Task::lora, {});
  EXPECT_DOUBLE_EQ(m[Line::weights], kN * 2);
  EXPECT_DOUBLE_EQ(m[Line::adapters], adapters * 4);
  EXPECT_DOUBLE_EQ(m[Line::gradients], adapters * 4);
  EXPECT_DOUBLE_EQ(m[Line::optimizer], adapters * 8);
  EXPECT_EQ(at(PeakMoment::loss, llama(), Task::full, {})[Line::adapters], 0);
}

TEST(MemoryTraining, QloraQuantisesLinearsOnlyAndDequantisesALayer) {
  const MemoryLines m = at(PeakMoment::loss, llama(), Task::qlora, {});
  EXPECT_DOUBLE_EQ(m[Line::weights], kLinears * 4.127 / 8 + (kN - kLinears) * 2);
  EXPECT_DOUBLE_EQ(m[Line::temporary], kLayerWeights * 2);
}

TEST(MemoryTraining, AttentionOnlyAdaptersKeepFewerInputs) {
  const TrainingJob job{.sequence_tokens = 100, .recompute = Recompute::none, .lora_targets = LoraTargets::attention};
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::lora, job)[Line::activations], 100.0 * 32 * (12 * 4096 + 8 * 4096 + 6 * 14336));
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::qlora, job)[Line::activations], 100.0 * 32 * (24 * 4096 + 8 * 4096 + 10 * 14336));
}

TEST(MemoryTraining, AFrozen4BitLinearKeepsItsInput) {
  const TrainingJob job{.sequence_tokens = 100, .recompute = Recompute::none};
  EXPECT_DOUBLE_EQ(
      at(PeakMoment::loss, llama(), Task::qlora, job)[Line::activations] - at(PeakMoment::loss, llama(), Task::lora, job)[Line::activations],
      100.0 * 32 * (12 * 4096 + 4 * 14336));
}

TEST(MemoryTraining, OverheadIsContextCollectivesAndSlack) {
  EXPECT_EQ(at(PeakMoment::loss, llama(), Task::full, {})[Line::overhead], 1000);
  EXPECT_EQ(at(PeakMoment::loss, llama(), Task::full, {}, spread(2, Layout::Shards::ddp))[Line::overhead], 1500);
  TrainingTerms terms = training_terms(llama(), Task::full, {}, {}, kConstants);
  const double allocated = training_lines(terms).total() - 1000;
  terms.constants.allocator_slack = 0.05;
  EXPECT_DOUBLE_EQ(training_lines(terms)[Line::overhead], 1000 + 0.05 * allocated);
}

// hiyouga/LlamaFactory#1221 and InternLM/xtuner#842: bytes per parameter decide.
TEST(MemoryTraining, SeventyBillionSharded16WaysTakes66GiBOfStates) {
  const MemoryLines m = at(PeakMoment::loss, test::sizes("llama-3-70b"), Task::full, {}, spread(16, Layout::Shards::full));
  EXPECT_NEAR((m[Line::weights] + m[Line::gradients] + m[Line::optimizer]) / (1024.0 * 1024 * 1024), 65.7, 0.1);
}

}  // namespace
}  // namespace rigsizer
