// Memory of one accelerator that serves a language model, vLLM-style: paged KV cache, chunked prefill, captured graphs.
//
//   weights     = (linears + experts + tables and head) / t + keys and values x share of heads + norms, routers, towers
//                 each summed matrix by matrix in its format, see memory/weight_format.h
//   KV cache    = sequences x elements of one sequence on this rank x bytes per element
//   activations = max(chunk x 2 x body x (mlp / t + hidden), sampler x vocabulary x profiled sequences)
//
// Llama 3 8B, bf16, one sequence of 8,192 tokens, one accelerator: weights 14.96 GiB, KV cache 1.00 GiB.
// Sources: vLLM start-up logs and its profiling run (see calibration.json); cache rules in model/census.h.
#pragma once

#include "memory/constants.h"
#include "memory/job.h"
#include "memory/lines.h"
#include "memory/model_sizes.h"

namespace rigsizer {

/// Everything the lines are computed from; explain/ shows these.
struct ServingTerms {
  ShardParts weights;
  double tensor_parallel = 1;
  double sequences = 0;       ///< on this replica
  double context_tokens = 0;  ///< rounded up to whole cache blocks
  double kv_elements = 0;     ///< of one sequence on this rank
  double kv_bytes_per_element = 0;
  double state_bytes = 0;  ///< of one sequence
  double chunk_tokens = 0, mlp_width = 0, hidden = 0, vocabulary = 0;
  MemoryConstants constants;
};

/// Tokens of one KV block in paged engines; a sequence takes whole blocks.
inline constexpr double kKvBlockTokens = 16;

ServingTerms serving_terms(const ModelSizes& sizes, const ServingJob& job, const Layout& layout, const MemoryConstants& constants);
MemoryLines serving_lines(const ServingTerms& terms);

BandedLines serving_memory(const ModelSizes& sizes, const ServingJob& job, const Layout& layout, const MemoryCalibration& calibration);

}  // namespace rigsizer
