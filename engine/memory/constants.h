// Calibrated numbers the memory formulas need and physics does not give. Values live in catalog/calibration.json, fitted by
// tests/calibrate from tests/measured.
#pragma once

#include <array>
#include <string_view>

#include "memory/lines.h"

namespace rigsizer {

struct MemoryConstants {
  // training: one process
  double context_bytes = 0;         ///< CUDA context and kernels
  double collectives_bytes = 0;     ///< communication buffers once it talks to others
  double slack_share = 0;           ///< reserved beyond allocated, as a share of allocated
  double slack_variable_share = 0;  ///< the same of what grows with the tokens, when their number varies
  // training: kept values, as factors of the sum over each code path
  double eager_scale = 0, compiled_scale = 0, fused_scale = 0;
  double quantised_input_scale = 0;  ///< of the inputs that frozen 4- and 8-bit linears keep
  // training: the loss, bytes per logit with all live copies together
  double eager_logit_bytes = 0, compiled_logit_bytes = 0, fused_logit_bytes = 0;
  double fused_loss_bytes_per_hidden = 0;
  double overlap_share = 0;           ///< of the lesser of logits and working layer that is held with the greater
  double product_gradient_bytes = 0;  ///< temporary of one weight gradient, per weight of the largest matrix
  // serving
  double body_tensors = 0;  ///< live MLP-wide temporaries of a prefill chunk
  double sampler_bytes_per_logit = 0;
  double serving_context_bytes = 0;  ///< context and communication of a serving process
  double hopper_context_bytes = 0;   ///< the same on H100 and data-centre cards after it
  double graphs_bytes = 0;           ///< captured CUDA graphs
  double prefill_chunk_tokens = 0;
  double profiled_sequences = 0;       ///< sequences an engine profiles its sampler with at start
  double execution_tensors = 0;        ///< live MLP-wide temporaries of a TensorRT engine
  double decoder_bytes_per_logit = 0;  ///< TensorRT-LLM's runtime and decoder buffers, per vocabulary entry and sequence
};

struct ConstantName {
  std::string_view name;  ///< key in calibration.json
  double MemoryConstants::*member;
};

inline constexpr std::array kMemoryConstantNames{
    ConstantName{"train_context_bytes", &MemoryConstants::context_bytes},
    ConstantName{"train_collectives_bytes", &MemoryConstants::collectives_bytes},
    ConstantName{"train_slack_share", &MemoryConstants::slack_share},
    ConstantName{"train_slack_variable_share", &MemoryConstants::slack_variable_share},
    ConstantName{"train_eager_scale", &MemoryConstants::eager_scale},
    ConstantName{"train_compiled_scale", &MemoryConstants::compiled_scale},
    ConstantName{"train_fused_scale", &MemoryConstants::fused_scale},
    ConstantName{"train_quantised_input_scale", &MemoryConstants::quantised_input_scale},
    ConstantName{"train_eager_logit_bytes", &MemoryConstants::eager_logit_bytes},
    ConstantName{"train_compiled_logit_bytes", &MemoryConstants::compiled_logit_bytes},
    ConstantName{"train_fused_logit_bytes", &MemoryConstants::fused_logit_bytes},
    ConstantName{"train_fused_loss_bytes_per_hidden", &MemoryConstants::fused_loss_bytes_per_hidden},
    ConstantName{"train_overlap_share", &MemoryConstants::overlap_share},
    ConstantName{"train_product_gradient_bytes", &MemoryConstants::product_gradient_bytes},
    ConstantName{"serve_body_tensors", &MemoryConstants::body_tensors},
    ConstantName{"serve_sampler_bytes_per_logit", &MemoryConstants::sampler_bytes_per_logit},
    ConstantName{"serve_context_bytes", &MemoryConstants::serving_context_bytes},
    ConstantName{"serve_hopper_context_bytes", &MemoryConstants::hopper_context_bytes},
    ConstantName{"serve_graphs_bytes", &MemoryConstants::graphs_bytes},
    ConstantName{"serve_prefill_chunk_tokens", &MemoryConstants::prefill_chunk_tokens},
    ConstantName{"serve_profiled_sequences", &MemoryConstants::profiled_sequences},
    ConstantName{"serve_execution_tensors", &MemoryConstants::execution_tensors},
    ConstantName{"serve_decoder_bytes_per_logit", &MemoryConstants::decoder_bytes_per_logit},
};

/// Estimates of one kind are wrong alike, so each kind has its own certainty.
enum class EstimateKind : std::uint8_t { train_full, train_lora, train_qlora, serve_paged, serve_llama_cpp, serve_plain, media };
inline constexpr std::array<std::string_view, 7> kEstimateKindNames{"train_full",      "train_lora",  "train_qlora", "serve_paged",
                                                                    "serve_llama_cpp", "serve_plain", "media"};

/// Names of the lines, here because the spread of each is a constant: spread_KIND_LINE.
inline constexpr std::array<std::string_view, kLineCount> kLineNames{"weights",  "adapters", "gradients", "optimizer", "activations", "logits",
                                                                     "kv_cache", "state",    "temporary", "allocator", "overhead"};

struct MemoryCalibration {
  MemoryConstants value;
  std::array<Certainty, kEstimateKindNames.size()> certainty{};

  [[nodiscard]] const Certainty& of(EstimateKind kind) const { return certainty[static_cast<std::size_t>(kind)]; }
};

}  // namespace rigsizer
