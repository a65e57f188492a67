// What a pool of cache is good for, and what a job needs beside what an engine reserves.
//
//   tokens            = floor(pool / (block x bytes per token)) x block; where layers keep a window only, what engines print is
//                       sequences of the longest length x that length
//   longest context   the most tokens of each of the asked sequences that fit
//   highest sequences of the asked context that fit, and that the engine runs at once
//   least fraction    the memory fraction at which so many sequences of that length just fit
// Engines without a pool hold what fits the card beside everything else.
//
// DeepSeek R1 Distill Qwen 14B on two RTX 4090 (23.55 GiB) at .98: 7.46 GiB / 98,304 B = 81.5 thousand tokens, not 131,072;
// ranks' pools do not add, each holds its heads of every token.
#pragma once

#include <optional>

#include "memory/serving.h"

namespace rigsizer {

/// Bytes of `sequences` sequences of so many tokens on one card, in whole blocks.
double cache_bytes(const Pool& pool, double context_tokens, double sequences);

/// Tokens the engine says its cache holds; `longest_tokens` is the configured maximum length.
double cached_tokens(const Pool& pool, double longest_tokens);
/// Nothing where no fraction up to 1 is enough (or the engine has none).
std::optional<double> least_fraction(const Architecture& model, const Server& server, double context_tokens, const MemoryConstants& constants,
                                     double sequences = 1);

/// Of one replica, per card.
struct ServingCapacity {
  double needed_bytes = 0;               ///< what the asked work takes, profiled with no more sequences than asked and without graphs
  double reserved_bytes = 0;             ///< what the process holds once started, by design
  double pool_bytes = 0;                 ///< of cache; 0 where the engine reserves none
  double cached_tokens = 0;              ///< that the pool holds
  double longest_context_tokens = 0;     ///< of the asked number of sequences
  double highest_concurrency = 0;        ///< sequences of the asked context
  std::optional<double> least_fraction;  ///< at which the engine holds what is asked
};

/// `sizes.architecture.max_context_tokens`, or the asked context where it is longer or no maximum is known, bounds the longest
/// context.
ServingCapacity serving_capacity(const ModelSizes& sizes, const ServingJob& job, const Layout& layout, const MemoryConstants& constants,
                                 const CardTraits& card);

}  // namespace rigsizer
