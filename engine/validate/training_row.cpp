#include "validate/training_row.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "quantity/units.h"
#include "validate/stated_shape.h"

namespace rigsizer {
namespace {

bool contains(const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; }

std::optional<Task> task_of(const std::string& task) {
  if (task == "pretrain" || task == "full_ft") return Task::full;
  if (task == "lora") return Task::lora;
  if (task == "qlora") return Task::qlora;
  return std::nullopt;
}

std::optional<Precision> precision_of(const std::string& weights, const std::string& compute) {
  const bool fp16 = contains(compute, "fp16");
  if (contains(weights, "fp32 master")) return fp16 ? Precision::fp16_mixed : Precision::bf16_mixed;
  if (weights == "fp32") {
    if (compute == "fp32") return Precision::fp32;
    return fp16 ? Precision::fp16_autocast : Precision::bf16_autocast;
  }
  if (weights == "bf16") return Precision::bf16_pure;
  return std::nullopt;
}

std::optional<BaseFormat> base_of(const std::string& weights) {
  if (weights == "bf16" || weights == "fp16") return BaseFormat::bf16;
  if (weights == "fp32") return BaseFormat::fp32;
  if (weights == "int8") return BaseFormat::int8;
  if (weights == "nf4") return BaseFormat::nf4;
  if (weights == "nf4-dq") return BaseFormat::nf4_double;
  if (weights == "gptq-int4") return BaseFormat::gptq4;
  if (weights == "gptq-int8") return BaseFormat::gptq8;
  return std::nullopt;
}

std::optional<Optimizer> optimizer_of(const std::string& text) {
  if (text.empty() || contains(text, "4bit")) return std::nullopt;
  if (contains(text, "8bit")) return Optimizer::adamw_8bit;
  if (contains(text, "Adafactor")) return Optimizer::adafactor;
  if (contains(text, "SGD")) return Optimizer::sgd;
  if (contains(text, "Lion")) return Optimizer::lion;
  return Optimizer::adamw;
}

Step step_of(const std::string& optimizer) {
  if (contains(optimizer, "in backward")) return Step::in_backward;
  return contains(optimizer, "fused") || contains(optimizer, "distributed") || contains(optimizer, "8bit") ? Step::fused : Step::foreach_copy;
}

LoraTargets targets_of(const std::string& targets) {
  if (targets == "q+v") return LoraTargets::query_value;
  const bool attention = targets == "attention" || targets.starts_with("qkv (") || targets == "qkv" || targets == "q+k+v";
  return attention ? LoraTargets::attention : LoraTargets::all_linear;
}

/// "tp=8;pp=10;ddp=4" and its kin.
struct Parallelism {
  double tensor = 1, pipeline = 1, context = 1, expert = 1;
  std::optional<double> data;
  Layout::Shards shards = Layout::Shards::none;
  bool overlap = true;
  bool sequence = false;
  std::string unknown;
};

void read_part(const std::string& part, Parallelism& p) {
  const std::size_t equals = part.find('=');
  const std::string name = part.substr(0, equals);
  const double degree = equals == std::string::npos ? 0 : std::strtod(part.c_str() + equals + 1, nullptr);
  if (name == "tp")
    p.tensor = degree;
  else if (name == "pp")
    p.pipeline = degree, p.overlap = !contains(part, "naive");
  else if (name == "cp")
    p.context = degree;
  else if (name == "ep")
    p.expert = degree;
  else if (name == "ddp") {
    if (degree > 0) p.data = degree;
    if (p.shards == Layout::Shards::none) p.shards = Layout::Shards::ddp;
  } else if (name == "zero1")
    p.shards = Layout::Shards::zero1;
  else if (name == "zero2")
    p.shards = Layout::Shards::zero2;
  else if (name == "fsdp/zero3") {
    p.shards = Layout::Shards::full;
    if (degree > 0) p.data = degree;
  } else if (name == "sp")
    p.sequence = true;
  else if (!name.empty())
    p.unknown = part;
}

Parallelism parallelism_of(const std::string& text) {
  Parallelism p;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    read_part(text.substr(begin, end - begin), p);
    begin = end + 1;
  }
  return p;
}

Result<Layout> layout_of(const Row& row) {
  const auto count = row.number("gpu_count");
  if (!count) return unstated("the number of GPUs is not stated");
  const Parallelism p = parallelism_of(row.text("parallelism"));
  if (!p.unknown.empty()) return unsupported("the parallelism \"" + p.unknown + "\" is not known");
  const double model = p.tensor * p.pipeline * p.context;
  Layout layout{.accelerators = static_cast<int>(*count),
                .tensor_parallel = static_cast<int>(p.tensor),
                .data_parallel = static_cast<int>(p.data.value_or(std::max(1.0, std::floor(*count / model)))),
                .shards = p.shards,
                .context_parallel = static_cast<int>(p.context),
                .pipeline_parallel = static_cast<int>(p.pipeline),
                .pipeline_overlap = p.overlap,
                // Fully sharded runs divide norms with the matrices as a matter of course; others say so.
                .sequence_parallel = p.sequence || p.shards == Layout::Shards::full,
                .expert_parallel = static_cast<int>(p.expert)};
  const bool plain = layout.shards == Layout::Shards::ddp || layout.shards == Layout::Shards::none;
  if (plain && layout.data_parallel == 1) layout.shards = Layout::Shards::none;
  if (plain && layout.shard_degree() > 1) {
    const bool distributed = contains(row.text("optimizer"), "distributed optimizer");
    if (distributed)
      layout.shards = Layout::Shards::zero1;
    else if (contains(row.text("weight_dtype"), "master"))
      layout.shards = Layout::Shards::ddp;
  }
  if (row.mentions("notes", "interleaved")) layout.virtual_stages = 2;
  return layout;
}

Recompute recompute_of(const Row& row) {
  const std::string& stated = row.text("grad_checkpointing");
  if (stated == "none") return Recompute::none;
  if (stated == "full") return Recompute::full;
  return row.mentions("notes", "every second layer") ? Recompute::alternate : Recompute::selective;
}

Offload offload_of(const std::string& text, const std::string& optimizer, bool sharded) {
  // Sharded parameters on the host take their gradients and optimizer state with them.
  const bool all = sharded && contains(text, "params");
  return {.optimizer = all || contains(text, "optimizer"),
          .paged = contains(optimizer, "paged"),
          .gradients = all || contains(text, "grads"),
          .parameters = contains(text, "params"),
          .activations = contains(text, "activations")};
}

Lengths lengths_of(const Row& row) {
  if (row.mentions("notes", "pack") || row.mentions("notes", "dummy")) return Lengths::fixed;
  const bool vary = row.mentions("notes", "truncated") || row.mentions("notes", "on average");
  return vary ? Lengths::variable : Lengths::fixed;
}

Measure measure_of(const std::string& kind) {
  if (kind == "allocated") return Measure::allocated;
  return kind == "reserved" ? Measure::reserved : Measure::device;
}

}  // namespace

Result<TrainingCase> training_case(const Catalog& catalog, const Row& row) {
  TrainingCase wanted;
  const auto task = task_of(row.text("task"));
  if (!row.has("task")) return unstated("task is not stated");
  if (!task) return unsupported("the task " + row.text("task") + " is not a language model's");
  wanted.task = *task;
  for (const char* column : {"micro_batch_per_gpu", "seq_len"}) {
    if (!row.number(column)) return unstated(std::string{column} + " is not stated");
  }
  if (!row.has("grad_checkpointing")) return unstated("grad_checkpointing is not stated");
  const auto optimizer = optimizer_of(row.text("optimizer"));
  if (!optimizer)
    return row.has("optimizer") ? unsupported("the optimizer " + row.text("optimizer") + " is not known") : unstated("the optimizer is not stated");
  Result<Layout> layout = layout_of(row);
  if (!layout) return layout.failure();
  wanted.layout = *layout;

  TrainingJob& job = wanted.job;
  const std::string& weights = row.text("weight_dtype");
  const std::string& compute = row.text("compute_dtype");
  if (wanted.task == Task::full) {
    const auto precision = precision_of(weights, compute);
    if (!precision) return weights.empty() ? unstated("weight_dtype is not stated") : unsupported("the weight format " + weights + " is not known");
    job.precision = *precision;
  } else {
    const auto base = base_of(weights);
    if (!base) return weights.empty() ? unstated("weight_dtype is not stated") : unsupported("the weight format " + weights + " is not known");
    job.base = *base;
    job.precision = compute == "bf16 true" ? Precision::bf16_pure : Precision::bf16_mixed;
    if (!row.number("lora_rank")) return unstated("lora_rank is not stated");
    job.lora_rank = *row.number("lora_rank");
    job.lora_targets = targets_of(row.text("lora_targets"));
  }
  job.optimizer = *optimizer;
  job.step = step_of(row.text("optimizer"));
  job.micro_batch = *row.number("micro_batch_per_gpu");
  job.sequence_tokens = *row.number("seq_len");
  job.accumulation_steps = row.number("grad_accum").value_or(1);
  const bool megatron = contains(row.text("optimizer"), "distributed optimizer");
  if (wanted.layout.pipeline_parallel > 1 && row.mentions("notes", "split in pipeline microbatches")) {
    const double parts = wanted.layout.pipeline_parallel;
    job.micro_batch /= parts;
    job.accumulation_steps = parts;
  }
  job.recompute = recompute_of(row);
  job.flash_attention = row.text("flash_attention") != "n";
  job.kernels = megatron ? Kernels::fused : row.text("compile") == "y" ? Kernels::compiled : Kernels::eager;
  // A cross entropy over chunks of whole logits (it comes with "bf16 true") keeps every chunk's, so it saves nothing.
  job.loss = row.text("fused_loss") == "y" && !megatron && compute != "bf16 true" ? Loss::fused : Loss::plain;
  job.lengths = lengths_of(row);
  job.offload = offload_of(row.text("offload"), row.text("optimizer"), wanted.layout.shards == Layout::Shards::full);
  job.dora = row.mentions("notes", "DoRA");

  const Result<Architecture> shape = stated_shape(catalog, row);
  if (!shape) return shape.failure();
  wanted.sizes = sizes_of(*shape);
  wanted.measure = measure_of(row.text("mem_kind"));
  if (const Accelerator* card = catalog.accelerator(row.text("gpu_id")); card != nullptr && card->usable_gib) {
    wanted.usable_bytes = *card->usable_gib * kGib;
  }
  return wanted;
}

Band predicted_peak(const TrainingCase& wanted, const MemoryCalibration& calibration) {
  BandedLines lines = training_memory(wanted.sizes, wanted.task, wanted.job, wanted.layout, calibration).lines;
  if (wanted.measure != Measure::device) lines.value[Line::overhead] = 0;
  if (wanted.measure == Measure::allocated) lines.value[Line::allocator] = 0;
  Band peak = lines.total();
  if (wanted.usable_bytes == 0) return peak;
  double allocated = peak.value - lines.value[Line::allocator];
  if (wanted.job.offload.paged)
    allocated -= lines.value[Line::optimizer];
  else if (wanted.measure == Measure::allocated)
    return peak;
  if (allocated > wanted.usable_bytes) return peak;
  peak.value = std::min(peak.value, wanted.usable_bytes);
  peak.high = std::max(peak.value, std::min(peak.high, wanted.usable_bytes));
  peak.low = std::min(peak.low, peak.value);
  return peak;
}

std::vector<Comparison> compare_training(const Catalog& catalog, const Row& row) {
  const auto measured = row.number("measured_peak_mem_gib");
  if (!measured) return {};
  Comparison one = comparison_of(row, "memory_gib", *measured);
  const Result<TrainingCase> wanted = training_case(catalog, row);
  if (!wanted) {
    one.skip(wanted.failure());
    return {one};
  }
  one.kind = std::string{kEstimateKindNames[static_cast<std::size_t>(training_kind(wanted->task))]};
  const Band peak = predicted_peak(*wanted, catalog.memory);
  one.predicted = Band{peak.value / kGib, peak.low / kGib, peak.high / kGib};
  return {one};
}

}  // namespace rigsizer
