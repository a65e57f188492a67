// What someone wants to run, every setting filled in.
#pragma once

#include <cstdint>

#include "memory/kv_format.h"

namespace rigsizer {

enum class Task : std::uint8_t { serve, full, lora, qlora };

/// How weights, gradients and optimizer state are kept.
///   mixed     16-bit weights, fp32 master weights beside the optimizer (Megatron, DeepSpeed; FSDP keeps the fp32 shards only)
///   pure      everything in bf16
///   autocast  fp32 weights, 16-bit copies cast on the fly
enum class Precision : std::uint8_t { bf16_mixed, bf16_pure, fp16_mixed, fp32, bf16_autocast, fp16_autocast };
enum class Optimizer : std::uint8_t { adamw, adamw_8bit, adafactor, lion, sgd_momentum, sgd, muon };
/// How the update is made: one multi-tensor pass with a temporary copy, one fused kernel, or tensor by tensor while the
/// backward pass runs, so that gradients never exist all at once.
enum class Step : std::uint8_t { foreach_copy, fused, in_backward };
/// attention: the attention core only. selective: keeps attention outputs and every second product. alternate: every
/// second layer whole.
enum class Recompute : std::uint8_t { none, attention, selective, alternate, full };
/// plain: whole logits, upcast to fp32. chunked: a part of the tokens at a time. fused: never materialised.
enum class Loss : std::uint8_t { plain, chunked, fused };
/// Where the layers' kernels come from: PyTorch as written, torch.compile, or hand-fused ones (Transformer Engine).
enum class Kernels : std::uint8_t { eager, compiled, fused };
enum class Sharding : std::uint8_t { automatic, ddp, full };
enum class LoraTargets : std::uint8_t { attention, all_linear, query_value };
/// Format of the frozen base under adapters.
enum class BaseFormat : std::uint8_t { bf16, fp32, int8, nf4, nf4_double, gptq4, gptq8 };
/// Batches of equal length (packed or cut) or of whatever length the samples have.
enum class Lengths : std::uint8_t { fixed, variable };

struct Offload {
  bool optimizer = false;    ///< state and update on the host
  bool paged = false;        ///< state moves to the host when the card is full
  bool gradients = false;    ///< handed to the host as they appear
  bool parameters = false;   ///< fetched layer by layer
  bool activations = false;  ///< checkpoints kept on the host
  friend bool operator==(const Offload&, const Offload&) = default;
};

/// The weight format is the model's: ModelSizes::weights.
struct ServingJob {
  KvFormat kv_format = KvFormat::bf16;
  double context_tokens = 8192;
  double concurrency = 1;            ///< sequences held at once, over all replicas
  double prompt_tokens = 0;          ///< of one sequence, processed at once by engines without chunks
  bool keeps_prompt_logits = false;  ///< transformers before 4.45: logits of every prompt token, 16-bit and fp32
  bool eager_attention = false;      ///< scores of a whole prompt exist at once, 16-bit, fp32 and their weights
  int cards_in_turn = 1;             ///< layers spread over cards that work one after another; lines are sums over them
};

struct TrainingJob {
  Precision precision = Precision::bf16_mixed;
  Optimizer optimizer = Optimizer::adamw;
  Step step = Step::foreach_copy;
  double micro_batch = 1;  ///< sequences per accelerator and micro-step
  double sequence_tokens = 2048;
  double accumulation_steps = 8;  ///< above 1, gradients stay in memory through the next forward pass
  Recompute recompute = Recompute::full;
  bool flash_attention = true;
  Loss loss = Loss::plain;
  Kernels kernels = Kernels::eager;
  Lengths lengths = Lengths::fixed;
  Sharding sharding = Sharding::automatic;
  Offload offload;
  BaseFormat base = BaseFormat::bf16;  ///< of the frozen weights under adapters
  double lora_rank = 16;
  LoraTargets lora_targets = LoraTargets::all_linear;
  bool dora = false;  ///< weight-decomposed adapters: one magnitude per output, and the merged product's copy
};

struct Job {
  Task task = Task::serve;
  ServingJob serving;
  TrainingJob training;
};

/// How one copy of the job is spread.
struct Layout {
  int accelerators = 1;
  int tensor_parallel = 1;  ///< ranks that share each matrix
  int data_parallel = 1;
  enum class Shards : std::uint8_t { none, ddp, zero1, zero2, full } shards = Shards::none;
  int context_parallel = 1;
  int pipeline_parallel = 1;
  int virtual_stages = 1;         ///< chunks of layers per pipeline stage; above 1: interleaved
  bool pipeline_overlap = true;   ///< 1F1B; false: one micro-batch walks through the stages alone
  bool sequence_parallel = true;  ///< with tensor parallel, in training: norms and residuals are divided as well
  int expert_parallel = 1;
  friend bool operator==(const Layout&, const Layout&) = default;

  /// Parts that sharded state is split into: context-parallel ranks hold the same weights, so they share in it.
  [[nodiscard]] int shard_degree() const { return data_parallel * context_parallel; }
};

}  // namespace rigsizer
