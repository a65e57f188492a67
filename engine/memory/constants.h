// Calibrated numbers the memory formulas need and physics does not give. Values live in catalog/calibration.json.
#pragma once

#include <array>
#include <string_view>

namespace rigsizer {

/// One level (low, value or high) of every constant. A band is the same computation at the low and the high level.
struct MemoryConstants {
  // training
  double context_bytes = 0;             ///< CUDA context and kernels of one process
  double collectives_bytes = 0;         ///< communication buffers of one process once it talks to others
  double allocator_slack = 0;           ///< reserved beyond allocated, as a share of allocated
  double logits_bytes_per_element = 0;  ///< plain loss, all live copies together
  double fused_loss_bytes_per_hidden = 0;
  double activation_scale = 0;  ///< spread of kept activations around the code path's sum
  // serving
  double body_tensors = 0;  ///< live MLP-wide temporaries of a prefill chunk
  double sampler_bytes_per_logit = 0;
  double serving_context_bytes = 0;  ///< context and communication of a serving process
  double graphs_bytes = 0;           ///< captured CUDA graphs
  double prefill_chunk_tokens = 0;
  double profiled_sequences = 0;  ///< sequences an engine profiles its sampler with at start
  // both
  double weights_scale = 0;    ///< 16- and 32-bit checkpoints against the parameter count
  double quantised_scale = 0;  ///< quantised checkpoints against the format's definition
};

struct ConstantName {
  std::string_view name;  ///< key in calibration.json
  double MemoryConstants::*member;
};

inline constexpr std::array<ConstantName, 14> kMemoryConstantNames{{
    {"train_context_bytes", &MemoryConstants::context_bytes},
    {"train_collectives_bytes", &MemoryConstants::collectives_bytes},
    {"train_allocator_slack", &MemoryConstants::allocator_slack},
    {"train_logits_bytes_per_element", &MemoryConstants::logits_bytes_per_element},
    {"train_fused_loss_bytes_per_hidden", &MemoryConstants::fused_loss_bytes_per_hidden},
    {"train_activation_scale", &MemoryConstants::activation_scale},
    {"serve_body_tensors", &MemoryConstants::body_tensors},
    {"serve_sampler_bytes_per_logit", &MemoryConstants::sampler_bytes_per_logit},
    {"serve_context_bytes", &MemoryConstants::serving_context_bytes},
    {"serve_graphs_bytes", &MemoryConstants::graphs_bytes},
    {"serve_prefill_chunk_tokens", &MemoryConstants::prefill_chunk_tokens},
    {"serve_profiled_sequences", &MemoryConstants::profiled_sequences},
    {"weights_scale", &MemoryConstants::weights_scale},
    {"quantised_weights_scale", &MemoryConstants::quantised_scale},
}};

struct MemoryCalibration {
  MemoryConstants low, value, high;
};

}  // namespace rigsizer
