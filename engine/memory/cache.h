// What one sequence keeps on one card: keys and values of each kind of layer, and states of fixed size.
//
//   bytes(n) = full x n + sum over windowed layers of bytes x min(n, window) + state
//
// Which layers count as windowed and how a latent is stored is the engine's choice (memory/engine.h):
//   gpt-oss-120b, 16 bits:  all 36 layers paged alike 73,728 B per token; windows cut 36,864 B, and 36,864 B up to the window
//   DeepSeek R1, 16 bits:   latent kept 61 x 576 x 2 = 70,272 B per token; expanded 61 x 128 x (192 + 128) x 2 = 4,997,120 B
// Source of the widths: the model's configuration (model/architecture.h).
#pragma once

#include <cstdint>
#include <vector>

#include "model/architecture.h"

namespace rigsizer {

/// Layers that attend to a window: kept to the window, kept whole, or kept whole in pages as large as the widest layer's.
enum class WindowedLayers : std::uint8_t { cut, whole, paged_alike };

/// MLA: the latent alone, the latent and a copy of its value part, or keys and values of every head.
enum class LatentCache : std::uint8_t { kept, kept_with_values, expanded };

struct CacheRules {
  WindowedLayers windows = WindowedLayers::cut;
  LatentCache latent = LatentCache::kept;
  double key_bytes = 2;  ///< of one cached element; block formats count their scales (q8_0: 34 / 32)
  double value_bytes = 2;
  int tensor_parallel = 1;
  int context_parallel = 1;  ///< ranks that share the tokens of a sequence
  /// Positions a windowed layer keeps beyond its window while a chunk is processed, and what the sum is rounded up to.
  double window_margin_tokens = 0;
  double window_pad_tokens = 1;
};

struct WindowedCost {
  double window_tokens = 0;  ///< margin and rounding included
  double bytes_per_token = 0;
};

/// On one tensor-parallel rank, which holds ceil(K / t) of K heads; a latent is copied to each.
struct CacheCost {
  double full_bytes_per_token = 0;    ///< layers that keep every token, latents among them; pooled entries their share
  double latent_bytes_per_token = 0;  ///< of these
  std::vector<WindowedCost> windowed;
  double source_bytes = 0;  ///< an encoder's keys and values where their number is fixed; per sequence
  double state_bytes = 0;   ///< recurrent layers, per sequence

  [[nodiscard]] double sequence_bytes(double tokens) const;
  /// Of one more token while no window is full.
  [[nodiscard]] double short_bytes_per_token() const;
};

CacheCost cache_cost(const Architecture& model, const CacheRules& rules);

}  // namespace rigsizer
