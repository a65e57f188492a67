#include "memory/training.h"

#include <algorithm>
#include <cmath>

namespace rigsizer {
namespace {

/// A chunked loss takes the tokens in this many parts (torchtune's and torchtitan's default).
constexpr double kLossChunks = 8;
/// Checkpoints on their way to the host while later layers run.
constexpr double kOffloadedInFlight = 4;

/// This rank's part of the model.
struct RankShare {
  double layers = 1;  ///< of the model's layers
  bool table = true, head = true;
};

RankShare share_of(const ModelSizes& sizes, const Layout& layout, Stage stage) {
  if (stage == Stage::only) return {};
  const double layers = std::max(1.0, sizes.layers);
  return {.layers = std::min(1.0, std::ceil(layers / layout.pipeline_parallel) / layers),
          .table = stage == Stage::first || sizes.tied_head > 0,
          .head = stage == Stage::last};
}

struct RankParameters {
  double linears = 0, experts = 0, others = 0;
};

RankParameters parameters_of(const ModelSizes& sizes, const Layout& layout, const RankShare& share) {
  const double t = layout.tensor_parallel;
  return {.linears = sizes.linear * share.layers / t,
          .experts = sizes.expert * share.layers / t / layout.expert_parallel,
          .others = ((share.table ? sizes.table : 0) + (share.head ? sizes.head : 0)) / t + sizes.small * share.layers};
}

void train_group(ParameterGroup& group, const StateBytes& bytes, const TrainingJob& job, double moments, const ShardDegrees& shards,
                 const Layout& layout) {
  group.bits = 8 * bytes.weight;
  group.cast_bytes = bytes.cast;
  group.gradient_bytes = bytes.gradient;
  group.optimizer_bytes = job.offload.optimizer ? 0 : bytes.master + moments;
  if (job.step == Step::foreach_copy && !job.offload.optimizer) group.step_copy_bytes = bytes.moment;
  if (layout.shards == Layout::Shards::ddp) group.bucket_bytes = bytes.gradient;
  group.shards = shards.weights;
  group.gradient_shards = shards.gradients;
  group.optimizer_shards = shards.optimizer;
}

void set_base(TrainingTerms& terms, const ModelSizes& sizes, const TrainingJob& job, const Layout& layout, const RankParameters& here) {
  const bool sharded = layout.shards == Layout::Shards::full;
  const StateBytes bytes = state_bytes(job.precision, sharded);
  const ShardDegrees shards = shard_degrees(layout);
  // Expert-parallel ranks hold different experts, so fewer of them share each one's state.
  const double expert_degree = std::max(1.0, static_cast<double>(layout.shard_degree()) / layout.expert_parallel);
  Layout experts = layout;
  experts.data_parallel = static_cast<int>(expert_degree);
  experts.context_parallel = 1;
  const OptimizerBytes moments = optimizer_bytes(job.optimizer, bytes.moment, sizes.factored_elements);
  train_group(terms.groups[TrainingTerms::linears], bytes, job, moments.per_parameter, shards, layout);
  train_group(terms.groups[TrainingTerms::experts], bytes, job, moments.per_parameter, shard_degrees(experts), layout);
  train_group(terms.groups[TrainingTerms::others], bytes, job, moments.per_table_parameter, shards, layout);
  terms.factored_bytes = job.offload.optimizer ? 0 : moments.factored * here.linears / std::max(1.0, sizes.linear);
  terms.factored_shards = shards.optimizer;
  // Gradients of mixed-precision runs live in buffers of their own; otherwise they appear in the backward pass.
  const bool buffered = (job.precision == Precision::bf16_mixed || job.precision == Precision::fp16_mixed) && !sharded;
  terms.gradients_at_loss = buffered || job.accumulation_steps > 1;
}

void set_adapters(TrainingTerms& terms, const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout, const RankShare& share) {
  const BaseFormat format = task == Task::qlora && job.base == BaseFormat::bf16 ? BaseFormat::nf4_double : job.base;
  const double whole = job.precision == Precision::fp32 || format == BaseFormat::fp32 ? 32 : 16;
  const ShardDegrees shards = shard_degrees(layout);
  terms.groups[TrainingTerms::linears].bits = terms.groups[TrainingTerms::experts].bits = std::min(whole, base_bits(format));
  terms.groups[TrainingTerms::others].bits = whole;
  for (ParameterGroup& group : terms.groups) group.shards = shards.weights;

  ParameterGroup& adapters = terms.groups[TrainingTerms::adapters];
  adapters.parameters = adapter_parameters(sizes, job) * share.layers / layout.tensor_parallel;
  const StateBytes bytes = state_bytes(job.precision == Precision::bf16_pure ? Precision::bf16_pure : Precision::fp32, false);
  const OptimizerBytes moments = optimizer_bytes(job.optimizer, bytes.moment, 0);
  train_group(adapters, bytes, job, moments.per_parameter, shards, layout);
  if (job.optimizer == Optimizer::adafactor) {
    terms.factored_bytes = 4 * adapters.parameters / job.lora_rank;
    terms.factored_shards = shards.optimizer;
  }
  terms.gradients_at_loss = job.accumulation_steps > 1;
  if (format != BaseFormat::bf16 && format != BaseFormat::fp32) {
    terms.dequantised_parameters = sizes.largest_matrix / layout.tensor_parallel;
    terms.whole_inputs = quantised_inputs(job);
    terms.kept_inputs = job.recompute == Recompute::none ? terms.whole_inputs : ActivationPath{};
  }
}

double scale_of(Kernels kernels, const MemoryConstants& c) {
  switch (kernels) {
    case Kernels::eager: return c.eager_scale;
    case Kernels::compiled: return c.compiled_scale;
    case Kernels::fused: return c.fused_scale;
  }
  return 1;
}

void set_activations(TrainingTerms& terms, const ModelSizes& sizes, Task task, const TrainingJob& job) {
  terms.whole = whole_path(sizes.norm_upcasts, task, job);
  terms.kept = kept_path(job, terms.whole);
  terms.widths = sizes.widths;
  terms.kernels = job.kernels;
  terms.scale = scale_of(job.kernels, terms.constants);
  if (job.recompute == Recompute::none) return;
  const auto whole = [&](const ActivationWidths& w) { return bytes_per_token(terms.whole, w) + bytes_per_token(terms.whole_inputs, w); };
  ActivationWidths largest;
  for (const LayerSize& kind : sizes.kinds) {
    if (whole(kind.widths) > whole(largest)) largest = kind.widths;
  }
  // With few layers, or one much larger than the rest, recomputing one layer at a time holds more than keeping all.
  if (bytes_per_token(terms.kept, sizes.widths) * terms.layer_share * terms.sets + whole(largest) >=
      whole(sizes.widths) * terms.layer_share * terms.sets) {
    terms.kept = terms.whole;
    terms.kept_inputs = terms.whole_inputs;
    return;
  }
  terms.layer_widths = largest;
  if (terms.tensor_parallel > 1) terms.gathered_hidden = 2 * compute_bytes(job.precision);
  if (job.offload.activations && job.recompute == Recompute::full) {
    terms.kept_layers = std::min(1.0, kOffloadedInFlight / std::max(1.0, sizes.layers * terms.layer_share));
  }
}

void set_loss(TrainingTerms& terms, const TrainingJob& job, const MemoryConstants& c) {
  if (terms.stage == Stage::first || terms.vocabulary == 0) return;
  const double whole = job.kernels == Kernels::eager      ? c.eager_logit_bytes
                       : job.kernels == Kernels::compiled ? c.compiled_logit_bytes
                                                          : c.fused_logit_bytes;
  switch (job.loss) {
    case Loss::plain: terms.logit_bytes = whole; break;
    case Loss::chunked:
      terms.logit_bytes = whole / kLossChunks;
      terms.loss_hidden_bytes = c.fused_loss_bytes_per_hidden;
      break;
    case Loss::fused: terms.loss_hidden_bytes = c.fused_loss_bytes_per_hidden; break;
  }
}

void set_gathered(TrainingTerms& terms, const ModelSizes& sizes, const TrainingJob& job, const Layout& layout) {
  const bool fetched = layout.shards == Layout::Shards::full || job.offload.parameters;
  if (!fetched) return;
  double largest_layer = 0;
  for (const LayerSize& kind : sizes.kinds) largest_layer = std::max(largest_layer, kind.parameters);
  const ParameterGroup& linears = terms.groups[TrainingTerms::linears];
  const double compressed = std::min(1.0, linears.bits / 16);
  terms.gathered_parameters = (2 * largest_layer * compressed + sizes.table + sizes.head) / layout.tensor_parallel;
  terms.gathered_bytes = compute_bytes(job.precision);
  if (!job.offload.parameters) return;
  for (ParameterGroup& group : terms.groups) group.bits = 0;
}

TrainingTerms stage_terms(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout, const MemoryConstants& constants,
                          Stage stage) {
  TrainingTerms terms;
  terms.constants = constants;
  terms.stage = stage;
  const RankShare share = share_of(sizes, layout, stage);
  const RankParameters here = parameters_of(sizes, layout, share);
  terms.groups[TrainingTerms::linears].parameters = here.linears;
  terms.groups[TrainingTerms::experts].parameters = here.experts;
  terms.groups[TrainingTerms::others].parameters = here.others;
  terms.tokens = job.micro_batch * job.sequence_tokens / layout.context_parallel;
  terms.layer_share = share.layers;
  terms.tensor_parallel = layout.tensor_parallel;
  if (stage == Stage::first && layout.pipeline_overlap) {
    const double p = layout.pipeline_parallel;
    terms.sets = std::min(p, job.accumulation_steps);
    if (layout.virtual_stages > 1) terms.sets *= 1 + (p - 1) / (p * layout.virtual_stages);
  }
  if (task == Task::full) {
    set_base(terms, sizes, job, layout, here);
  } else {
    set_adapters(terms, sizes, task, job, layout, share);
  }
  set_activations(terms, sizes, task, job);
  terms.vocabulary = sizes.vocabulary / layout.tensor_parallel;
  terms.hidden = sizes.hidden;
  set_loss(terms, job, constants);
  set_gathered(terms, sizes, job, layout);
  terms.variable_lengths = job.lengths == Lengths::variable;
  terms.talks = layout.accelerators > 1;
  if (job.step == Step::in_backward || job.offload.gradients) {
    // Each gradient is used as soon as it is there.
    for (ParameterGroup& group : terms.groups) group.gradient_bytes = group.bucket_bytes = group.step_copy_bytes = 0;
  }
  return terms;
}

TrainingTerms at_greater_moment(TrainingTerms terms) {
  terms.moment = PeakMoment::loss;
  const double at_loss = training_lines(terms).total();
  terms.moment = PeakMoment::step;
  if (at_loss >= training_lines(terms).total()) terms.moment = PeakMoment::loss;
  return terms;
}

}  // namespace

double adapter_parameters(const ModelSizes& sizes, const TrainingJob& job) {
  const double per_rank = job.lora_targets == LoraTargets::attention     ? sizes.adapter_attention
                          : job.lora_targets == LoraTargets::query_value ? std::max(sizes.adapter_query_value, 0.0)
                                                                         : sizes.adapter_all;
  return job.lora_rank * per_rank + (job.dora ? sizes.adapter_outputs : 0);
}

EstimateKind training_kind(Task task) {
  if (task == Task::lora) return EstimateKind::train_lora;
  return task == Task::qlora ? EstimateKind::train_qlora : EstimateKind::train_full;
}

TrainingTerms training_terms(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout, const MemoryConstants& constants) {
  if (layout.pipeline_parallel == 1) return at_greater_moment(stage_terms(sizes, task, job, layout, constants, Stage::only));
  TrainingTerms first = at_greater_moment(stage_terms(sizes, task, job, layout, constants, Stage::first));
  TrainingTerms last = at_greater_moment(stage_terms(sizes, task, job, layout, constants, Stage::last));
  return training_lines(last).total() > training_lines(first).total() ? last : first;
}

MemoryLines training_lines(const TrainingTerms& t) {
  const MemoryConstants& c = t.constants;
  const bool at_loss = t.moment == PeakMoment::loss;
  MemoryLines lines;
  double buckets = 0;
  double step_copy = 0;
  double gradients = 0;
  for (std::size_t i = 0; i < t.groups.size(); ++i) {
    const ParameterGroup& group = t.groups.at(i);
    lines[i == TrainingTerms::adapters ? Line::adapters : Line::weights] +=
        group.parameters * group.bits / 8 / group.shards + group.parameters * group.cast_bytes;
    gradients += group.parameters * group.gradient_bytes / group.gradient_shards;
    lines[Line::optimizer] += group.parameters * group.optimizer_bytes / group.optimizer_shards;
    buckets += group.parameters * group.bucket_bytes;
    step_copy += group.parameters * group.step_copy_bytes / group.optimizer_shards;
  }
  lines[Line::optimizer] += t.factored_bytes / t.factored_shards;
  if (!at_loss || t.gradients_at_loss) lines[Line::gradients] = gradients;
  if (at_loss) {
    const double kept = bytes_per_token(t.kept, t.widths) + c.quantised_input_scale * bytes_per_token(t.kept_inputs, t.widths);
    const double working = bytes_per_token(t.whole, t.layer_widths) + c.quantised_input_scale * bytes_per_token(t.whole_inputs, t.layer_widths);
    lines[Line::activations] =
        t.tokens * (t.scale * (kept * t.layer_share * t.sets * t.kept_layers + working) / t.tensor_parallel + t.gathered_hidden * t.hidden);
    lines[Line::logits] = t.tokens * (t.logit_bytes * t.vocabulary + t.loss_hidden_bytes * t.hidden);
    lines[Line::temporary] = buckets + t.gathered_parameters * t.gathered_bytes + t.dequantised_parameters * 2;
  } else {
    lines[Line::temporary] = buckets + step_copy;
  }
  lines[Line::allocator] = c.slack_share * lines.total();
  if (t.variable_lengths) lines[Line::allocator] += c.slack_variable_share * (lines[Line::activations] + lines[Line::logits]);
  lines[Line::overhead] = c.context_bytes + (t.talks ? c.collectives_bytes : 0);
  return lines;
}

TrainingMemory training_memory(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout,
                               const MemoryCalibration& calibration) {
  const TrainingTerms terms = training_terms(sizes, task, job, layout, calibration.value);
  return {{training_lines(terms), calibration.of(training_kind(task))}, terms.moment, terms.stage};
}

}  // namespace rigsizer
