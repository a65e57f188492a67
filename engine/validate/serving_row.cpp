#include "validate/serving_row.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include "memory/serving_plain.h"
#include "model/census.h"
#include "quantity/units.h"
#include "validate/served_figures.h"
#include "validate/stated_format.h"
#include "validate/stated_shape.h"

namespace rigsizer {
namespace {

/// "file 4.578 bits/weight" of llama.cpp's logs.
std::optional<double> stated_bits(const std::string& notes) {
  const std::size_t end = notes.find(" bits/weight");
  const std::size_t begin = notes.rfind("file ", end);
  if (end == std::string::npos || begin == std::string::npos) return std::nullopt;
  return std::strtod(notes.c_str() + begin + 5, nullptr);
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
    if (one.metric == "weights_gib") {
      weights(one, *shape);
    } else if (one.metric == "memory_gib") {
      total(one, *shape);
    } else {
      compare_served(one, catalog_, row_, *shape, weights_of_rank(*shape));
    }
  }

 private:
  [[nodiscard]] EstimateKind kind() const { return engine_ ? estimate_kind(engine_->engine) : EstimateKind::serve_paged; }
  [[nodiscard]] BandedLines banded(const MemoryLines& lines) const { return {lines, catalog_.memory.of(kind())}; }
  static void predict_gib(Comparison& one, const Band& bytes) { one.predicted = Band{bytes.value / kGib, bytes.low / kGib, bytes.high / kGib}; }

  [[nodiscard]] int ranks() const { return static_cast<int>(row_.number("tp").value_or(1)); }
  [[nodiscard]] const MemoryConstants& constants() const { return catalog_.memory.value; }

  /// Nothing, and why, where the row's format is not known.
  std::optional<WeightFormat> format(Comparison& one) const {
    const auto known = stated_format(row_.text("weight_format"));
    if (!known) {
      one.skip(row_.has("weight_format") ? unsupported("the weight format " + row_.text("weight_format") + " is not known")
                                         : unstated("weight_format is not stated"));
    }
    return known;
  }

  void weights(Comparison& one, const Architecture& model) const {
    auto stored = format(one);
    if (!stored) return;
    if (stored->scheme == WeightScheme::gguf) {
      const double least = info(info(stored->gguf).base).bits_per_weight();
      if (const auto file = stated_bits(row_.text("notes")); file && *file < least) {
        return one.skip(unstated("at fewer bits per weight than its type has, the file is a mix whose types are not stated"));
      }
      stored->unties = counts_its_table_twice(model);
    }
    Shard shard{.tensor_parallel = ranks()};
    if (kind() == EstimateKind::serve_llama_cpp) {
      shard.tower = false;  // a file of its own; what is stated is the model's file, whichever devices hold it
    } else if (const auto stages = row_.number("pp")) {
      if (!row_.mentions("notes", "pipeline stage 0")) return one.skip(unstated("which stage of the pipeline is not stated"));
      shard.layers = static_cast<int>(static_cast<double>(model.layers) / *stages);
      shard.head = false;
    }
    MemoryLines lines;
    lines[Line::weights] = shard_bytes(weight_bytes(model, *stored), shard);
    predict_gib(one, banded(lines).band(Line::weights));
  }

  /// Logs count what the file holds: a tied model with a head of its own shows as that many more parameters.
  [[nodiscard]] bool counts_its_table_twice(const Architecture& model) const {
    const auto stated = row_.number("params_b");
    if (!model.tied || !stated) return false;
    const double once = census_of(model).total.as_double();
    const double twice = once + static_cast<double>(model.vocabulary) * static_cast<double>(model.table_width);
    return std::abs(*stated * 1e9 - twice) < 0.01 * twice;
  }

  void total(Comparison& one, const Architecture& model) const {
    if (kind() != EstimateKind::serve_plain) return one.skip(unsupported("what " + row_.text("engine") + " needs in all is not predicted"));
    ServingJob job;
    const auto prompt = row_.number("input_len");
    if (!prompt) return one.skip(unstated("input_len is not stated"));
    auto stored = format(one);
    if (!stored) return;
    // transformers keeps the tie of GPTQ and AWQ checkpoints.
    if (stored->scheme != WeightScheme::fp8_block) stored->unties = false;
    const ModelSizes sizes = sizes_of(model, *stored);
    job.concurrency = row_.number("batch_or_concurrency").value_or(1);
    job.context_tokens = *prompt + row_.number("output_len").value_or(0);
    job.keeps_prompt_logits = engine_->behaviour.keeps_prompt_logits;
    job.eager_attention = engine_->behaviour.eager_attention;
    job.cards_in_turn = static_cast<int>(row_.number("gpu_count").value_or(1));
    // A table read when generation ended does not see what the prompt took.
    job.prompt_tokens = row_.mentions("notes", "peak at end") ? 0 : *prompt;
    MemoryLines lines = plain_serving_lines(sizes, job, constants());
    // PyTorch's own counters do not see the process's context; tools that read the driver do.
    const bool own_counters = row_.text("engine") == "transformers" && !job.keeps_prompt_logits && !row_.mentions("notes", "NVML");
    if (own_counters) lines[Line::overhead] = 0;
    predict_gib(one, banded(lines).total());
  }

  [[nodiscard]] Result<double> weights_of_rank(const Architecture& model) const {
    Comparison skipped;
    const auto stored = format(skipped);
    if (!stored) return skipped.ours ? unsupported(skipped.skipped) : unstated(skipped.skipped);
    return shard_bytes(weight_bytes(model, *stored), {.tensor_parallel = ranks()});
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
