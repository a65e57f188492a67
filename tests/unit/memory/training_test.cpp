// Training memory by hand. Numbers are written as the arithmetic they come from.
#include "memory/training.h"

#include <gtest/gtest.h>

#include <array>

#include "reference/test_data.h"

namespace rigsizer {
namespace {

constexpr MemoryConstants kConstants{.context_bytes = 1000,
                                     .collectives_bytes = 500,
                                     .slack_share = 0,
                                     .slack_variable_share = 0.5,
                                     .eager_scale = 1,
                                     .compiled_scale = 1,
                                     .fused_scale = 1,
                                     .quantised_input_scale = 1,
                                     .eager_logit_bytes = 16,
                                     .compiled_logit_bytes = 10,
                                     .fused_logit_bytes = 6,
                                     .fused_loss_bytes_per_hidden = 6,
                                     .overlap_share = 0,
                                     .product_gradient_bytes = 4};
constexpr MemoryCalibration kCalibration{.value = kConstants};

MemoryLines lines(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout = {}) {
  return training_memory(sizes, task, job, layout, kCalibration).lines.value;
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

TEST(MemoryTraining, MixedPrecisionAdamWTakes20BytesPerParameterOnOneCardAnd18WithFusedKernels) {
  const MemoryLines m = at(PeakMoment::loss, llama(), Task::full, {});
  EXPECT_DOUBLE_EQ(m[Line::weights], kN * 2);
  EXPECT_DOUBLE_EQ(m[Line::gradients], kN * (2 + 4));
  EXPECT_DOUBLE_EQ(m[Line::optimizer], kN * (4 + 8));
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::full, {.kernels = Kernels::fused})[Line::gradients], kN * 4);
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

TEST(MemoryTraining, Fp32NeedsNoCastAndAutocastDoes) {
  const MemoryLines m = at(PeakMoment::loss, llama(), Task::full, {.precision = Precision::fp32});
  EXPECT_DOUBLE_EQ(m[Line::weights], kN * 4);
  EXPECT_DOUBLE_EQ(m[Line::optimizer], kN * 8);
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::full, {.precision = Precision::bf16_autocast})[Line::weights], kN * (4 + 2));
}

TEST(MemoryTraining, LossScalingKeepsGradientsInFp16) {
  const MemoryLines m = at(PeakMoment::loss, llama(), Task::full, {.precision = Precision::fp16_mixed});
  EXPECT_DOUBLE_EQ(m[Line::weights] + m[Line::gradients] + m[Line::optimizer], kN * 16);
}

TEST(MemoryTraining, EachOptimizerKeepsWhatItKeeps) {
  const auto state = [](Optimizer optimizer, Precision precision = Precision::fp32) {
    return at(PeakMoment::loss, llama(), Task::full, {.precision = precision, .optimizer = optimizer})[Line::optimizer];
  };
  EXPECT_DOUBLE_EQ(state(Optimizer::adamw), kN * 8);
  EXPECT_DOUBLE_EQ(state(Optimizer::adamw_8bit), kN * 2 * (1 + 4.0 / 256));
  EXPECT_DOUBLE_EQ(state(Optimizer::adamw_8bit, Precision::bf16_pure), kN * 2 * (1 + 4.0 / 256));
  EXPECT_DOUBLE_EQ(state(Optimizer::lion), kN * 4);
  EXPECT_DOUBLE_EQ(state(Optimizer::sgd_momentum), kN * 4);
  EXPECT_DOUBLE_EQ(state(Optimizer::sgd_momentum, Precision::bf16_pure), kN * 2);
  EXPECT_EQ(state(Optimizer::sgd), 0);
  EXPECT_DOUBLE_EQ(state(Optimizer::muon), kLinears * 4 + (kN - kLinears) * 8) << "tables, head and norms stay with AdamW";
}

TEST(MemoryTraining, AdafactorKeepsRowsAndColumns) {
  const double layer = 2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 14336) + 2 * 4096;
  const double tables = 2 * (128256 + 4096) + 4096;
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::full, {.precision = Precision::fp32, .optimizer = Optimizer::adafactor})[Line::optimizer],
                   4 * (32 * layer + tables));
}

TEST(MemoryTraining, RecomputationDecidesWhatIsKept) {
  const double tokens = 2 * 4096.0;
  const auto kept = [](Recompute recompute, Precision precision = Precision::bf16_mixed) {
    return at(PeakMoment::backward, llama(), Task::full,
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
  EXPECT_EQ(at(PeakMoment::step, llama(), Task::full, {.step = Step::fused})[Line::temporary], 0);
}

TEST(MemoryTraining, TheGreatestMomentIsReported) {
  const auto moment = [&](double tokens, Recompute recompute) {
    return training_memory(llama(), Task::full, {.sequence_tokens = tokens, .recompute = recompute, .loss = Loss::fused}, {}, kCalibration).moment;
  };
  EXPECT_EQ(moment(1, Recompute::full), PeakMoment::step);
  EXPECT_EQ(moment(1e6, Recompute::full), PeakMoment::backward) << "without logits the recomputed layer weighs most";
  EXPECT_EQ(moment(1e6, Recompute::none), PeakMoment::loss);
  for (const double tokens : {1.0, 4096.0, 1e5}) {
    const TrainingJob job{.sequence_tokens = tokens};
    double most = 0;
    for (const PeakMoment each : {PeakMoment::loss, PeakMoment::backward, PeakMoment::end, PeakMoment::step}) {
      most = std::max(most, at(each, llama(), Task::full, job).total());
    }
    EXPECT_DOUBLE_EQ(lines(llama(), Task::full, job).total(), most);
  }
}

TEST(MemoryTraining, TheLesserOfLogitsAndWorkingLayerIsHeldInPart) {
  TrainingTerms terms = training_terms(llama(), Task::full, {.sequence_tokens = 1000}, {}, kConstants);
  terms.constants.overlap_share = 0.25;
  terms.moment = PeakMoment::loss;
  EXPECT_DOUBLE_EQ(training_lines(terms)[Line::activations], 1000.0 * (32 * 2 * 4096 + 0.25 * kWhole));
  terms.moment = PeakMoment::backward;
  EXPECT_DOUBLE_EQ(training_lines(terms)[Line::logits], 0.25 * 16 * 1000.0 * 128256);
}

TEST(MemoryTraining, WithoutAccumulationGradientsAreAbsentAtTheLoss) {
  const auto gradients = [](PeakMoment moment, double steps) {
    return at(moment, llama(), Task::full, {.precision = Precision::bf16_pure, .accumulation_steps = steps})[Line::gradients];
  };
  EXPECT_EQ(gradients(PeakMoment::loss, 1), 0);
  EXPECT_DOUBLE_EQ(gradients(PeakMoment::loss, 2), kN * 2);
  EXPECT_DOUBLE_EQ(gradients(PeakMoment::step, 1), kN * 2);
  EXPECT_DOUBLE_EQ(at(PeakMoment::loss, llama(), Task::full, {.accumulation_steps = 1})[Line::gradients], kN * 6) << "mixed recipes keep buffers";
  EXPECT_EQ(at(PeakMoment::loss, llama(), Task::full, {.accumulation_steps = 1}, spread(8, Layout::Shards::full))[Line::gradients], 0);
}

TEST(MemoryTraining, DdpKeepsWholeCopiesAndGradientBuckets) {
  const TrainingJob job{.precision = Precision::fp32};
  const MemoryLines one = at(PeakMoment::loss, llama(), Task::full, job);
  const MemoryLines ddp = at(PeakMoment::loss, llama(), Task::full, job, spread(8, Layout::Shards::ddp));
  EXPECT_DOUBLE_EQ(ddp[Line::weights], one[Line::weights]);
  EXPECT_DOUBLE_EQ(ddp[Line::optimizer], one[Line::optimizer]);
  EXPECT_DOUBLE_EQ(ddp[Line::activations], one[Line::activations]);
  EXPECT_DOUBLE_EQ(ddp[Line::temporary] - one[Line::temporary], kN * 4);
  EXPECT_EQ(at(PeakMoment::loss, llama(), Task::full, {}, spread(8, Layout::Shards::ddp))[Line::temporary], 0) << "reduced where they are kept";
}

TEST(MemoryTraining, EachShardingStageDividesOneMoreState) {
  const TrainingJob job{.precision = Precision::fp16_mixed};
  const auto states = [&](Layout::Shards shards) {
    const MemoryLines m = at(PeakMoment::loss, llama(), Task::full, job, spread(8, shards));
    return std::array{m[Line::weights] / kN, m[Line::gradients] / kN, m[Line::optimizer] / kN};
  };
  EXPECT_EQ(states(Layout::Shards::zero1), (std::array{2.0, 2.0, 12.0 / 8}));
  EXPECT_EQ(states(Layout::Shards::zero2), (std::array{2.0, 2.0 / 8, 12.0 / 8}));
  EXPECT_EQ(states(Layout::Shards::full), (std::array{4.0 / 8, 4.0 / 8, 8.0 / 8}));
}

TEST(MemoryTraining, TheFirstPipelineStageHoldsAsManyMicroBatchesAsStages) {
  const Layout four{.accelerators = 4, .pipeline_parallel = 4};
  const TrainingJob job{.sequence_tokens = 1000, .accumulation_steps = 8, .recompute = Recompute::none, .loss = Loss::fused};
  TrainingTerms first = training_terms(llama(), Task::full, job, four, kConstants);
  EXPECT_EQ(first.stage, Stage::first);
  EXPECT_EQ(first.sets, 4);
  EXPECT_EQ(first.stage_layers, 8);
  first.moment = PeakMoment::loss;
  EXPECT_DOUBLE_EQ(training_lines(first)[Line::activations], 4 * 1000.0 * 8 * kWhole);
  Layout interleaved = four;
  interleaved.virtual_stages = 2;
  EXPECT_DOUBLE_EQ(training_terms(llama(), Task::full, job, interleaved, kConstants).sets, 4 * (1 + 3.0 / 8));
}

TEST(MemoryTraining, TensorParallelDividesNormsOnlyWithSequenceParallel) {
  const TrainingJob job{.sequence_tokens = 100, .recompute = Recompute::none};
  const auto kept = [&](bool sequence_parallel) {
    return at(PeakMoment::loss, llama(), Task::full, job,
              {.accelerators = 2, .tensor_parallel = 2, .sequence_parallel = sequence_parallel})[Line::activations];
  };
  EXPECT_DOUBLE_EQ(kept(true), 100.0 * 32 * kWhole / 2);
  EXPECT_DOUBLE_EQ(kept(false), 100.0 * 32 * (16 * 4096 + (12 * 4096 + 8 * 14336) / 2.0));
}

TEST(MemoryTraining, WhatIsOffloadedLeavesTheCard) {
  const auto m = [](Offload offload) { return at(PeakMoment::step, llama(), Task::full, {.offload = offload}); };
  EXPECT_EQ(m({.optimizer = true})[Line::optimizer], 0);
  EXPECT_EQ(m({.optimizer = true})[Line::temporary], 0) << "the update runs on the host";
  EXPECT_EQ(m({.gradients = true})[Line::gradients], 0);
  EXPECT_EQ(m({.parameters = true})[Line::weights], 0);
}

TEST(MemoryTraining, LengthsThatVaryLeaveHolesInTheAllocator) {
  const MemoryLines m = at(PeakMoment::loss, llama(), Task::full, {.sequence_tokens = 1000, .lengths = Lengths::variable});
  EXPECT_DOUBLE_EQ(m[Line::allocator], 0.5 * (m[Line::activations] + m[Line::logits]));
}

TEST(MemoryTraining, FullShardingGathersTwoLayersAndBothTables) {
  const auto temporary = [](PeakMoment moment, Precision precision) {
    return at(moment, llama(), Task::full, {.precision = precision}, spread(8, Layout::Shards::full))[Line::temporary];
  };
  EXPECT_DOUBLE_EQ(temporary(PeakMoment::backward, Precision::bf16_mixed), (2 * kLayerWeights + kTables) * 2);
  EXPECT_DOUBLE_EQ(temporary(PeakMoment::backward, Precision::fp32), (2 * kLayerWeights + kTables) * 4);
  EXPECT_DOUBLE_EQ(temporary(PeakMoment::loss, Precision::bf16_mixed), (2 * kLayerWeights + kTables) * 2);
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

TEST(MemoryTraining, QloraQuantisesLinearsOnlyAndDequantisesAMatrix) {
  const MemoryLines m = at(PeakMoment::loss, llama(), Task::qlora, {});
  EXPECT_DOUBLE_EQ(m[Line::weights], kLinears * (4 + 8.0 / 64 + 32.0 / (64 * 256)) / 8 + (kN - kLinears) * 2);
  EXPECT_DOUBLE_EQ(m[Line::temporary], 4096.0 * 14336 * 2);
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
  terms.constants.slack_share = 0.05;
  EXPECT_DOUBLE_EQ(training_lines(terms)[Line::allocator], 0.05 * allocated);
  EXPECT_EQ(training_lines(terms)[Line::overhead], 1000);
}

// hiyouga/LlamaFactory#1221 and InternLM/xtuner#842: bytes per parameter decide.
TEST(MemoryTraining, SeventyBillionSharded16WaysTakes66GiBOfStates) {
  const MemoryLines m = at(PeakMoment::loss, test::sizes("llama-3-70b"), Task::full, {}, spread(16, Layout::Shards::full));
  EXPECT_NEAR((m[Line::weights] + m[Line::gradients] + m[Line::optimizer]) / (1024.0 * 1024 * 1024), 65.7, 0.1);
}

}  // namespace
}  // namespace rigsizer
