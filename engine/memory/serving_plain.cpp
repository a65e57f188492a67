#include "memory/serving_plain.h"

#include <algorithm>

namespace rigsizer {
namespace {

constexpr double kLogitBytes = 2 + 4;  ///< 16-bit and its fp32 copy

}  // namespace

MemoryLines plain_serving_lines(const ModelSizes& sizes, const ServingJob& job, const MemoryConstants& constants) {
  MemoryLines lines = serving_lines(serving_terms(sizes, job, Layout{}, constants));
  const double tokens = job.prompt_tokens * job.concurrency;
  const double body = tokens * 2 * constants.body_tensors * (sizes.widest_mlp + sizes.hidden);
  const double logits = job.keeps_prompt_logits ? tokens * kLogitBytes * sizes.vocabulary : 0;
  // Cached keys and values are sized to the token, not to blocks.
  lines[Line::kv_cache] = job.concurrency * kv_elements_per_rank(sizes, job.context_tokens, 1) * info(job.kv_format).bytes;
  lines[Line::activations] = body > logits ? body : 0;
  lines[Line::logits] = body > logits ? 0 : logits;
  lines[Line::overhead] = constants.serving_context_bytes;
  return lines;
}

}  // namespace rigsizer
