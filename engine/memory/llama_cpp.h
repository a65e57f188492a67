// Memory of llama.cpp and what is built on it: cells of cache, compute buffer of each device.
//
//   cells   full layers: context x slots;  windowed layers: min(context, window + micro-batch rounded up to 256) each slot
//   buffer  the larger of
//     logits   4 u (vocabulary + 2 hidden)                                    on the device with the output layer
//     layer    flash attention off   4 u (heads n + n + 4 hidden)
//              flash attention on    mask + 2 n w + 4 u (2 mlp + 2 dispatched + 4 hidden)
//              latent, flash on      mask + 2 n w + 2 n x + min(4 n p, cap) + 4 u x
//              latent, flash off     4 u n c + 4 n r + 2 cap
//     experts  one matrix of all experts, where they are copied from the host
//   u micro-batch, n context; mask 2 u n, or 4 u n c where c copies of the inputs feed a pipeline of cards; w elements of one
//   layer's cache where it is quantised (else 0); of a latent: r its width, x keys and values of all heads, p what the
//   up-projection puts out for them; cap the most attention temporaries may take (none: no limit).
//
// Mistral 7B, flash off, u 512: 164.0 MiB at 2,048 tokens, 2,144.0 MiB at 32,768. Qwen3 235B, flash on, u 4096: 2,502 MiB.
// Sources: buffers printed by ggerganov/llama.cpp and ikawrakow/ik_llama.cpp (tests/measured/infer.csv).
#pragma once

#include "model/architecture.h"

namespace rigsizer {

struct LlamaGraph {
  double context_tokens = 0;
  double micro_batch = 512;
  bool flash_attention = true;
  bool holds_output = true;        ///< the device with the output layer
  bool latent_kept = true;         ///< MLA models: the cache holds the latent, keys and values are expanded layer by layer
  bool cache_quantised = false;    ///< expanded to 16 bits before it is read
  double attention_cap_bytes = 0;  ///< most bytes of attention scores at once; 0: no cap
  double input_copies = 1;         ///< 4 where several cards work in a pipeline
  double copied_expert_bytes = 0;  ///< of one matrix of all experts, where they lie on the host and are copied over
};

/// Terms of one device, so that each can be shown; the buffer holds the largest.
struct ComputeBuffer {
  double logits_bytes = 0;
  double layer_bytes = 0;
  double expert_bytes = 0;

  [[nodiscard]] double bytes() const;
};

ComputeBuffer compute_buffer(const Architecture& model, const LlamaGraph& graph);

}  // namespace rigsizer
