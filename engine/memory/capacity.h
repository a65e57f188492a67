// What a pool of cache is good for, and what a job needs beside what an engine reserves.
//
//   tokens            = floor(pool / (block x bytes per token)) x block; where layers keep a window only, what engines print is
//                       sequences of the longest length x that length
//   longest context   the most tokens of one sequence whose cache fits the pool
//   highest sequences = floor(pool / cache of one sequence)
//   least fraction    the memory fraction at which one sequence of that length just fits
//
// DeepSeek R1 Distill Qwen 14B on two RTX 4090 (23.55 GiB) at .98: 7.46 GiB / 98,304 B = 81.5 thousand tokens, not 131,072;
// ranks' pools do not add, each holds its heads of every token.
#pragma once

#include <optional>

#include "memory/pool.h"

namespace rigsizer {

/// Bytes of `sequences` sequences of so many tokens on one card, in whole blocks.
double cache_bytes(const Pool& pool, double context_tokens, double sequences);

/// Tokens the engine says its cache holds; `longest_tokens` is the configured maximum length.
double cached_tokens(const Pool& pool, double longest_tokens);
/// In whole blocks; 0 where not even one block fits. `limit_tokens` is what the model can take.
double longest_context(const Pool& pool, double limit_tokens);
double highest_concurrency(const Pool& pool, double context_tokens);

/// Nothing where no fraction up to 1 is enough (or the engine has none).
std::optional<double> least_fraction(const Architecture& model, const Server& server, double context_tokens, const MemoryConstants& constants);

/// What the asked work takes on one card, whatever an engine reserves on top.
struct ServingNeed {
  double weights_bytes = 0;
  double cache_bytes = 0;
  double activation_bytes = 0;  ///< of one chunk, and of sampling the asked sequences
  double context_bytes = 0;
  double reserved_bytes = 0;  ///< by design; equals the total where the engine has no pool

  [[nodiscard]] double total() const { return weights_bytes + cache_bytes + activation_bytes + context_bytes; }
};

/// Prompts as long as the context. Where layers are spread over cards in turn, cache is the share of one card and activations
/// are those of the card with the output layer.
ServingNeed serving_need(const Architecture& model, const Server& server, double context_tokens, double sequences, const MemoryConstants& constants);

}  // namespace rigsizer
