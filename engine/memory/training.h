// Memory of one accelerator that trains a language model: full fine-tuning, LoRA, QLoRA.
//
// A step peaks at one of two moments, and the greater one is reported:
//   at the loss: weights + optimizer state + all kept activations + logits (+ gradients while accumulating)
//   at the step: weights + optimizer state + gradients + the optimizer's temporary copy
//
// States per trainable parameter, AdamW: mixed precision 4 (fp32 weights) + 2 (16-bit copies) + 4 + 8 = 18 bytes on one
// card or under DDP, 16 / n when fully sharded; pure bf16 2 + 2 + 4. LoRA trains r (in + out) per target in fp32.
//
// Kept per token and layer, bytes (h hidden, q query width, f MLP width; eager PyTorch, flash attention): norms and attention,
// plus the MLP, plus 4 k h + 4 E where tokens are dispatched to k of E experts.
//   RMS norms with fp32 upcast             16 h + 12 q
//   LayerNorm                               8 h + 4 q + 4 kv + 4 heads
//   gated MLP, plain MLP                    8 f, 4 f
//   LoRA on attention only, RMS norms      12 h + 8 q, gated MLP 6 f
//   4-bit frozen linears keep their input  + 12 h + 4 f
//   selective recomputation                 4 h + 4 q + 2 kv + 2 f + 4 heads, + one layer whole
//   full recomputation                      2 h, + one layer whole
// Recomputation that would hold more than keeping everything (few layers, one much larger than the rest) counts as none.
// fp32 doubles all but the row statistics of attention and the router.
// Sources: Korthikanti et al. 2022 for the GPT block; the other rows were fitted on public runs of torchtitan, torchtune,
// PEFT and litgpt (see calibration.json).
#pragma once

#include "memory/constants.h"
#include "memory/job.h"
#include "memory/lines.h"
#include "memory/model_sizes.h"

namespace rigsizer {

/// Bytes per unit of width that one token leaves behind in one layer.
struct ActivationPath {
  double hidden = 0, query = 0, key_value = 0, mlp = 0, plain_mlp = 0, heads = 0, dispatched = 0, router = 0;
};

enum class PeakMoment { loss, step };

/// Everything the lines are computed from; explain/ shows these.
struct TrainingTerms {
  double shards = 1;  ///< parts the states are split into
  // frozen or trained base
  double quantised_parameters = 0, quantised_bits = 0;
  double plain_parameters = 0, weight_bytes = 0;  ///< per parameter
  double cast_bytes = 0;                          ///< 16-bit copies of fp32 weights, per parameter, unsharded
  // what is trained
  double trainable_parameters = 0;
  double adapter_weight_bytes = 0;  ///< per trainable parameter; 0 when the base itself is trained
  double gradient_bytes = 0;
  double optimizer_bytes = 0;  ///< per trainable parameter
  double factored_bytes = 0;   ///< Adafactor: row and column sums in all
  double step_copy_bytes = 0;  ///< per trainable parameter, at the optimizer step
  double bucket_bytes = 0;     ///< per trainable parameter: DDP's own gradient buckets
  bool gradients_kept = true;  ///< through the forward pass
  // activations
  double tokens = 0;
  ActivationPath kept_path, layer_path;
  ActivationWidths widths;        ///< summed over layers
  ActivationWidths layer_widths;  ///< of the layer with the largest working set; zero without recomputation
  double vocabulary = 0, hidden = 0;
  bool fused_loss = false;
  // temporaries
  double gathered_parameters = 0, gathered_bytes = 0;  ///< full sharding: two layers, tables and head
  double dequantised_parameters = 0;                   ///< QLoRA: one layer in 16 bits
  bool talks = false;                                  ///< more than one accelerator
  PeakMoment moment = PeakMoment::loss;
  MemoryConstants constants;
};

TrainingTerms training_terms(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout, const MemoryConstants& constants);
/// Lines at `terms.moment`.
MemoryLines training_lines(const TrainingTerms& terms);

/// Lines at whichever moment is greater; `moment` tells which.
struct TrainingMemory {
  BandedLines lines;
  PeakMoment moment = PeakMoment::loss;
};
TrainingMemory training_memory(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout,
                               const MemoryCalibration& calibration);

/// LoRA weights: r x (in + out) over the targets.
double adapter_parameters(const ModelSizes& sizes, const TrainingJob& job);

}  // namespace rigsizer
