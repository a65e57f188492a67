// Memory of a model generating in plain PyTorch (transformers and kin): no pool, no chunks.
//
//   weights     = as in memory/serving.h
//   KV cache    = sequences x elements of (prompt + new tokens) x bytes per element
//   activations = prompt x sequences x 2 x body x (mlp + hidden)         while the prompt is processed
//   logits      = prompt x sequences x 6 x vocabulary                    16-bit and fp32, where all are kept
//   scores      = sequences x prompt^2 x heads x 8                       in place of activations, with eager attention
// The peak holds the greater of activations and logits: the layers' temporaries are gone when the head runs.
//
// Qwen2 7B, 30,720 tokens, all logits: 14.2 + 1.8 (KV) + 26.1 (logits) GiB; measured 42.6 with the process's own share.
// Source: Qwen speed tables (tests/measured/infer.csv).
#pragma once

#include "memory/serving.h"

namespace rigsizer {

/// One model run on whole prompts.
struct PlainRun {
  double sequences = 1, prompt_tokens = 0;
  double mlp_width = 0, hidden = 0, vocabulary = 0, heads = 0;
  bool keeps_prompt_logits = false;
  bool eager_attention = false;
};
struct PlainPeak {
  double layer_bytes = 0;   ///< temporaries of a layer, or its scores
  double logits_bytes = 0;  ///< of the prompt; both are not held at once
};
PlainPeak plain_peak(const PlainRun& run, const MemoryConstants& constants);

MemoryLines plain_serving_lines(const ModelSizes& sizes, const ServingJob& job, const MemoryConstants& constants);

}  // namespace rigsizer
