#include "validate/serving_row.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "memory/capacity.h"
#include "memory/llama_cpp.h"
#include "memory/serving_plain.h"
#include "quantity/units.h"
#include "validate/stated_server.h"
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

/// What rounding may have hidden of a printed number: 0.005 of "46.80".
double half_of_last_digit(const std::string& printed) {
  const std::size_t point = printed.find('.');
  return point == std::string::npos ? 0.5 : 0.5 * std::pow(10.0, -static_cast<double>(printed.size() - point - 1));
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
      served(one, *shape, sizes);
  }

 private:
  [[nodiscard]] EstimateKind kind() const {
    if (!engine_ || has_pool(engine_->engine)) return EstimateKind::serve_paged;
    return is_llama() ? EstimateKind::serve_llama_cpp : EstimateKind::serve_plain;
  }
  [[nodiscard]] bool is_llama() const { return engine_ && (engine_->engine == ServingEngine::llama_cpp || engine_->engine == ServingEngine::ollama); }
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

  /// Figures of a running server: cache, compute buffers, all it holds.
  void served(Comparison& one, const Architecture& model, const ModelSizes& sizes) const {
    const Result<StatedServer> stated = stated_server(catalog_, row_, model);
    if (!stated) return one.skip(stated.failure());
    if (is_llama()) return one.metric == "compute_buffer_gib" ? graph(one, *stated, model) : cells(one, *stated, model);
    if (kind() != EstimateKind::serve_paged) return one.skip(unsupported("what " + row_.text("engine") + " holds apart is not predicted"));
    if (one.measured <= 0) return one.skip(unstated("a negative pool: the server did not start"));
    if (one.metric == "kv_tokens" && tokens_of_stated_pool(one, *stated, model)) return;
    pool(one, *stated, model, sizes);
  }

  void graph(Comparison& one, const StatedServer& stated, const Architecture& model) const {
    const Result<LlamaGraph> drawn = stated_graph(row_, stated, model);
    if (!drawn) return one.skip(drawn.failure());
    MemoryLines lines;
    lines[Line::activations] = compute_buffer(model, *drawn).bytes();
    predict_gib(one, banded(lines).total());
  }

  void cells(Comparison& one, const StatedServer& stated, const Architecture& model) const {
    if (one.metric != "kv_gib") return one.skip(unsupported("what " + row_.text("engine") + " holds in all is not predicted"));
    if (!row_.number("max_model_len")) return one.skip(unstated("the context is not stated"));
    MemoryLines lines;
    lines[Line::kv_cache] = stated.server.settings.parallel_sequences * cache_cost_of(model, stated.server).sequence_bytes(stated.longest_tokens);
    predict_gib(one, banded(lines).total());
  }

  /// Where the budget cannot be told, a stated pool still checks the bytes of a token.
  bool tokens_of_stated_pool(Comparison& one, const StatedServer& stated, const Architecture& model) const {
    const auto stated_pool = row_.number("measured_kv_gib");
    if (!stated_pool || (stated.card_known && format_of(row_.text("weight_format")))) return false;
    const Pool unknown = serving_pool(model, stated.server, constants());
    const auto tokens = [&](double pool_gib) {
      Pool stated_bytes = unknown;
      stated_bytes.bytes = pool_gib * kGib;
      return cached_tokens(stated_bytes, stated.longest_tokens);
    };
    const double rounding = half_of_last_digit(row_.text("measured_kv_gib"));
    one.predicted = Band{tokens(*stated_pool), tokens(*stated_pool - rounding), tokens(*stated_pool + rounding)};
    return true;
  }

  void pool(Comparison& one, const StatedServer& stated, const Architecture& model, const ModelSizes& sizes) const {
    if (!stated.card_known && one.metric != "compute_buffer_gib") return one.skip(unstated("the card is not stated"));
    if (const auto missing = unstated_setting(one.metric, stated)) return one.skip(*missing);
    ServingJob job;
    if (!format(one, job)) return;
    Server server = stated.server;
    const Layout layout{.accelerators = ranks(), .tensor_parallel = ranks()};
    server.weights_bytes = serving_lines(serving_terms(sizes, job, layout, constants()))[Line::weights];
    const Pool found = serving_pool(model, server, constants());

    MemoryLines taken;  // what is left of the budget is as uncertain as what was taken from it
    taken[Line::weights] = found.weights_bytes;
    taken[Line::activations] = stated.of_worker && one.metric != "kv_tokens" ? found.body_bytes : found.activation_bytes();
    taken[Line::temporary] = found.buffers_bytes;
    if (one.metric == "compute_buffer_gib") {
      taken[Line::weights] = 0;
      return predict_gib(one, banded(taken).total());
    }
    taken[Line::overhead] = found.context_bytes + (server.behaviour.graphs_in_budget ? found.graphs_bytes : 0);
    const Band total = banded(taken).total();
    if (one.metric == "reserved_gib") {
      const Band graphs = banded_of(Line::overhead, found.graphs_bytes + found.context_bytes);
      return predict_gib(one, around(found.reserved_bytes, {graphs.value, graphs.low, graphs.high}));
    }
    if (one.metric == "kv_gib") return predict_gib(one, around(stated.of_worker ? found.worker_bytes : found.bytes, total));
    const Band bytes = around(found.bytes, total);
    const auto tokens = [&](double pool_bytes) {
      Pool there = found;
      there.bytes = pool_bytes;
      return cached_tokens(there, stated.longest_tokens);
    };
    one.predicted = Band{tokens(bytes.value), tokens(bytes.low), tokens(bytes.high)};
  }

  [[nodiscard]] std::optional<Failure> unstated_setting(const std::string& metric, const StatedServer& stated) const {
    if (metric == "compute_buffer_gib" && row_.mentions("notes", "graph")) return unstated("the figure is of captured graphs");
    const bool has_fraction = row_.number("gpu_memory_utilization").has_value();
    if (stated.server.engine == ServingEngine::tgi) return unstated("the tokens of the warm-up (max_batch_prefill_tokens) are not stated");
    if (stated.server.engine == ServingEngine::lmdeploy && !has_fraction) return unstated("the benchmark's share for the cache is not stated");
    return std::nullopt;
  }

  [[nodiscard]] Band banded_of(Line line, double bytes) const {
    MemoryLines lines;
    lines[line] = bytes;
    return banded(lines).total();
  }
  /// `value` with the widths of another band, turned round: what is left is little where much was taken.
  static Band around(double value, const Band& taken) {
    return {value, std::max(0.0, value - (taken.high - taken.value)), value + (taken.value - taken.low)};
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
