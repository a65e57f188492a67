#include "memory/serving_plain.h"

#include <algorithm>

namespace rigsizer {
PlainPeak plain_peak(const PlainRun& run, const MemoryConstants& constants) {
  const double tokens = run.prompt_tokens * run.sequences;
  const double body = tokens * 2 * constants.body_tensors * (run.mlp_width + run.hidden);
  const double scores = run.eager_attention ? tokens * run.prompt_tokens * run.heads * kScoreBytes : 0;
  return {std::max(body, scores), run.keeps_prompt_logits ? tokens * kLogitBytes * run.vocabulary : 0};
}

}  // namespace rigsizer
