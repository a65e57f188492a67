// What someone wants to run, every setting filled in.
#pragma once

#include "memory/formats.h"

namespace rigsizer {

enum class Task { serve, full, lora, qlora };
enum class Precision { bf16_mixed, bf16_pure, fp16_mixed, fp32 };
enum class Optimizer { adamw, adamw_8bit, adafactor, lion, sgd_momentum };
enum class Recompute { none, selective, full };
enum class Loss { plain, fused };
enum class Sharding { automatic, ddp, full };
enum class LoraTargets { attention, all_linear };

struct ServingJob {
  WeightFormat weight_format = WeightFormat::bf16;
  KvFormat kv_format = KvFormat::bf16;
  double context_tokens = 8192;
  double concurrency = 1;  ///< sequences held at once, over all replicas
};

struct TrainingJob {
  Precision precision = Precision::bf16_mixed;
  Optimizer optimizer = Optimizer::adamw;
  double micro_batch = 1;  ///< sequences per accelerator and micro-step
  double sequence_tokens = 2048;
  double accumulation_steps = 8;  ///< above 1, gradients stay in memory through the next forward pass
  Recompute recompute = Recompute::full;
  Loss loss = Loss::plain;
  Sharding sharding = Sharding::automatic;
  double lora_rank = 16;
  LoraTargets lora_targets = LoraTargets::all_linear;
};

struct Job {
  Task task = Task::serve;
  ServingJob serving;
  TrainingJob training;
};

/// How one machine runs it.
struct Layout {
  int accelerators = 1;
  int tensor_parallel = 1;
  int data_parallel = 1;
  enum class Shards { none, ddp, full } shards = Shards::none;
  friend bool operator==(const Layout&, const Layout&) = default;
};

}  // namespace rigsizer
