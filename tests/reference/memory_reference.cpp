#include "reference/memory_reference.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "memory/training.h"

namespace rigsizer::reference {
namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

/// Calls `visit` with every tensor of the model and how often it occurs.
void each_tensor(const Architecture& model, const std::function<void(const Tensor&, double)>& visit) {
  for (const Tensor& tensor : model.model_tensors) visit(tensor, 1);
  for (const LayerGroup& group : model.groups) {
    for (const Tensor& tensor : group.layer.tensors) visit(tensor, group.shared ? 1 : as_double(group.count));
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

/// Whole groups that `count` weights fill, the last one perhaps in part.
double groups(double count, double size) {
  double sum = 0;
  for (double covered = 0; covered < count; covered += size) ++sum;
  return sum;
}

/// Bytes of a quantised matrix by the name of its storage: packed values, then what is kept beside them.
double packed(const std::string& storage, double inputs, double outputs) {
  const double weights = inputs * outputs;
  const auto grouped = [&](double bits, double size, double beside) { return weights * bits / 8 + groups(inputs, size) * outputs * beside; };
  if (storage == "fp32") return weights * 4;
  if (storage == "fp8") return weights + 4 * groups(inputs, 128) * groups(outputs, 128);
  if (storage == "fp8:tensor") return weights + 4;
  if (storage == "int8") return weights + 4 * outputs;
  if (storage == "gptq8") return grouped(8, 128, 2 + 1);
  if (storage == "int4") return grouped(4, 128, 2 + 0.5);
  if (storage == "w4a16") return grouped(4, 128, 2);
  if (storage == "int4:g32") return grouped(4, 32, 2);
  if (storage == "nf4") return weights / 2 + weights / 64 * 4;
  if (storage == "nf4-dq") return weights / 2 + weights / 64 + weights / 64 / 256 * 4;
  if (storage == "mxfp4") return groups(inputs, 32) * outputs * (16 + 1);
  if (storage == "nvfp4") return groups(inputs, 16) * outputs * (8 + 1) + 4;
  return weights * 2;
}

bool is_of_mlp(const Tensor& tensor) { return tensor.part == Part::mlp || tensor.part == Part::moe; }

/// How a matrix of a format is stored. `end` says that it stands in the first or the last layer.
std::string storage_of(const std::string& format, const Tensor& tensor, bool end) {
  const bool routed = tensor.role == Role::expert;
  if (format == "mxfp4") return routed ? "mxfp4" : "bf16";
  if (format == "int4:experts") return routed ? "int4:g32" : "bf16";
  if (format == "fp8/fp4") return routed ? "mxfp4" : "fp8";
  if (format == "nvfp4+fp8") return is_of_mlp(tensor) ? "nvfp4" : "fp8:tensor";
  if (format == "fp8 (mixed)") return is_of_mlp(tensor) && !end ? "fp8:tensor" : "bf16";
  if (format == "fp8-cast") return "fp8:tensor";
  if (format == "bnb-int8") return "int8";
  if (format == "gptq") return "int4";
  return format;
}

/// Checkpoint quantisers write a head of its own; conversions on loading and checkpoints of quantised experts keep the tie.
bool unties_head(const std::string& format) {
  for (const char* const one : {"fp8", "fp8:tensor", "int8", "gptq8", "int4", "gptq", "w4a16", "nvfp4", "fp8 (mixed)", "nvfp4+fp8"}) {
    if (format == one) return true;
  }
  return false;
}

double serving_weights(const Architecture& model, const std::string& format, double ranks) {
  const double kept = format == "fp32" ? 4 : 2;
  const double kv_heads = std::max(1.0, as_double(model.kv_heads));
  const double kv_share = std::max(1.0, std::ceil(kv_heads / ranks)) / kv_heads;
  double bytes = 0;
  const auto add = [&](const Tensor& tensor, bool end, bool in_layer) {
    const bool quantised = is_quantised(tensor);
    const double each = quantised ? packed(storage_of(format, tensor, end), as_double(tensor.inputs), as_double(tensor.outputs)) : 0;
    const double whole = quantised ? each * as_double(tensor.copies) : weights_of(tensor) * kept;
    const bool splits = quantised || tensor.role == Role::table || tensor.role == Role::head || (in_layer && tensor.role == Role::expert_vector);
    switch (tensor.matrix) {
      case Matrix::key:
      case Matrix::value: bytes += in_layer ? whole * kv_share : whole / ranks; break;
      case Matrix::latent_query_down:
      case Matrix::latent_kv_down:
      case Matrix::indexer:
      case Matrix::low_rank: bytes += in_layer ? whole : whole / ranks; break;
      default: bytes += splits ? whole / ranks : whole;
    }
  };
  for (const Tensor& tensor : model.model_tensors) add(tensor, false, false);
  for (const LayerGroup& group : model.groups) {
    for (const std::int64_t position : group.positions) {
      for (const Tensor& tensor : group.layer.tensors) add(tensor, position == 0 || position == model.layers - 1, true);
      if (group.shared) break;
    }
  }
  if (model.tied && unties_head(format)) bytes += as_double(model.vocabulary) * as_double(model.table_width) * 2 / ranks;
  return bytes;
}

double cached_positions(const Architecture& model, const KvStore& store, double context_tokens) {
  if (store.cross && model.source_tokens > 0) context_tokens = as_double(model.source_tokens);
  return store.window > 0 ? std::min(context_tokens, as_double(store.window)) : context_tokens;
}

/// Blocks of 32 values hold a 16-bit scale, those whose name ends in 1 a 16-bit offset as well.
double cached_bytes(KvFormat format) {
  switch (format) {
    case KvFormat::f32: return 4;
    case KvFormat::bf16:
    case KvFormat::fp16: return 2;
    case KvFormat::fp8:
    case KvFormat::int8: return 1;
    case KvFormat::q8_0: return (32 + 2) / 32.0;
    case KvFormat::q5_1: return (20 + 2 + 2) / 32.0;
    case KvFormat::q5_0: return (20 + 2) / 32.0;
    case KvFormat::q4_1: return (16 + 2 + 2) / 32.0;
    case KvFormat::q4_0:
    case KvFormat::iq4_nl: return (16 + 2) / 32.0;
  }
  return 0;
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
  if (model.kind == Architecture::Kind::encoder) return body;  // nothing is sampled
  const double sampled = std::max(c.profiled_sequences, sequences_here(job, layout));
  return std::max(body, c.sampler_bytes_per_logit * as_double(model.vocabulary) * sampled);
}

// ---- training ----

double value_bytes(Precision precision) { return precision == Precision::fp32 ? 4 : 2; }
bool is_mixed(Precision precision) { return precision == Precision::bf16_mixed || precision == Precision::fp16_mixed; }
bool shards_states(const Layout& layout) { return layout.shards == Layout::Shards::full; }
double parts(const Layout& layout) { return shards_states(layout) ? layout.accelerators : 1; }

double trained_weights(const Architecture& model, Task task, const TrainingJob& job) {
  return task == Task::full ? total_weights(model) : adapter_weights(model, job);
}

/// Bytes per trained weight of each state.
struct Recipe {
  double weight = 4, gradient = 4, master = 0, moment = 4;
};

Recipe recipe(Task task, const TrainingJob& job, const Layout& layout) {
  if (job.precision == Precision::bf16_pure) return {2, 2, 0, 2};
  if (task != Task::full || shards_states(layout) || !is_mixed(job.precision)) return {};
  // 16-bit weights with fp32 master weights: fp16 keeps fp16 gradients, bf16 sums its 16-bit ones up in fp32 beside them.
  return {2, job.precision == Precision::fp16_mixed ? 2.0 : 2.0 + 4.0, 4, 4};
}

/// QLoRA: NF4 with double quantisation, 4 + 8/64 + 32/(64 x 256) bits, on linears and experts; the rest as computed with.
double frozen_weights(const Architecture& model, Task task, Precision precision) {
  constexpr double kBits = 4 + 8.0 / 64 + 32.0 / (64 * 256);
  double bytes = 0;
  each_tensor(model, [&](const Tensor& tensor, double times) {
    const bool small = task == Task::qlora && is_quantised(tensor);
    bytes += weights_of(tensor) * times * (small ? kBits / 8 : value_bytes(precision));
  });
  return bytes;
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
  const Recipe bytes = recipe(task, job, layout);
  const double trained = trained_weights(model, task, job);
  double per_weight = bytes.master;
  double more = 0;
  switch (job.optimizer) {
    case Optimizer::adamw: per_weight += 2 * bytes.moment; break;
    case Optimizer::adamw_8bit: per_weight += 2 + 2 * 4.0 / 256; break;
    case Optimizer::adafactor: more = factored_state(model, task, job); break;
    case Optimizer::lion:
    case Optimizer::sgd_momentum: per_weight += bytes.moment; break;
    case Optimizer::sgd:
    case Optimizer::muon: break;  // not among the generated jobs
  }
  return (trained * per_weight + more) / parts(layout);
}

/// Some layers (an encoder's beside a decoder's) are of a width of their own.
double hidden_of(const Architecture& model, const Layer& layer) { return as_double(layer.hidden > 0 ? layer.hidden : model.hidden); }

/// Only adapters beside the attention products: frozen products need no input of their own.
bool is_narrow(Task task, const TrainingJob& job) { return task != Task::full && job.lora_targets == LoraTargets::attention; }

/// Bytes one token leaves behind in one layer when everything is kept.
double whole_layer(const Architecture& model, const Layer& layer, Task task, const TrainingJob& job) {
  const double h = hidden_of(model, layer);
  const double q = as_double(layer.query_width);
  const double kv = as_double(layer.key_width + layer.value_width);
  const double f = as_double(layer.mlp_width);
  const double wider = value_bytes(job.precision) / 2;  // the table is for 16-bit activations
  const bool narrow = is_narrow(task, job);
  double bytes = 0;
  if (model.norm_upcasts) {
    bytes = wider * (narrow ? 12 * h + 8 * q : 16 * h + 12 * q);
  } else {
    bytes = wider * ((narrow ? 6 : 8) * h + 4 * q + 4 * kv) + 4 * as_double(layer.heads);
  }
  const double plain_mlp = narrow && !model.norm_upcasts ? 2 : 4;
  bytes += wider * (layer.gated ? (narrow ? 6 : 8) : plain_mlp) * f;
  return bytes + wider * 4 * as_double(layer.experts_per_token) * h + 4 * as_double(layer.experts);
}

/// What frozen 4-bit linears keep of their inputs besides.
double quantised_inputs(const Architecture& model, const Layer& layer, Task task, const TrainingJob& job) {
  if (task != Task::qlora) return 0;
  return value_bytes(job.precision) / 2 * (12 * hidden_of(model, layer) + 4 * as_double(layer.mlp_width));
}

double selective_layer(const Architecture& model, const Layer& layer, const TrainingJob& job) {
  const double wider = value_bytes(job.precision) / 2;
  return wider * (4 * hidden_of(model, layer) + 4 * as_double(layer.query_width) + 2 * as_double(layer.key_width + layer.value_width) +
                  2 * as_double(layer.mlp_width) + 4 * as_double(layer.experts_per_token) * hidden_of(model, layer)) +
         4 * as_double(layer.heads) + 4 * as_double(layer.experts);
}

/// Activations that stay until their layer's backward pass, and those of the one layer being recomputed.
struct Held {
  double kept = 0, working = 0;
  bool recomputes = true;  ///< else the working layer is one of the kept
};

/// Where recomputing one layer at a time would hold more than keeping everything, everything is kept.
Held held_activations(const Architecture& model, Task task, const TrainingJob& job, const MemoryConstants& c) {
  const double tokens = job.micro_batch * job.sequence_tokens * c.eager_scale;
  double whole = 0;
  double inputs = 0;
  double kept = 0;
  double largest = 0;
  double largest_scaled = 0;
  for (const LayerGroup& group : model.groups) {
    const double layers = as_double(group.count);
    const double one = whole_layer(model, group.layer, task, job);
    const double frozen = quantised_inputs(model, group.layer, task, job);
    whole += layers * one;
    inputs += layers * frozen;
    kept += layers * (job.recompute == Recompute::selective ? selective_layer(model, group.layer, job)
                                                            : value_bytes(job.precision) * hidden_of(model, group.layer));
    if (one + frozen > largest) {
      largest = one + frozen;
      largest_scaled = one + c.quantised_input_scale * frozen;
    }
  }
  if (job.recompute == Recompute::none || kept + largest >= whole + inputs) {
    return {tokens * (whole + c.quantised_input_scale * inputs), tokens * largest_scaled, false};
  }
  return {.kept = tokens * kept, .working = tokens * largest_scaled};
}

double logits(const Architecture& model, const TrainingJob& job, const MemoryConstants& c) {
  if (model.vocabulary == 0) return 0;
  const double tokens = job.micro_batch * job.sequence_tokens;
  if (job.loss == Loss::fused) return c.fused_loss_bytes_per_hidden * tokens * as_double(model.hidden);
  return c.eager_logit_bytes * tokens * as_double(model.vocabulary);
}

double largest_layer(const Architecture& model) {
  double most = 0;
  for (const LayerGroup& group : model.groups) {
    double weights = 0;
    for (const Tensor& tensor : group.layer.tensors) weights += weights_of(tensor);
    most = std::max(most, group.shared ? weights / as_double(group.count) : weights);
  }
  return most;
}

double largest_linear(const Architecture& model) {
  double most = 0;
  for (const LayerGroup& group : model.groups) {
    for (const Tensor& tensor : group.layer.tensors) {
      if (tensor.role == Role::linear) most = std::max(most, as_double(tensor.inputs) * as_double(tensor.outputs));
    }
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

/// Sharded weights fetched for use, and a frozen 4-bit matrix in 16 bits.
double fetched(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout) {
  double bytes = 0;
  // The layer being computed and the one being fetched, and both ends of the model.
  const double compressed = task == Task::qlora ? (4 + 8.0 / 64 + 32.0 / (64 * 256)) / 16 : 1;
  if (shards_states(layout)) bytes += (2 * largest_layer(model) * compressed + tables_and_head(model)) * value_bytes(job.precision);
  if (task == Task::qlora) bytes += largest_linear(model) * 2;
  return bytes;
}

MemoryLines at(PeakMoment moment, const Architecture& model, Task task, const TrainingJob& job, const Layout& layout, const MemoryConstants& c) {
  const Recipe bytes = recipe(task, job, layout);
  const double trained = trained_weights(model, task, job);
  MemoryLines lines;
  lines[Line::weights] =
      task == Task::full ? total_weights(model) * bytes.weight / parts(layout) : frozen_weights(model, task, job.precision) / parts(layout);
  if (task != Task::full) lines[Line::adapters] = trained * bytes.weight / parts(layout);
  lines[Line::optimizer] = optimizer_state(model, task, job, layout);

  const bool outlive = job.accumulation_steps > 1 || (task == Task::full && !shards_states(layout) && is_mixed(job.precision));
  const bool done = moment == PeakMoment::end || moment == PeakMoment::step;
  if (done || outlive) lines[Line::gradients] = trained * bytes.gradient / parts(layout);

  const Held held = held_activations(model, task, job, c);
  const double all_logits = logits(model, job, c);
  // DDP reduces from buckets as large as all gradients, unless the recipe keeps buffers of its own.
  double temporary = layout.shards == Layout::Shards::ddp && bytes.master == 0 ? trained * bytes.gradient : 0;
  if (moment != PeakMoment::step) temporary += fetched(model, task, job, layout);
  switch (moment) {
    case PeakMoment::loss:
      lines[Line::activations] = held.kept + (held.recomputes ? c.overlap_share * held.working : 0);
      lines[Line::logits] = all_logits;
      break;
    case PeakMoment::backward:
      lines[Line::activations] = held.kept + (held.recomputes ? held.working : 0);
      lines[Line::logits] = c.overlap_share * all_logits;
      break;
    case PeakMoment::end: lines[Line::activations] = held.working; break;
    case PeakMoment::step: temporary += trained * bytes.moment / parts(layout); break;
  }
  lines[Line::temporary] = temporary;
  lines[Line::allocator] = c.slack_share * lines.total();
  lines[Line::overhead] = c.context_bytes + (layout.accelerators > 1 ? c.collectives_bytes : 0);
  return lines;
}

}  // namespace

double kv_bytes_of_sequence(const Architecture& model, double context_tokens, int tensor_parallel, double bytes_per_value) {
  double bytes = 0;
  for (const LayerGroup& group : model.groups) {
    for (const KvStore& store : group.layer.kv) {
      const double entries = std::ceil(cached_positions(model, store, context_tokens) / as_double(store.tokens_per_entry));
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

MemoryLines serving(const Architecture& model, const std::string& format, const ServingJob& job, const Layout& layout, const MemoryConstants& c) {
  const double context = std::ceil(job.context_tokens / 16) * 16;
  const double value = cached_bytes(job.kv_format);
  const double sequences = sequences_here(job, layout);
  MemoryLines lines;
  lines[Line::weights] = serving_weights(model, format, layout.tensor_parallel);
  lines[Line::kv_cache] = sequences * kv_bytes_of_sequence(model, context, layout.tensor_parallel, value);
  lines[Line::state] = sequences * state_of_sequence(model) / layout.tensor_parallel;
  lines[Line::activations] = serving_activations(model, job, layout, c);
  lines[Line::overhead] = c.serving_context_bytes + c.graphs_bytes;
  return lines;
}

MemoryLines training(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout, const MemoryConstants& c) {
  MemoryLines most;
  for (const PeakMoment moment : {PeakMoment::loss, PeakMoment::backward, PeakMoment::end, PeakMoment::step}) {
    const MemoryLines lines = at(moment, model, task, job, layout, c);
    if (lines.total() > most.total()) most = lines;
  }
  return most;
}

}  // namespace rigsizer::reference
