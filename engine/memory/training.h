// Memory of one accelerator that trains a model: pre-training, full fine-tuning, adapters on a frozen base.
//
// A step peaks at one of four moments on one of two pipeline stages, and the greatest is reported. Weights and optimizer state are
// there at each, gradients from the start where they outlive a micro-batch:
//   loss      kept activations + logits (+ a share of the working layer)
//   backward  kept activations + the layer being recomputed (+ a share of the logits)
//   end       all gradients + the layer being recomputed
//   step      all gradients + the optimizer's temporary copy
// The first stage of a 1F1B pipeline of p stages holds min(p, micro-batches) sets of activations, interleaving with v chunks
// 1 + (p - 1) / (p v) times as many; the last stage holds the logits.
// States are in states.h, what layers keep in activations.h. Tensor parallel divides matrices, tables, head and (with sequence
// parallel) activations; context parallel divides tokens; expert parallel divides experts.
// Beside the allocated bytes stand the allocator's slack (what it reserves beyond), the CUDA context and communication buffers.
//
// Llama 3 8B, AdamW, pure bf16, one accelerator: weights 14.96, gradients 14.96, optimizer 29.92 GiB.
// Sources: Korthikanti et al. 2022 (arXiv 2205.05198); Narayanan et al. 2021 (arXiv 2104.04473) for schedules.
#pragma once

#include <array>

#include "memory/activations.h"
#include "memory/constants.h"
#include "memory/job.h"
#include "memory/lines.h"
#include "memory/model_sizes.h"
#include "memory/states.h"

namespace rigsizer {

enum class PeakMoment : std::uint8_t { loss, backward, end, step };
/// Share of each that is alive at a moment; `overlap` is the calibrated share of the lesser beside the greater.
struct MomentShares {
  double kept = 0, working = 0, logits = 0;
};
MomentShares shares_at(PeakMoment moment, bool recomputes, double overlap);

enum class Stage : std::uint8_t { only, first, last };

/// Parameters of one kind on this accelerator.
struct ParameterGroup {
  double parameters = 0;
  double bits = 0;        ///< as kept
  double shards = 1;      ///< of weights
  double cast_bytes = 0;  ///< 16-bit copies of fp32 weights, per parameter
  // zero where frozen
  double gradient_bytes = 0, gradient_shards = 1;
  double optimizer_bytes = 0, optimizer_shards = 1;  ///< master weights and moments, per parameter
  double step_copy_bytes = 0;                        ///< per parameter, at the optimizer step
  double bucket_bytes = 0;                           ///< DDP's own copy of gradients, per parameter
};

/// Everything the lines are computed from; explain/ shows these.
struct TrainingTerms {
  // matrices, routed experts, the rest (tables, head, norms) of the model; adapters
  enum Group : std::uint8_t { linears, experts, others, adapters };
  std::array<ParameterGroup, 4> groups{};
  double factored_bytes = 0, factored_shards = 1;  ///< Adafactor: row and column sums in all
  bool gradients_at_loss = true;                   ///< they outlive a micro-batch
  // activations
  double tokens = 0;  ///< of one micro-batch on this accelerator
  double stage_layers = 1;
  double sets = 1;  ///< micro-batches held at once
  double tensor_parallel = 1;
  double hidden_parallel = 1;                ///< parts that norms and residuals are split into: tensor parallel with sequence parallel
  ActivationPath kept, whole;                ///< of every layer; of the one layer being recomputed
  ActivationPath kept_inputs, whole_inputs;  ///< the same, of quantised linears
  ActivationWidths widths;                   ///< summed over the stage's layers
  ActivationWidths layer_widths;             ///< of the layer with the largest working set
  bool recomputes = false;                   ///< else the working layer is one of the kept
  double gathered_hidden = 0;                ///< bytes per token and hidden unit gathered over tensor-parallel ranks
  double kept_layers = 1;                    ///< share of checkpoints that stay when they are offloaded
  Kernels kernels = Kernels::eager;
  double scale = 1;  ///< of their code path
  double vocabulary = 0, hidden = 0;
  double logit_bytes = 0;        ///< per token and vocabulary entry
  double loss_hidden_bytes = 0;  ///< per token and hidden unit
  // temporaries
  double gathered_parameters = 0, gathered_bytes = 0;  ///< full sharding: two layers, tables and head
  double dequantised_parameters = 0;                   ///< frozen quantised base: one matrix in 16 bits
  double product_parameters = 0;                       ///< fused kernels: matrix whose gradient waits to be added
  bool variable_lengths = false;
  bool talks = false;  ///< more than one accelerator
  Stage stage = Stage::only;
  PeakMoment moment = PeakMoment::loss;
  MemoryConstants constants;
};

/// Of the stage and at the moment that need most.
TrainingTerms training_terms(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout, const MemoryConstants& constants);
/// Lines at `terms.moment`.
MemoryLines training_lines(const TrainingTerms& terms);

struct TrainingMemory {
  BandedLines lines;
  PeakMoment moment = PeakMoment::loss;
  Stage stage = Stage::only;
};
TrainingMemory training_memory(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout,
                               const MemoryCalibration& calibration);

EstimateKind training_kind(Task task);

/// LoRA weights: r x (in + out) over the targets; DoRA one magnitude per output more.
double adapter_parameters(const ModelSizes& sizes, const TrainingJob& job);

}  // namespace rigsizer
