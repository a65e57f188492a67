#include "memory/activations.h"

namespace rigsizer {
namespace {

/// Bytes per head and position seen that attention without a flash kernel keeps: scores, softmax, mask.
constexpr double kScores16 = 5;
constexpr double kScores32 = 9;

ActivationPath eager_path(bool norm_upcasts, Task task, const TrainingJob& job) {
  const bool narrow = task != Task::full && job.lora_targets != LoraTargets::all_linear;
  if (!norm_upcasts && narrow) return {.hidden = 6, .query = 4, .key_value = 4, .mlp = 6, .plain_mlp = 2, .heads = 4};
  if (!norm_upcasts) return {.hidden = 8, .query = 4, .key_value = 4, .mlp = 8, .plain_mlp = 4, .heads = 4};
  if (narrow) return {.hidden = 12, .query = 8, .mlp = 6, .plain_mlp = 4};
  return {.hidden = 16, .query = 12, .mlp = 8, .plain_mlp = 4};
}

}  // namespace

double compute_bytes(Precision precision) { return precision == Precision::fp32 ? 4 : 2; }

double bytes_per_token(const ActivationPath& path, const ActivationWidths& w) {
  return path.hidden * w.hidden + path.query * w.query + path.key_value * w.key_value + path.mlp * w.mlp + path.plain_mlp * w.plain_mlp +
         path.heads * w.heads + path.dispatched * w.dispatched + path.router * w.router;
}

ActivationPath whole_path(bool norm_upcasts, Task task, const TrainingJob& job) {
  ActivationPath path;
  switch (job.kernels) {
    case Kernels::eager: path = eager_path(norm_upcasts, task, job); break;
    case Kernels::compiled: path = {.hidden = 8, .query = 4, .key_value = 2, .mlp = 8, .plain_mlp = 4, .heads = 4}; break;
    case Kernels::fused: path = {.hidden = 8, .query = 4, .key_value = 2, .mlp = 6, .plain_mlp = 4, .heads = 4}; break;
  }
  const double wider = compute_bytes(job.precision) / 2;
  path = {.hidden = path.hidden * wider,
          .query = path.query * wider,
          .key_value = path.key_value * wider,
          .mlp = path.mlp * wider,
          .plain_mlp = path.plain_mlp * wider,
          .heads = path.heads,
          .dispatched = 4 * wider,
          .router = 4};
  if (!job.flash_attention) path.heads += (job.precision == Precision::fp32 ? kScores32 : kScores16) * job.sequence_tokens;
  return path;
}

ActivationPath quantised_inputs(const TrainingJob& job) {
  const double wider = compute_bytes(job.precision) / 2;
  return {.hidden = 12 * wider, .mlp = 4 * wider, .plain_mlp = 4 * wider};
}

ActivationPath kept_path(const TrainingJob& job, const ActivationPath& whole) {
  const double value = compute_bytes(job.precision);
  switch (job.recompute) {
    case Recompute::none: return whole;
    case Recompute::attention: {
      ActivationPath kept = whole;
      if (!job.flash_attention) kept.heads = 0;
      return kept;
    }
    case Recompute::selective:
      return {.hidden = 2 * value,
              .query = 2 * value,
              .key_value = value,
              .mlp = value,
              .plain_mlp = value,
              .heads = 4,
              .dispatched = 2 * value,
              .router = 4};
    case Recompute::alternate:
      return {.hidden = (whole.hidden + value) / 2,
              .query = whole.query / 2,
              .key_value = whole.key_value / 2,
              .mlp = whole.mlp / 2,
              .plain_mlp = whole.plain_mlp / 2,
              .heads = whole.heads / 2,
              .dispatched = whole.dispatched / 2,
              .router = whole.router / 2};
    case Recompute::full: return {.hidden = value};
  }
  return whole;
}

}  // namespace rigsizer
