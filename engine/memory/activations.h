// What one token leaves behind in one layer for the backward pass, by code path.
//
// Bytes per token and layer at 16-bit compute (h hidden, q query width, k key + value width, f MLP width, a heads):
//   eager, RMS norms upcast to fp32       16 h + 12 q + 8 f     PyTorch as written: copies for norms and rotation
//   eager, LayerNorm                       8 h + 4 q + 4 k + 4 a, plain MLP 4 f
//   compiled                               8 h + 4 q + 2 k + 8 f, plain MLP 4 f + 4 a
//   fused kernels                          8 h + 4 q + 2 k + 6 f, plain MLP 4 f + 4 a
//   adapters on attention alone, eager    12 h + 8 q + 6 f      frozen products need no input of their own
//   the same with LayerNorm                6 h + 4 q + 4 k + 4 a, plain MLP 2 f
//   frozen 4- or 8-bit linears keep their input as well         + 12 h + 4 f
//   experts                                + 4 k h copies sent to and back from k experts, + 4 E router scores
//   attention without a flash kernel       + 5 a s scores, softmax and mask (9 a s in fp32)
//   recomputation: attention drops the scores; selective keeps 4 h + 4 q + k + 2 f; full keeps the layer's input, 2 h
// fp32 doubles all but row statistics and router. Llama 3.1 8B, eager, one token: 28 h + 8 f = 229,376 bytes per layer.
// Sources: Korthikanti et al. 2022 (arXiv 2205.05198) for the GPT block; sums over the modules of transformers, torchtitan
// and Megatron Core for the others, whose scales tests/calibrate fits.
#pragma once

#include "memory/job.h"
#include "memory/model_sizes.h"

namespace rigsizer {

/// Bytes per unit of width that one token leaves behind in one layer.
struct ActivationPath {
  double hidden = 0, query = 0, key_value = 0, mlp = 0, plain_mlp = 0, heads = 0, dispatched = 0, router = 0;
};

double bytes_per_token(const ActivationPath& path, const ActivationWidths& widths);

/// A layer kept whole.
ActivationPath whole_path(bool norm_upcasts, Task task, const TrainingJob& job);
/// What frozen quantised linears keep besides.
ActivationPath quantised_inputs(const TrainingJob& job);
/// What recomputation leaves of `whole`.
ActivationPath kept_path(const TrainingJob& job, const ActivationPath& whole);

/// Bytes of one value in the forward pass.
double compute_bytes(Precision precision);

}  // namespace rigsizer
