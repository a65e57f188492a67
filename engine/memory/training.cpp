#include "memory/training.h"

#include <algorithm>
#include <cmath>

namespace rigsizer {
namespace {

/// A chunked loss takes the tokens in this many parts (torchtune's and torchtitan's default).
constexpr double kLossChunks = 8;
/// Checkpoints on their way to the host while later layers run.
constexpr double kOffloadedInFlight = 4;

/// A stage's part of the model.
struct StageShare {
  LayerSpan span;
  double tables = 0;  ///< weights of table and head
  double small = 0;   ///< norms, biases, routers, towers
};

StageShare share_of(const ModelSizes& sizes, const Layout& layout, Stage stage) {
  const int layers = static_cast<int>(sizes.layers);
  LayerSpan whole = span_of(sizes, 0, layers);
  const double outside = sizes.linear - whole.linear;  // projections of per-layer tables and the like
  const double small = whole.small;
  whole.linear = sizes.linear;
  if (stage == Stage::only) return {whole, sizes.table + sizes.head, sizes.small};
  const int here = (layers + layout.pipeline_parallel - 1) / layout.pipeline_parallel;
  if (stage == Stage::last) {
    const LayerSpan span = span_of(sizes, layers - here, here);
    return {span, sizes.tied_head > 0 ? sizes.tied_head : sizes.head, span.small};
  }
  // Whatever stands before the layers (an image tower, say) is on the first stage.
  LayerSpan span = span_of(sizes, 0, here);
  span.linear += outside;
  return {span, sizes.table, sizes.small - small + span.small};
}

struct RankParameters {
  double linears = 0, experts = 0, others = 0;
};

RankParameters parameters_of(const StageShare& share, const Layout& layout) {
  const double t = layout.tensor_parallel;
  return {.linears = share.span.linear / t, .experts = share.span.expert / t / layout.expert_parallel, .others = share.tables / t + share.small};
}

bool is_mixed(Precision precision) { return precision == Precision::bf16_mixed || precision == Precision::fp16_mixed; }

void train_group(ParameterGroup& group, const StateBytes& bytes, const TrainingJob& job, double moments, const ShardDegrees& shards,
                 const Layout& layout) {
  group.bits = 8 * bytes.weight;
  group.cast_bytes = bytes.cast;
  group.gradient_bytes = bytes.gradient;
  group.optimizer_bytes = job.offload.optimizer ? 0 : bytes.master + moments;
  if (job.step == Step::foreach_copy && !job.offload.optimizer) group.step_copy_bytes = bytes.moment;
  // Recipes with master weights reduce the gradients they keep anyway; the others reduce from buckets of their own.
  if (layout.shards == Layout::Shards::ddp && bytes.master == 0) group.bucket_bytes = bytes.gradient;
  group.shards = shards.weights;
  group.gradient_shards = shards.gradients;
  group.optimizer_shards = shards.optimizer;
  if (layout.shards == Layout::Shards::full && layout.pipeline_parallel > 1) {
    // Each stage meets its weights once per micro-batch, so they stay gathered, and so do gradients until the last one.
    group.cast_bytes = compute_bytes(job.precision);
    group.gradient_shards = 1;
  }
}

void set_base(TrainingTerms& terms, const ModelSizes& sizes, const TrainingJob& job, const Layout& layout, const RankParameters& here) {
  const bool sharded = layout.shards == Layout::Shards::full;
  StateBytes bytes = state_bytes(job.precision, sharded);
  // Recipes with fp32 gradients of their own add 16-bit ones to them; fused kernels accumulate there directly.
  const bool whole = !sharded && layout.shards != Layout::Shards::zero2;
  if (job.precision == Precision::bf16_mixed && whole && job.kernels != Kernels::fused) bytes.gradient += 2;
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
  terms.gradients_at_loss = (is_mixed(job.precision) && !sharded) || job.accumulation_steps > 1;
  if (job.kernels == Kernels::fused) {
    const double halves = sizes.widths.mlp > 0 ? 2 : 1;  // gate and up are one matrix
    terms.product_parameters = halves * sizes.largest_matrix / layout.tensor_parallel;
  }
}

void set_adapters(TrainingTerms& terms, const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout, double layer_share) {
  const BaseFormat format = task == Task::qlora && job.base == BaseFormat::bf16 ? BaseFormat::nf4_double : job.base;
  const double whole = job.precision == Precision::fp32 || format == BaseFormat::fp32 ? 32 : 16;
  const ShardDegrees shards = shard_degrees(layout);
  terms.groups[TrainingTerms::linears].bits = terms.groups[TrainingTerms::experts].bits = format == BaseFormat::bf16 ? whole : base_bits(format);
  terms.groups[TrainingTerms::others].bits = whole;
  for (ParameterGroup& group : terms.groups) group.shards = shards.weights;

  ParameterGroup& adapters = terms.groups[TrainingTerms::adapters];
  adapters.parameters = adapter_parameters(sizes, job) * layer_share / layout.tensor_parallel;
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
  terms.kernels = job.kernels;
  terms.scale = scale_of(job.kernels, terms.constants);
  const auto whole = [&](const ActivationWidths& w) { return bytes_per_token(terms.whole, w) + bytes_per_token(terms.whole_inputs, w); };
  ActivationWidths largest;
  for (const LayerSize& kind : sizes.kinds) {
    if (whole(kind.widths) > whole(largest)) largest = kind.widths;
  }
  terms.layer_widths = largest;
  if (job.recompute == Recompute::none) return;
  // With few layers, or one much larger than the rest, recomputing one layer at a time holds more than keeping all.
  if (bytes_per_token(terms.kept, terms.widths) * terms.sets + whole(largest) >= whole(terms.widths) * terms.sets) {
    terms.kept = terms.whole;
    terms.kept_inputs = terms.whole_inputs;
    return;
  }
  terms.recomputes = true;
  if (terms.tensor_parallel > 1) terms.gathered_hidden = 2 * compute_bytes(job.precision);
  if (job.offload.activations && job.recompute == Recompute::full) {
    terms.kept_layers = std::min(1.0, kOffloadedInFlight / std::max(1.0, terms.stage_layers));
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
  const StageShare share = share_of(sizes, layout, stage);
  const RankParameters here = parameters_of(share, layout);
  terms.widths = share.span.widths;
  terms.stage_layers = share.span.layers;
  terms.groups[TrainingTerms::linears].parameters = here.linears;
  terms.groups[TrainingTerms::experts].parameters = here.experts;
  terms.groups[TrainingTerms::others].parameters = here.others;
  terms.tokens = job.micro_batch * job.sequence_tokens / layout.context_parallel;
  terms.tensor_parallel = layout.tensor_parallel;
  terms.hidden_parallel = layout.sequence_parallel ? layout.tensor_parallel : 1;
  if (stage == Stage::first && layout.pipeline_overlap) {
    const double p = layout.pipeline_parallel;
    terms.sets = std::min(p, job.accumulation_steps);
    if (layout.virtual_stages > 1) terms.sets *= 1 + (p - 1) / (p * layout.virtual_stages);
  }
  if (task == Task::full) {
    set_base(terms, sizes, job, layout, here);
  } else {
    set_adapters(terms, sizes, task, job, layout, share.span.layers / std::max(1.0, sizes.layers));
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

TrainingTerms at_greatest_moment(TrainingTerms terms) {
  PeakMoment greatest = PeakMoment::loss;
  double most = -1;
  for (const PeakMoment moment : {PeakMoment::loss, PeakMoment::backward, PeakMoment::end, PeakMoment::step}) {
    terms.moment = moment;
    const double total = training_lines(terms).total();
    if (total <= most) continue;
    most = total;
    greatest = moment;
  }
  terms.moment = greatest;
  return terms;
}

/// Of one path on this rank, per token.
double on_rank(const TrainingTerms& t, const ActivationPath& path, const ActivationWidths& widths) {
  const double hidden = path.hidden * widths.hidden;
  return hidden / t.hidden_parallel + (bytes_per_token(path, widths) - hidden) / t.tensor_parallel;
}

double kept_bytes(const TrainingTerms& t) {
  const double kept = on_rank(t, t.kept, t.widths) + t.constants.quantised_input_scale * on_rank(t, t.kept_inputs, t.widths);
  return t.tokens * t.scale * kept * t.sets * t.kept_layers;
}

double working_bytes(const TrainingTerms& t) {
  const double layer = on_rank(t, t.whole, t.layer_widths) + t.constants.quantised_input_scale * on_rank(t, t.whole_inputs, t.layer_widths);
  return t.tokens * (t.scale * layer + t.gathered_hidden * t.hidden);
}

}  // namespace

MomentShares shares_at(PeakMoment moment, bool recomputes, double overlap) {
  switch (moment) {
    case PeakMoment::loss: return {.kept = 1, .working = recomputes ? overlap : 0, .logits = 1};
    case PeakMoment::backward: return {.kept = 1, .working = recomputes ? 1.0 : 0, .logits = overlap};
    case PeakMoment::end: return {.working = 1};
    case PeakMoment::step: return {};
  }
  return {};
}

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
  if (layout.pipeline_parallel == 1) return at_greatest_moment(stage_terms(sizes, task, job, layout, constants, Stage::only));
  TrainingTerms first = at_greatest_moment(stage_terms(sizes, task, job, layout, constants, Stage::first));
  TrainingTerms last = at_greatest_moment(stage_terms(sizes, task, job, layout, constants, Stage::last));
  return training_lines(last).total() > training_lines(first).total() ? last : first;
}

MemoryLines training_lines(const TrainingTerms& t) {
  const MemoryConstants& c = t.constants;
  const bool forward = t.moment == PeakMoment::loss || t.moment == PeakMoment::backward;
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
  if (!forward || t.gradients_at_loss) lines[Line::gradients] = gradients;
  const MomentShares share = shares_at(t.moment, t.recomputes, c.overlap_share);
  lines[Line::activations] = share.kept * kept_bytes(t) + share.working * working_bytes(t);
  lines[Line::logits] = share.logits * t.tokens * (t.logit_bytes * t.vocabulary + t.loss_hidden_bytes * t.hidden);
  lines[Line::temporary] = buckets;
  if (t.moment != PeakMoment::step) {
    lines[Line::temporary] += t.gathered_parameters * t.gathered_bytes + t.dequantised_parameters * 2;
    if (t.moment != PeakMoment::loss) lines[Line::temporary] += t.product_parameters * c.product_gradient_bytes;
  } else {
    lines[Line::temporary] += step_copy;
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
