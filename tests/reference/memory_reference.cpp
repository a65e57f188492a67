#include "reference/memory_reference.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace rigsizer::reference {
namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

/// Calls `visit` with every tensor of the model and how often it occurs.
void each_tensor(const Architecture& model, const std::function<void(const Tensor&, double)>& visit) {
  for (const Tensor& tensor : model.model_tensors) visit(tensor, 1);
  for (const LayerGroup& group : model.groups) {
    for (const Tensor& tensor : group.layer.tensors) visit(tensor, as_double(group.count));
  }
}

double weights_of(const Tensor& tensor) { return as_double(tensor.inputs) * as_double(tensor.outputs) * as_double(tensor.copies); }

bool is_matrix(const Tensor& tensor) { return tensor.role != Role::vector && tensor.role != Role::expert_vector; }
bool is_quantised(const Tensor& tensor) { return tensor.role == Role::linear || tensor.role == Role::expert; }

double total_weights(const Architecture& model) {
  double sum = 0;
  each_tensor(model, [&](const Tensor& tensor, double times) { sum += weights_of(tensor) * times; });
  return sum;
}

// ---- serving ----

/// Bits of one stored weight, scales included (AWQ and GPTQ groups of 128, DeepSeek's 128 x 128 blocks, OCP MX blocks).
double stored_bits(WeightFormat format, bool routed_expert) {
  switch (format) {
    case WeightFormat::fp32: return 32;
    case WeightFormat::bf16:
    case WeightFormat::fp16: return 16;
    case WeightFormat::fp8: return 8.002;
    case WeightFormat::int8: return 8 + 16.0 / 128;
    case WeightFormat::int4: return 4 + 16.0 / 128 + 4.0 / 128;
    case WeightFormat::nf4: return 4 + 32.0 / 64;
    case WeightFormat::mxfp4: return routed_expert ? 4 + 8.0 / 32 : 16;
  }
  return 0;
}

/// What a format leaves alone: 16 bits, or 32 in an fp32 checkpoint.
double kept_bytes(WeightFormat format) { return format == WeightFormat::fp32 ? 4 : 2; }

/// Checkpoint quantisers write a head of its own; bitsandbytes and MXFP4 checkpoints keep the tie.
bool unties_head(WeightFormat format) { return format == WeightFormat::fp8 || format == WeightFormat::int8 || format == WeightFormat::int4; }

double serving_weights(const Architecture& model, WeightFormat format, double ranks) {
  double bytes = 0;
  each_tensor(model, [&](const Tensor& tensor, double times) {
    const double weights = weights_of(tensor) * times;
    switch (tensor.role) {
      case Role::linear:
      case Role::expert: bytes += weights * stored_bits(format, tensor.role == Role::expert) / 8 / ranks; break;
      case Role::table:
      case Role::head: bytes += weights * kept_bytes(format) / ranks; break;
      case Role::router:
      case Role::tower:
      case Role::expert_vector:
      case Role::vector: bytes += weights * kept_bytes(format); break;
    }
  });
  if (model.tied && unties_head(format)) bytes += as_double(model.vocabulary) * as_double(model.table_width) * 2 / ranks;
  return bytes;
}

double cached_positions(const KvStore& store, double context_tokens) {
  return store.window > 0 ? std::min(context_tokens, as_double(store.window)) : context_tokens;
}

double sequences_here(const ServingJob& job, const Layout& layout) { return std::ceil(job.concurrency / layout.data_parallel); }

double state_of_sequence(const Architecture& model) {
  double bytes = 0;
  for (const LayerGroup& group : model.groups) bytes += as_double(group.count) * as_double(group.layer.state_bytes);
  return bytes;
}

double widest_mlp(const Architecture& model) {
  double widest = 0;
  for (const LayerGroup& group : model.groups) widest = std::max(widest, as_double(group.layer.mlp_width));
  return widest;
}

/// A prefill chunk with its MLP-wide temporaries, or the sampler's logits: whichever is larger.
double serving_activations(const Architecture& model, const ServingJob& job, const Layout& layout, const MemoryConstants& c) {
  const double chunk = std::min(c.prefill_chunk_tokens, job.context_tokens);
  const double body = chunk * 2 * c.body_tensors * (widest_mlp(model) / layout.tensor_parallel + as_double(model.hidden));
  const double sampled = std::max(c.profiled_sequences, sequences_here(job, layout));
  return std::max(body, c.sampler_bytes_per_logit * as_double(model.vocabulary) * sampled);
}

// ---- training ----

double value_bytes(Precision precision) { return precision == Precision::fp32 ? 4 : 2; }
bool is_mixed(Precision precision) { return precision == Precision::bf16_mixed || precision == Precision::fp16_mixed; }
/// Width in which trained weights, gradients and moments are kept.
double state_width(Precision precision) { return precision == Precision::bf16_pure ? 2 : 4; }

bool shards_states(const Layout& layout) { return layout.shards == Layout::Shards::full; }
double parts(const Layout& layout) { return shards_states(layout) ? layout.accelerators : 1; }

double trained_weights(const Architecture& model, Task task, const TrainingJob& job) {
  return task == Task::full ? total_weights(model) : adapter_weights(model, job);
}

/// QLoRA: NF4 with double quantisation, 4 + 8/64 + 32/(64 x 256) bits, on linears and experts; the rest in 16 bits.
double frozen_weights(const Architecture& model, Task task, Precision precision) {
  constexpr double kBits = 4.127;
  double bytes = 0;
  each_tensor(model, [&](const Tensor& tensor, double times) {
    const bool small = task == Task::qlora && is_quantised(tensor);
    bytes += weights_of(tensor) * times * (small ? kBits / 8 : value_bytes(precision));
  });
  return bytes;
}

double training_weights(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout) {
  if (task != Task::full) return frozen_weights(model, task, job.precision) / parts(layout);
  const double kept = total_weights(model) * state_width(job.precision) / parts(layout);
  // Autocast keeps a 16-bit copy beside fp32 weights; a sharded model casts what it gathers, counted as temporary.
  const bool cast = is_mixed(job.precision) && !shards_states(layout);
  return kept + (cast ? total_weights(model) * 2 : 0);
}

/// Adafactor keeps row and column sums in fp32: in + out of a matrix, each element of a vector.
double factored_state(const Architecture& model, Task task, const TrainingJob& job) {
  if (task != Task::full) return 4 * adapter_weights(model, job) / job.lora_rank;
  double elements = 0;
  each_tensor(model, [&](const Tensor& tensor, double times) {
    elements += times * as_double(tensor.copies) * as_double(is_matrix(tensor) ? tensor.inputs + tensor.outputs : tensor.inputs);
  });
  return 4 * elements;
}

double optimizer_state(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout) {
  const double trained = trained_weights(model, task, job);
  const double width = state_width(job.precision);
  switch (job.optimizer) {
    case Optimizer::adamw: return trained * 2 * width / parts(layout);
    case Optimizer::adamw_8bit: return trained * (2 * 1 + 2 * 4.0 / 256) / parts(layout);
    case Optimizer::adafactor: return factored_state(model, task, job) / parts(layout);
    case Optimizer::lion:
    case Optimizer::sgd_momentum: return trained * width / parts(layout);
  }
  return 0;
}

double gradients(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout) {
  return trained_weights(model, task, job) * state_width(job.precision) / parts(layout);
}

/// Bytes one token leaves behind in one layer when everything is kept.
double whole_layer(const Architecture& model, const Layer& layer, Task task, const TrainingJob& job) {
  const double h = as_double(model.hidden);
  const double q = as_double(layer.query_width);
  const double kv = as_double(layer.key_width + layer.value_width);
  const double f = as_double(layer.mlp_width);
  const double wider = value_bytes(job.precision) / 2;  // the table is for 16-bit activations
  const bool attention_only = model.norm_upcasts && task != Task::full && job.lora_targets == LoraTargets::attention;
  double bytes = 0;
  if (!model.norm_upcasts) {
    bytes = wider * (8 * h + 4 * q + 4 * kv) + 4 * as_double(layer.heads);
  } else if (attention_only) {
    bytes = wider * (12 * h + 8 * q);
  } else {
    bytes = wider * (16 * h + 12 * q);
  }
  if (!layer.gated) {
    bytes += wider * 4 * f;
  } else {
    bytes += wider * (attention_only ? 6 : 8) * f;
  }
  if (task == Task::qlora) bytes += wider * (12 * h + 4 * f);
  return bytes + wider * 4 * as_double(layer.experts_per_token) * h + 4 * as_double(layer.experts);
}

double selective_layer(const Architecture& model, const Layer& layer, const TrainingJob& job) {
  const double wider = value_bytes(job.precision) / 2;
  return wider * (4 * as_double(model.hidden) + 4 * as_double(layer.query_width) + 2 * as_double(layer.key_width + layer.value_width) +
                  2 * as_double(layer.mlp_width) + 4 * as_double(layer.experts_per_token) * as_double(model.hidden)) +
         4 * as_double(layer.heads) + 4 * as_double(layer.experts);
}

double kept_by_layer(const Architecture& model, const Layer& layer, Task task, const TrainingJob& job) {
  switch (job.recompute) {
    case Recompute::none: return whole_layer(model, layer, task, job);
    case Recompute::selective: return selective_layer(model, layer, job);
    case Recompute::full: return value_bytes(job.precision) * as_double(model.hidden);
  }
  return 0;
}

/// Recomputing holds one layer whole at a time; where that would hold more than keeping everything, everything is kept.
double activations(const Architecture& model, Task task, const TrainingJob& job, const MemoryConstants& c) {
  double everything = 0;
  double kept = 0;
  double largest = 0;
  for (const LayerGroup& group : model.groups) {
    const double whole = whole_layer(model, group.layer, task, job);
    everything += as_double(group.count) * whole;
    kept += as_double(group.count) * kept_by_layer(model, group.layer, task, job);
    largest = std::max(largest, whole);
  }
  const double held = job.recompute == Recompute::none ? everything : std::min(everything, kept + largest);
  return c.activation_scale * job.micro_batch * job.sequence_tokens * held;
}

double logits(const Architecture& model, const TrainingJob& job, const MemoryConstants& c) {
  const double tokens = job.micro_batch * job.sequence_tokens;
  if (job.loss == Loss::fused) return c.fused_loss_bytes_per_hidden * tokens * as_double(model.hidden);
  return c.logits_bytes_per_element * tokens * as_double(model.vocabulary);
}

double largest_layer(const Architecture& model) {
  double most = 0;
  for (const LayerGroup& group : model.groups) {
    double weights = 0;
    for (const Tensor& tensor : group.layer.tensors) weights += weights_of(tensor);
    most = std::max(most, weights);
  }
  return most;
}

double tables_and_head(const Architecture& model) {
  double weights = 0;
  each_tensor(model, [&](const Tensor& tensor, double times) {
    if (tensor.role == Role::table || tensor.role == Role::head) weights += weights_of(tensor) * times;
  });
  return weights;
}

/// DDP reduces gradients from buckets of its own, as large as all of them.
double buckets(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout) {
  return layout.shards == Layout::Shards::ddp ? trained_weights(model, task, job) * state_width(job.precision) : 0;
}

double temporary_at_loss(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout) {
  double bytes = buckets(model, task, job, layout);
  // The layer being computed and the one being fetched, and both ends of the model.
  if (shards_states(layout)) bytes += (2 * largest_layer(model) + tables_and_head(model)) * value_bytes(job.precision);
  if (task == Task::qlora) bytes += largest_layer(model) * 2;
  return bytes;
}

double temporary_at_step(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout) {
  return buckets(model, task, job, layout) + trained_weights(model, task, job) * state_width(job.precision) / parts(layout);
}

double overhead(const MemoryLines& lines, const Layout& layout, const MemoryConstants& c) {
  return c.context_bytes + (layout.accelerators > 1 ? c.collectives_bytes : 0) + c.allocator_slack * lines.total();
}

MemoryLines states(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout) {
  MemoryLines lines;
  lines[Line::weights] = training_weights(model, task, job, layout);
  if (task != Task::full) lines[Line::adapters] = adapter_weights(model, job) * state_width(job.precision) / parts(layout);
  lines[Line::optimizer] = optimizer_state(model, task, job, layout);
  return lines;
}

MemoryLines at_loss(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout, const MemoryConstants& c) {
  MemoryLines lines = states(model, task, job, layout);
  if (job.accumulation_steps > 1) lines[Line::gradients] = gradients(model, task, job, layout);
  lines[Line::activations] = activations(model, task, job, c);
  lines[Line::logits] = logits(model, job, c);
  lines[Line::temporary] = temporary_at_loss(model, task, job, layout);
  lines[Line::overhead] = overhead(lines, layout, c);
  return lines;
}

MemoryLines at_step(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout, const MemoryConstants& c) {
  MemoryLines lines = states(model, task, job, layout);
  lines[Line::gradients] = gradients(model, task, job, layout);
  lines[Line::temporary] = temporary_at_step(model, task, job, layout);
  lines[Line::overhead] = overhead(lines, layout, c);
  return lines;
}

}  // namespace

double kv_bytes_of_sequence(const Architecture& model, double context_tokens, int tensor_parallel, double bytes_per_value) {
  double bytes = 0;
  for (const LayerGroup& group : model.groups) {
    for (const KvStore& store : group.layer.kv) {
      const double entries = std::ceil(cached_positions(store, context_tokens) / as_double(store.tokens_per_entry));
      // Whole heads per rank; with fewer heads than ranks each rank holds one, copied.
      const double per_head = as_double(store.elements) / as_double(store.heads);
      const double heads_here = std::max(1.0, std::ceil(as_double(store.heads) / tensor_parallel));
      bytes += as_double(group.count) * entries * per_head * heads_here * bytes_per_value;
    }
  }
  return bytes;
}

double adapter_weights(const Architecture& model, const TrainingJob& job) {
  double weights = 0;
  each_tensor(model, [&](const Tensor& tensor, double times) {
    if (tensor.role == Role::expert || tensor.adapter == AdapterTarget::none) return;
    if (job.lora_targets == LoraTargets::attention && tensor.adapter != AdapterTarget::attention) return;
    weights += times * job.lora_rank * as_double(tensor.inputs + tensor.outputs);
  });
  return weights;
}

MemoryLines serving(const Architecture& model, const ServingJob& job, const Layout& layout, const MemoryConstants& c) {
  const double context = std::ceil(job.context_tokens / 16) * 16;
  const double value = job.kv_format == KvFormat::fp8 || job.kv_format == KvFormat::int8 ? 1 : 2;
  const double sequences = sequences_here(job, layout);
  MemoryLines lines;
  lines[Line::weights] = serving_weights(model, job.weight_format, layout.tensor_parallel);
  lines[Line::kv_cache] = sequences * kv_bytes_of_sequence(model, context, layout.tensor_parallel, value);
  lines[Line::state] = sequences * state_of_sequence(model) / layout.tensor_parallel;
  lines[Line::activations] = serving_activations(model, job, layout, c);
  lines[Line::overhead] = c.serving_context_bytes + c.graphs_bytes;
  return lines;
}

MemoryLines training(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout, const MemoryConstants& c) {
  const MemoryLines loss = at_loss(model, task, job, layout, c);
  const MemoryLines step = at_step(model, task, job, layout, c);
  return step.total() > loss.total() ? step : loss;
}

}  // namespace rigsizer::reference
