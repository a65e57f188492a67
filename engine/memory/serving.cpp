#include "memory/serving.h"

#include <algorithm>
#include <cmath>

namespace rigsizer {

ServingTerms serving_terms(const ModelSizes& sizes, const ServingJob& job, const Layout& layout, const MemoryConstants& constants) {
  ServingTerms terms;
  terms.weights = shard_parts(sizes.weights, {.tensor_parallel = layout.tensor_parallel});
  terms.tensor_parallel = layout.tensor_parallel;
  terms.sequences = std::ceil(job.concurrency / layout.data_parallel);
  terms.context_tokens = std::ceil(job.context_tokens / kKvBlockTokens) * kKvBlockTokens;
  terms.kv_elements = kv_elements_per_rank(sizes, terms.context_tokens, layout.tensor_parallel);
  terms.kv_bytes_per_element = info(job.kv_format).bytes;
  terms.state_bytes = sizes.state_bytes;
  terms.chunk_tokens = std::min(constants.prefill_chunk_tokens, job.context_tokens);
  terms.mlp_width = sizes.widest_mlp;
  terms.hidden = sizes.hidden;
  terms.vocabulary = sizes.samples ? sizes.vocabulary : 0;  // an encoder has no sampler to reserve for
  terms.constants = constants;
  terms.constants.profiled_sequences = std::max(constants.profiled_sequences, terms.sequences);
  return terms;
}

MemoryLines serving_lines(const ServingTerms& t) {
  const MemoryConstants& c = t.constants;
  MemoryLines lines;
  lines[Line::weights] = t.weights.bytes();
  lines[Line::kv_cache] = t.sequences * t.kv_elements * t.kv_bytes_per_element;
  lines[Line::state] = t.sequences * t.state_bytes / t.tensor_parallel;
  lines[Line::activations] = std::max(t.chunk_tokens * 2 * c.body_tensors * (t.mlp_width / t.tensor_parallel + t.hidden),
                                      c.sampler_bytes_per_logit * t.vocabulary * c.profiled_sequences);
  lines[Line::overhead] = c.serving_context_bytes + c.graphs_bytes;
  return lines;
}

BandedLines serving_memory(const ModelSizes& sizes, const ServingJob& job, const Layout& layout, const MemoryCalibration& calibration) {
  return {serving_lines(serving_terms(sizes, job, layout, calibration.value)), calibration.of(EstimateKind::serve_paged)};
}

}  // namespace rigsizer
