#include "memory/serving_plain.h"

#include <algorithm>

namespace rigsizer {
namespace {

constexpr double kLogitBytes = 2 + 4;      ///< 16-bit and its fp32 copy
constexpr double kScoreBytes = 2 + 4 + 2;  ///< scores, their fp32 softmax, weights cast back

}  // namespace

PlainPeak plain_peak(const PlainRun& run, const MemoryConstants& constants) {
  const double tokens = run.prompt_tokens * run.sequences;
  const double body = tokens * 2 * constants.body_tensors * (run.mlp_width + run.hidden);
  const double scores = run.eager_attention ? tokens * run.prompt_tokens * run.heads * kScoreBytes : 0;
  return {std::max(body, scores), run.keeps_prompt_logits ? tokens * kLogitBytes * run.vocabulary : 0};
}

MemoryLines plain_serving_lines(const ModelSizes& sizes, const ServingJob& job, const MemoryConstants& constants) {
  MemoryLines lines = serving_lines(serving_terms(sizes, job, Layout{}, constants));
  const auto [layer, logits] = plain_peak({.sequences = job.concurrency,
                                           .prompt_tokens = job.prompt_tokens,
                                           .mlp_width = sizes.widest_mlp,
                                           .hidden = sizes.hidden,
                                           .vocabulary = sizes.vocabulary,
                                           .heads = static_cast<double>(sizes.heads),
                                           .keeps_prompt_logits = job.keeps_prompt_logits,
                                           .eager_attention = job.eager_attention},
                                          constants);
  // Cached keys and values are sized to the token, not to blocks.
  lines[Line::kv_cache] = job.concurrency * kv_elements_per_rank(sizes, job.context_tokens, 1) * info(job.kv_format).bytes;
  // Every card's allocator keeps its own peak; the last one's may be the logits.
  const double cards = job.cards_in_turn;
  lines[Line::activations] = layer > logits ? layer * cards : layer * (cards - 1);
  lines[Line::logits] = layer > logits ? 0 : logits;
  lines[Line::overhead] = constants.serving_context_bytes * cards;
  return lines;
}

}  // namespace rigsizer
