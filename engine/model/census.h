// What follows from an architecture: parameters by part, active parameters, KV cache, state, FLOPs.
//
//   Llama 3 8B: total 8,030,261,248; KV 131,072 bytes per token at 16 bits; 2 x 7.5e9 FLOPs per token and forward pass.
#pragma once

#include <array>
#include <vector>

#include "model/architecture.h"

namespace rigsizer {

struct WindowedKv {
  std::int64_t elements_per_token = 0;
  std::int64_t window = 0;
};

struct Census {
  std::array<Count, kPartCount> parts{};
  Count total{};
  Count active{};     ///< everything one token can touch, tables included
  Count embedding{};  ///< token and position tables as published (the input side)

  // By role, which is what a weight format needs to know.
  Count linear{}, expert{}, head{}, table{}, router{}, vector{};
  /// Weights multiplied with one token: linears, routers, k of E experts, the head (tied or not).
  Count multiplied{};

  double kv_elements_per_source_token = 0;  ///< cross attention: held once per token the encoder read
  double kv_elements_per_token = 0;         ///< layers that keep every token; pooled entries count their share
  std::vector<WindowedKv> kv_windowed;      ///< by window, ascending
  std::int64_t state_bytes = 0;             ///< per sequence
};

Census census_of(const Architecture& model);

/// KV elements of one sequence at a context, windows applied. A source of an encoder-decoder is as long as the context
/// unless the model fixes it.
double kv_elements(const Architecture& model, double context_tokens);

/// FLOPs of one token (an encoder-decoder: of one source and one target token) with `past_tokens` before it; a multiply-add is 2.
double forward_flops_per_token(const Architecture& model, double past_tokens);

std::string_view name_of(Part part);

}  // namespace rigsizer
