#include "memory/serving_plain.h"

#include <algorithm>

namespace rigsizer {
namespace {

constexpr double kLogitBytes = 2 + 4;      ///< 16-bit and its fp32 copy
constexpr double kScoreBytes = 2 + 4 + 2;  ///< scores, their fp32 softmax, weights cast back

}  // namespace

MemoryLines plain_serving_lines(const ModelSizes& sizes, const ServingJob& job, const MemoryConstants& constants) {
  MemoryLines lines = serving_lines(serving_terms(sizes, job, Layout{}, constants));
  const double tokens = job.prompt_tokens * job.concurrency;
  const double body = tokens * 2 * constants.body_tensors * (sizes.widest_mlp + sizes.hidden);
  const double logits = job.keeps_prompt_logits ? tokens * kLogitBytes * sizes.vocabulary : 0;
  // Cached keys and values are sized to the token, not to blocks.
  lines[Line::kv_cache] = job.concurrency * kv_elements_per_rank(sizes, job.context_tokens, 1) * info(job.kv_format).bytes;
  const double scores = job.eager_attention ? tokens * job.prompt_tokens * sizes.heads * kScoreBytes : 0;
  const double layer = std::max(body, scores);
  // Every card's allocator keeps its own peak; the last one's may be the logits.
  const double cards = job.cards_in_turn;
  lines[Line::activations] = layer > logits ? layer * cards : layer * (cards - 1);
  lines[Line::logits] = layer > logits ? 0 : logits;
  lines[Line::overhead] = constants.serving_context_bytes * cards;
  return lines;
}

}  // namespace rigsizer
