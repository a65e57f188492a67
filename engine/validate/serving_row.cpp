#include "validate/serving_row.h"

#include <array>

#include "memory/serving_plain.h"
#include "quantity/units.h"
#include "validate/served_figures.h"
#include "validate/stated_shape.h"

namespace rigsizer {
namespace {

bool starts(const std::string& text, std::string_view with) { return text.rfind(with, 0) == 0; }

std::optional<WeightFormat> format_of(const std::string& name) {
  if (name == "bf16") return WeightFormat::bf16;
  if (name == "fp16") return WeightFormat::fp16;
  if (name == "fp32") return WeightFormat::fp32;
  if (name == "fp8") return WeightFormat::fp8;
  if (name == "mxfp4") return WeightFormat::mxfp4;
  if (name == "nf4" || name == "fp4") return WeightFormat::nf4;
  if (starts(name, "awq4") || starts(name, "gptq4") || starts(name, "int4:")) return WeightFormat::int4;
  if (name == "gptq8" || name == "int8" || name == "bnb-int8") return WeightFormat::int8;
  return std::nullopt;
}

struct Figure {
  const char* column;
  const char* metric;
};
constexpr std::array kFigures{Figure{"measured_weights_gib", "weights_gib"}, Figure{"measured_kv_gib", "kv_gib"},
                              Figure{"measured_kv_tokens", "kv_tokens"}, Figure{"measured_compute_buffer_gib", "compute_buffer_gib"}};

class ServingPrediction {
 public:
  ServingPrediction(const Catalog& catalog, const Row& row)
      : catalog_{catalog}, row_{row}, engine_{engine_named(row.text("engine"), row.text("engine_version"))} {}

  void fill(Comparison& one) const {
    one.kind = std::string{kEstimateKindNames[static_cast<std::size_t>(kind())]};
    if (row_.text("engine") == "diffusers" || row_.text("engine") == "reference code")
      return one.skip(unsupported("not a language model: estimated as media"));
    const Result<Architecture> shape = stated_shape(catalog_, row_);
    if (!shape) return one.skip(shape.failure());
    const ModelSizes sizes = sizes_of(*shape);
    if (one.metric == "weights_gib")
      weights(one, sizes);
    else if (one.metric == "memory_gib")
      total(one, sizes);
    else
      compare_served(one, catalog_, row_, *shape, weights_of(sizes));
  }

 private:
  [[nodiscard]] EstimateKind kind() const { return engine_ ? estimate_kind(engine_->engine) : EstimateKind::serve_paged; }
  [[nodiscard]] BandedLines banded(const MemoryLines& lines) const { return {lines, catalog_.memory.of(kind())}; }
  static void predict_gib(Comparison& one, const Band& bytes) { one.predicted = Band{bytes.value / kGib, bytes.low / kGib, bytes.high / kGib}; }

  [[nodiscard]] int ranks() const { return static_cast<int>(row_.number("tp").value_or(1)); }
  [[nodiscard]] const MemoryConstants& constants() const { return catalog_.memory.value; }

  bool format(Comparison& one, ServingJob& job) const {
    const auto known = format_of(row_.text("weight_format"));
    if (!known)
      one.skip(row_.has("weight_format") ? unsupported("the weight format " + row_.text("weight_format") + " is not known")
                                         : unstated("weight_format is not stated"));
    else
      job.weight_format = *known;
    return known.has_value();
  }

  void weights(Comparison& one, const ModelSizes& sizes) const {
    ServingJob job;
    if (!format(one, job)) return;
    const Layout layout{.accelerators = ranks(), .tensor_parallel = ranks()};
    predict_gib(one, banded(serving_lines(serving_terms(sizes, job, layout, constants()))).band(Line::weights));
  }

  void total(Comparison& one, const ModelSizes& sizes) const {
    if (kind() != EstimateKind::serve_plain) return one.skip(unsupported("what " + row_.text("engine") + " needs in all is not predicted"));
    ServingJob job;
    const auto prompt = row_.number("input_len");
    if (!prompt) return one.skip(unstated("input_len is not stated"));
    if (!format(one, job)) return;
    job.concurrency = row_.number("batch_or_concurrency").value_or(1);
    job.context_tokens = *prompt + row_.number("output_len").value_or(0);
    job.keeps_prompt_logits = engine_->behaviour.keeps_prompt_logits;
    job.eager_attention = engine_->behaviour.eager_attention;
    job.keeps_tie = job.weight_format == WeightFormat::int4 || job.weight_format == WeightFormat::int8;
    job.cards_in_turn = static_cast<int>(row_.number("gpu_count").value_or(1));
    // A table read when generation ended does not see what the prompt took.
    job.prompt_tokens = row_.mentions("notes", "peak at end") ? 0 : *prompt;
    MemoryLines lines = plain_serving_lines(sizes, job, constants());
    // PyTorch's own counters do not see the process's context; tools that read the driver do.
    const bool own_counters = row_.text("engine") == "transformers" && !job.keeps_prompt_logits && !row_.mentions("notes", "NVML");
    if (own_counters) lines[Line::overhead] = 0;
    predict_gib(one, banded(lines).total());
  }

  [[nodiscard]] Result<double> weights_of(const ModelSizes& sizes) const {
    Comparison skipped;
    ServingJob job;
    if (!format(skipped, job)) return skipped.ours ? unsupported(skipped.skipped) : unstated(skipped.skipped);
    const Layout layout{.accelerators = ranks(), .tensor_parallel = ranks()};
    return serving_lines(serving_terms(sizes, job, layout, constants()))[Line::weights];
  }

  const Catalog& catalog_;
  const Row& row_;
  std::optional<NamedEngine> engine_;
};

}  // namespace

std::vector<Comparison> compare_serving(const Catalog& catalog, const Row& row) {
  std::vector<Comparison> all;
  const ServingPrediction prediction{catalog, row};
  const auto add = [&](const char* column, const char* metric) {
    const auto measured = row.number(column);
    if (!measured) return;
    Comparison one = comparison_of(row, metric, *measured);
    prediction.fill(one);
    all.push_back(one);
  };
  if (row.text("total_is") == "need") add("measured_total_gib", "memory_gib");
  if (row.text("total_is") == "reserved") add("measured_total_gib", "reserved_gib");
  for (const Figure& figure : kFigures) add(figure.column, figure.metric);
  return all;
}

}  // namespace rigsizer
