#include "memory/training.h"

#include <algorithm>

namespace rigsizer {
namespace {

double bytes_per_token(const ActivationPath& path, const ActivationWidths& w) {
  return path.hidden * w.hidden + path.query * w.query + path.key_value * w.key_value + path.mlp * w.mlp + path.plain_mlp * w.plain_mlp +
         path.heads * w.heads + path.dispatched * w.dispatched + path.router * w.router;
}

ActivationPath whole_layer(const ModelSizes& sizes, Task task, const TrainingJob& job) {
  ActivationPath path{.hidden = 8, .query = 4, .key_value = 4, .mlp = 8, .plain_mlp = 4, .heads = 4, .dispatched = 4, .router = 4};
  if (sizes.norm_upcasts) {
    const bool attention_only = task != Task::full && job.lora_targets == LoraTargets::attention;
    path.hidden = attention_only ? 12 : 16;
    path.query = attention_only ? 8 : 12;
    path.mlp = attention_only ? 6 : 8;
    path.key_value = path.heads = 0;  // fitted together with the queries
  }
  if (task == Task::qlora) {
    path.hidden += 12;
    path.mlp += 4;
    path.plain_mlp += 4;
  }
  if (job.precision == Precision::fp32) {
    for (double ActivationPath::*width : {&ActivationPath::hidden, &ActivationPath::query, &ActivationPath::key_value, &ActivationPath::mlp,
                                          &ActivationPath::plain_mlp, &ActivationPath::dispatched}) {
      path.*width *= 2;
    }
  }
  return path;
}

ActivationPath kept_path(Recompute recompute, const ActivationPath& whole, double value_bytes) {
  switch (recompute) {
    case Recompute::none: return whole;
    case Recompute::selective:
      return {.hidden = 2 * value_bytes,
              .query = 2 * value_bytes,
              .key_value = value_bytes,
              .mlp = value_bytes,
              .plain_mlp = value_bytes,
              .heads = 4,
              .dispatched = 2 * value_bytes,
              .router = 4};
    case Recompute::full: return {.hidden = value_bytes};
  }
  return whole;
}

struct StateBytes {
  double weight, cast, gradient, moment;
};

/// Per trained parameter; `moment` is one optimizer moment.
StateBytes state_bytes(Precision precision) {
  switch (precision) {
    case Precision::bf16_mixed:
    case Precision::fp16_mixed: return {4, 2, 4, 4};
    case Precision::bf16_pure: return {2, 0, 2, 2};
    case Precision::fp32: return {4, 0, 4, 4};
  }
  return {4, 2, 4, 4};
}

void set_optimizer(TrainingTerms& terms, Optimizer optimizer, double moment_bytes, double factored_elements) {
  switch (optimizer) {
    case Optimizer::adamw: terms.optimizer_bytes = 2 * moment_bytes; break;
    // Two 8-bit moments and one fp32 scale per block of 256 values each.
    case Optimizer::adamw_8bit: terms.optimizer_bytes = 2 * (1 + 4.0 / 256); break;
    case Optimizer::adafactor: terms.factored_bytes = 4 * factored_elements; break;
    case Optimizer::lion:
    case Optimizer::sgd_momentum: terms.optimizer_bytes = moment_bytes; break;
  }
}

void set_states(TrainingTerms& terms, const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout) {
  const StateBytes bytes = state_bytes(job.precision);
  const bool sharded = layout.shards == Layout::Shards::full;
  terms.gradient_bytes = bytes.gradient;
  terms.step_copy_bytes = bytes.moment;  // the multi-tensor step copies the updated shard once
  if (task == Task::full) {
    terms.plain_parameters = terms.trainable_parameters = sizes.total;
    terms.weight_bytes = bytes.weight;
    terms.cast_bytes = sharded ? 0 : bytes.cast;
    set_optimizer(terms, job.optimizer, bytes.moment, sizes.factored_elements);
  } else {
    const double base_bytes = job.precision == Precision::fp32 ? 4 : 2;
    const bool quantised = task == Task::qlora;
    terms.quantised_parameters = quantised ? sizes.linear + sizes.expert : 0;
    terms.quantised_bits = kNf4DoubleQuantBits;
    terms.plain_parameters = sizes.total - terms.quantised_parameters;
    terms.weight_bytes = base_bytes;
    terms.trainable_parameters = adapter_parameters(sizes, job);
    terms.adapter_weight_bytes = bytes.weight;
    const double per_rank = job.lora_targets == LoraTargets::attention ? sizes.adapter_attention : sizes.adapter_all;
    set_optimizer(terms, job.optimizer, bytes.moment, per_rank);
  }
  if (layout.shards == Layout::Shards::ddp) terms.bucket_bytes = bytes.gradient;
}

void set_temporaries(TrainingTerms& terms, const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout) {
  double largest_layer = 0;
  for (const LayerSize& kind : sizes.kinds) largest_layer = std::max(largest_layer, kind.parameters);
  if (layout.shards == Layout::Shards::full) {
    terms.gathered_parameters = 2 * largest_layer + sizes.table + sizes.head;
    terms.gathered_bytes = job.precision == Precision::fp32 ? 4 : 2;
  }
  if (task == Task::qlora) terms.dequantised_parameters = largest_layer;
}

void set_activations(TrainingTerms& terms, const ModelSizes& sizes, Task task, const TrainingJob& job) {
  const ActivationPath whole = whole_layer(sizes, task, job);
  terms.layer_path = terms.kept_path = whole;
  terms.widths = sizes.widths;
  if (job.recompute == Recompute::none) return;
  const ActivationPath kept = kept_path(job.recompute, whole, job.precision == Precision::fp32 ? 4 : 2);
  ActivationWidths largest;
  for (const LayerSize& kind : sizes.kinds) {
    if (bytes_per_token(whole, kind.widths) > bytes_per_token(whole, largest)) largest = kind.widths;
  }
  // With few layers, or one much larger than the rest, recomputing one layer at a time holds more than keeping all.
  if (bytes_per_token(kept, sizes.widths) + bytes_per_token(whole, largest) >= bytes_per_token(whole, sizes.widths)) return;
  terms.kept_path = kept;
  terms.layer_widths = largest;
}

}  // namespace

double adapter_parameters(const ModelSizes& sizes, const TrainingJob& job) {
  return job.lora_rank * (job.lora_targets == LoraTargets::attention ? sizes.adapter_attention : sizes.adapter_all);
}

TrainingTerms training_terms(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout, const MemoryConstants& constants) {
  TrainingTerms terms;
  terms.shards = layout.shards == Layout::Shards::full ? layout.accelerators : 1;
  set_states(terms, sizes, task, job, layout);
  terms.gradients_kept = job.accumulation_steps > 1;

  terms.tokens = job.micro_batch * job.sequence_tokens;
  set_activations(terms, sizes, task, job);
  terms.vocabulary = sizes.vocabulary;
  terms.hidden = sizes.hidden;
  terms.fused_loss = job.loss == Loss::fused;
  set_temporaries(terms, sizes, task, job, layout);
  terms.talks = layout.accelerators > 1;
  terms.constants = constants;
  return terms;
}

MemoryLines training_lines(const TrainingTerms& t) {
  const MemoryConstants& c = t.constants;
  const bool at_loss = t.moment == PeakMoment::loss;
  MemoryLines lines;
  lines[Line::weights] =
      (t.quantised_parameters * t.quantised_bits / 8 + t.plain_parameters * t.weight_bytes) / t.shards + t.plain_parameters * t.cast_bytes;
  lines[Line::adapters] = t.trainable_parameters * t.adapter_weight_bytes / t.shards;
  lines[Line::gradients] = at_loss && !t.gradients_kept ? 0 : t.trainable_parameters * t.gradient_bytes / t.shards;
  lines[Line::optimizer] = (t.trainable_parameters * t.optimizer_bytes + t.factored_bytes) / t.shards;
  if (at_loss) {
    lines[Line::activations] =
        c.activation_scale * t.tokens * (bytes_per_token(t.kept_path, t.widths) + bytes_per_token(t.layer_path, t.layer_widths));
    lines[Line::logits] = t.fused_loss ? c.fused_loss_bytes_per_hidden * t.tokens * t.hidden : c.logits_bytes_per_element * t.tokens * t.vocabulary;
  }
  lines[Line::temporary] =
      t.trainable_parameters * t.bucket_bytes +
      (at_loss ? t.gathered_parameters * t.gathered_bytes + t.dequantised_parameters * 2 : t.trainable_parameters * t.step_copy_bytes / t.shards);
  lines[Line::overhead] = c.context_bytes + (t.talks ? c.collectives_bytes : 0) + c.allocator_slack * lines.total();
  return lines;
}

TrainingMemory training_memory(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout,
                               const MemoryCalibration& calibration) {
  TrainingTerms terms = training_terms(sizes, task, job, layout, calibration.value);
  TrainingMemory memory;
  const double at_loss = training_lines(terms).total();
  terms.moment = PeakMoment::step;
  memory.moment = training_lines(terms).total() > at_loss ? PeakMoment::step : PeakMoment::loss;
  terms.moment = memory.moment;
  const auto at = [&](const MemoryConstants& constants) {
    terms.constants = constants;
    MemoryLines lines = training_lines(terms);
    lines[Line::weights] *= task == Task::qlora ? constants.quantised_scale : constants.weights_scale;
    return lines;
  };
  memory.lines = {at(calibration.low), at(calibration.value), at(calibration.high)};
  return memory;
}

}  // namespace rigsizer
