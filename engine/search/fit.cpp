#include "search/fit.h"

#include <algorithm>
#include <cmath>

#include "memory/serving.h"
#include "quantity/units.h"

namespace rigsizer {
namespace {

bool is_fp8(WeightScheme scheme) { return scheme == WeightScheme::fp8_tensor || scheme == WeightScheme::fp8_block; }
bool is_fp4(WeightScheme scheme) { return scheme == WeightScheme::mxfp4 || scheme == WeightScheme::nvfp4; }

/// Beside quantised experts the rest of the checkpoint is bf16.
bool serves_in_bf16(const WeightFormat& format) {
  const bool floats = format.scheme == WeightScheme::floats || (format.scheme == WeightScheme::mxfp4 && format.others == WeightScheme::floats);
  return floats && format.bits != 32 && format.brain_float;
}

/// Integer and 4-bit NormalFloat weights are unpacked to whichever 16-bit format the card has.
bool unpacks_to_16_bits(const WeightFormat& format) { return format.quantised() && !is_fp8(format.scheme) && !is_fp4(format.scheme); }

bool computes_in_bf16(const ModelSizes& sizes, const Job& job) {
  if (job.task == Task::serve) return serves_in_bf16(sizes.weights.format);
  return job.training.precision == Precision::bf16_mixed || job.training.precision == Precision::bf16_pure;
}

bool computes_in_any_16(const ModelSizes& sizes, const Job& job) {
  return job.task == Task::serve && sizes.weights.format.quantised() && !serves_in_bf16(sizes.weights.format);
}

bool computes_in_fp32(const ModelSizes& sizes, const Job& job) {
  return job.task == Task::serve ? sizes.weights.format == WeightFormat::fp32 : job.training.precision == Precision::fp32;
}

/// What the hardware does to the job's number formats.
class FormatCheck {
 public:
  FormatCheck(const Accelerator& card, Fit& fit) : card_{card}, fit_{fit} {}

  void needs(Support support, const char* format, const char* code) {
    if (support == Support::no) refuse(code);
    if (support == Support::unknown) {
      doubtful_ = true;
      fit_.reasons.push_back({"format_unknown", {{"accelerator", card_.id}, {"format", std::string{format}}}});
    }
  }
  void refuse(const char* code) {
    refused_ = true;
    fit_.reasons.push_back({code, {{"accelerator", card_.id}}});
  }
  [[nodiscard]] bool refused() const { return refused_; }
  [[nodiscard]] bool doubtful() const { return doubtful_; }

 private:
  const Accelerator& card_;
  Fit& fit_;
  bool refused_ = false;
  bool doubtful_ = false;
};

/// Cards without the arithmetic can still keep such weights and unpack them, where software for it exists.
void check_small_floats(const Accelerator& card, Support native, bool eight, FormatCheck& check, Fit& fit) {
  if (native != Support::yes && card.has_weight_only_floats()) {
    fit.notes.push_back({eight ? "fp8_weight_only" : "fp4_weight_only", Severity::info, {}});
  } else {
    check.needs(native, eight ? "fp8" : "fp4", eight ? "no_fp8" : "no_fp4");
  }
}

FormatCheck check_formats(const Accelerator& card, const ModelSizes& sizes, const Job& job, Fit& fit) {
  FormatCheck check{card, fit};
  if (job.task != Task::serve && card.inference_only) check.refuse("inference_only");
  if (computes_in_bf16(sizes, job)) {
    check.needs(card.bf16(), "bf16", "no_bf16");
  } else if (!computes_in_fp32(sizes, job) && !(card.fp16() == Support::unknown && card.bf16() == Support::yes && computes_in_any_16(sizes, job))) {
    check.needs(card.fp16(), "fp16", "no_fp16");
  }
  if (job.task != Task::serve) return check;
  const WeightFormat& format = sizes.weights.format;
  if (is_fp8(format.scheme) || is_fp8(format.others)) check_small_floats(card, card.fp8(), true, check, fit);
  if (is_fp4(format.scheme)) check_small_floats(card, card.fp4(), false, check, fit);
  if (unpacks_to_16_bits(format) && card.bf16() == Support::no) fit.notes.push_back({"computes_in_fp16", Severity::info, {{"accelerator", card.id}}});
  return check;
}

void describe_hardware(const Catalog& catalog, const Accelerator& card, const Shape& shape, Fit& fit) {
  if (shape.count < 1) fit.notes.push_back({"slice", Severity::serious, {{"share", shape.count}}});
  if (shape.count > 1 && (shape.interconnect == "PCIe" || shape.interconnect == "none")) {
    fit.notes.push_back({"no_nvlink", Severity::warn, {{"count", shape.count}}});
  }
  if (!shape.usable_is_measured) fit.notes.push_back({"usable_assumed", Severity::info, {{"share_pct", 100 * catalog.usable_share}}});
  if (!card.is_nvidia()) fit.notes.push_back({"non_nvidia_estimate", Severity::warn, {{"vendor", card.vendor}}});
  if (card.license_note.starts_with("GeForce")) fit.notes.push_back({"consumer_licence", Severity::info, {{"accelerator", card.id}}});
}

Reason memory_reason(Verdict verdict, Band needed, double usable_bytes) {
  const double usable = usable_bytes / kGib;
  if (verdict == Verdict::tight) {
    return {"memory_tight", {{"needed_gib", needed.value / kGib}, {"high_gib", needed.high / kGib}, {"usable_gib", usable}}};
  }
  return {"memory_short", {{"needed_gib", needed.value / kGib}, {"usable_gib", usable}, {"short_gib", needed.value / kGib - usable}}};
}

void note_layout(const ModelSizes& sizes, const Job& job, Fit& fit) {
  const Layout& layout = fit.memory->layout;
  if (job.task == Task::serve && sizes.kv_heads > 0 && layout.tensor_parallel > sizes.kv_heads) {
    fit.notes.push_back({"kv_heads_replicated",
                         Severity::info,
                         {{"kv_heads", static_cast<double>(sizes.kv_heads)}, {"tensor_parallel", static_cast<double>(layout.tensor_parallel)}}});
  }
  if (job.task == Task::serve && layout.tensor_parallel > 1 && sizes.has_latent) fit.notes.push_back({"latent_copied", Severity::info, {}});
}

/// Fewer accelerators than the machine has can take part when the heads do not divide.
void explain_idle(const ModelSizes& sizes, const Job& job, const Shape& shape, Fit& fit) {
  const auto count = static_cast<int>(shape.count);
  if (job.task != Task::serve || fit.verdict != Verdict::lacking || count < 2) return;
  if (fit.memory->layout.tensor_parallel == count) return;
  fit.reasons.push_back({"heads_do_not_divide", {{"heads", static_cast<double>(sizes.heads)}, {"count", static_cast<double>(count)}}});
}

}  // namespace

Verdict verdict_of(Band needed, double usable_bytes) {
  if (needed.high <= usable_bytes) return Verdict::fits;
  return needed.value <= usable_bytes ? Verdict::tight : Verdict::lacking;
}

LayoutMemory layout_memory(const ModelSizes& sizes, const Job& job, const Layout& layout, const MemoryCalibration& calibration) {
  if (job.task == Task::serve) return {layout, serving_memory(sizes, job.serving, layout, calibration)};
  const TrainingMemory memory = training_memory(sizes, job.task, job.training, layout, calibration);
  return {layout, memory.lines, memory.moment};
}

std::vector<Layout> layouts_for(const ModelSizes& sizes, const Job& job, int accelerators) {
  std::vector<Layout> layouts;
  if (job.task == Task::serve) {
    for (int t = 1; t <= accelerators; ++t) {
      const bool divides = accelerators % t == 0 && (t == 1 || (sizes.heads > 0 && sizes.heads % t == 0));
      if (divides) layouts.push_back({.accelerators = accelerators, .tensor_parallel = t, .data_parallel = accelerators / t});
    }
    return layouts;
  }
  if (accelerators == 1) return {Layout{}};
  const Sharding wanted = job.training.sharding;
  Layout layout{.accelerators = accelerators, .data_parallel = accelerators};
  if (wanted != Sharding::full) {
    layout.shards = Layout::Shards::ddp;
    layouts.push_back(layout);
  }
  if (wanted != Sharding::ddp) {
    layout.shards = Layout::Shards::full;
    layouts.push_back(layout);
  }
  return layouts;
}

Fit fit_shape(const Catalog& catalog, const ModelSizes& sizes, const Job& job, const Shape& shape) {
  Fit fit;
  if (shape.count == 0) {
    fit.verdict = Verdict::unsuitable;
    fit.reasons.push_back({"no_accelerator", {}});
    return fit;
  }
  if (shape.candidates.empty()) {
    fit.reasons.push_back({"accelerator_unknown", {{"label", shape.label}}});
    return fit;
  }
  const Accelerator& card = catalog.accelerators[static_cast<std::size_t>(shape.candidates.front())];
  describe_hardware(catalog, card, shape, fit);
  const FormatCheck formats = check_formats(card, sizes, job, fit);
  if (!shape.usable_bytes) {
    fit.reasons.push_back({"memory_unknown", {{"accelerator", card.id}}});
    fit.verdict = formats.refused() ? Verdict::unsuitable : Verdict::unknown;
    return fit;
  }

  Band best{};
  for (const Layout& layout : layouts_for(sizes, job, std::max(1, static_cast<int>(shape.count)))) {
    LayoutMemory memory = layout_memory(sizes, job, layout, catalog.memory);
    const Band needed = memory.lines.total();
    const Verdict verdict = verdict_of(needed, *shape.usable_bytes);
    const bool better = !fit.memory || verdict < fit.verdict || (verdict == fit.verdict && verdict == Verdict::lacking && needed.value < best.value);
    if (!better) continue;
    fit.verdict = verdict;
    fit.memory = std::move(memory);
    best = needed;
    if (verdict == Verdict::fits) break;
  }
  if (fit.verdict != Verdict::fits) fit.reasons.push_back(memory_reason(fit.verdict, best, *shape.usable_bytes));
  explain_idle(sizes, job, shape, fit);
  note_layout(sizes, job, fit);
  if (formats.doubtful() && fit.verdict != Verdict::lacking) fit.verdict = Verdict::unknown;
  if (formats.refused()) fit.verdict = Verdict::unsuitable;
  return fit;
}

}  // namespace rigsizer
