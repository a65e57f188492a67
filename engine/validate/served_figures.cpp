#include "validate/served_figures.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "memory/capacity.h"
#include "quantity/units.h"
#include "validate/stated_server.h"

namespace rigsizer {
namespace {

/// What rounding may have hidden of a printed number: 0.005 of "46.80".
double half_of_last_digit(const std::string& printed) {
  const std::size_t point = printed.find('.');
  return point == std::string::npos ? 0.5 : 0.5 * std::pow(10.0, -static_cast<double>(printed.size() - point - 1));
}

class ServedFigure {
 public:
  ServedFigure(const Catalog& catalog, const Row& row, const Architecture& model, const StatedServer& stated, const Result<double>& weights_bytes)
      : constants_{catalog.memory.value},
        kind_{estimate_kind(stated.server.engine)},
        certainty_{catalog.memory.of(kind_)},
        row_{row},
        model_{model},
        stated_{stated},
        weights_bytes_{weights_bytes} {}

  void fill(Comparison& one) const {
    if (kind_ == EstimateKind::serve_llama_cpp) return one.metric == "compute_buffer_gib" ? graph(one) : cells(one);
    if (kind_ != EstimateKind::serve_paged) return one.skip(unsupported("what " + row_.text("engine") + " holds apart is not predicted"));
    if (one.measured <= 0) return one.skip(unstated("a negative pool: the server did not start"));
    if (one.metric == "kv_tokens" && keeps_states() && stated_.server.behaviour.windows == WindowedLayers::paged_alike)
      return one.skip(unsupported("what this version's line of tokens counts beside states is not known"));
    if (one.metric == "kv_tokens" && tokens_of_stated_pool(one)) return;
    pool(one);
  }

 private:
  [[nodiscard]] Band banded(const MemoryLines& lines) const { return BandedLines{lines, certainty_}.total(); }
  [[nodiscard]] bool keeps_states() const { return cache_cost_of(model_, stated_.server).state_bytes > 0; }
  static void predict_gib(Comparison& one, const Band& bytes) { one.predicted = Band{bytes.value / kGib, bytes.low / kGib, bytes.high / kGib}; }

  void graph(Comparison& one) const {
    const Result<LlamaGraph> drawn = stated_graph(row_, stated_, model_);
    if (!drawn) return one.skip(drawn.failure());
    MemoryLines lines;
    lines[Line::activations] = compute_buffer(model_, *drawn).bytes();
    predict_gib(one, banded(lines));
  }

  void cells(Comparison& one) const {
    if (one.metric != "kv_gib") return one.skip(unsupported("what " + row_.text("engine") + " holds in all is not predicted"));
    if (!row_.number("max_model_len")) return one.skip(unstated("the context is not stated"));
    MemoryLines lines;
    lines[Line::kv_cache] = stated_.server.settings.parallel_sequences * cache_cost_of(model_, stated_.server).sequence_bytes(stated_.longest_tokens);
    predict_gib(one, banded(lines));
  }

  /// Where the budget cannot be told, a stated pool still checks the bytes of a token.
  bool tokens_of_stated_pool(Comparison& one) const {
    const auto stated_pool = row_.number("measured_kv_gib");
    if (!stated_pool || (stated_.card_known && weights_bytes_)) return false;
    const Pool unknown = serving_pool(model_, stated_.server, constants_);
    const auto tokens = [&](double pool_gib) {
      Pool stated_bytes = unknown;
      stated_bytes.bytes = pool_gib * kGib;
      return cached_tokens(stated_bytes, stated_.longest_tokens);
    };
    const double rounding = half_of_last_digit(row_.text("measured_kv_gib"));
    one.predicted = Band{tokens(*stated_pool), tokens(*stated_pool - rounding), tokens(*stated_pool + rounding)};
    return true;
  }

  void pool(Comparison& one) const {
    if (!stated_.card_known && one.metric != "compute_buffer_gib") return one.skip(unstated("the card is not stated"));
    if (const auto missing = unstated_setting(one.metric)) return one.skip(*missing);
    if (!weights_bytes_) return one.skip(weights_bytes_.failure());
    Server server = stated_.server;
    server.weights_bytes = *weights_bytes_;
    const Pool found = serving_pool(model_, server, constants_);

    MemoryLines taken;  // what is left of the budget is as uncertain as what was taken from it
    taken[Line::weights] = found.weights_bytes;
    taken[Line::activations] = stated_.of_worker && one.metric != "kv_tokens" ? found.body_bytes : found.activation_bytes();
    taken[Line::temporary] = found.buffers_bytes;
    if (one.metric == "compute_buffer_gib") {
      taken[Line::weights] = 0;
      return predict_gib(one, banded(taken));
    }
    taken[Line::overhead] = found.context_bytes + (server.behaviour.graphs_in_budget ? found.graphs_bytes : 0);
    const Band total = banded(taken);
    if (one.metric == "reserved_gib") {
      const Band graphs = banded_of(Line::overhead, found.graphs_bytes + found.context_bytes);
      return predict_gib(one, around(found.reserved_bytes, graphs));
    }
    if (one.metric == "kv_gib") return predict_gib(one, around(stated_.of_worker ? found.worker_bytes : found.bytes, total));
    const Band bytes = around(found.bytes, total);
    const auto tokens = [&](double pool_bytes) {
      Pool there = found;
      there.bytes = pool_bytes;
      return cached_tokens(there, stated_.longest_tokens);
    };
    one.predicted = Band{tokens(bytes.value), tokens(bytes.low), tokens(bytes.high)};
  }

  [[nodiscard]] std::optional<Failure> unstated_setting(const std::string& metric) const {
    if (metric == "compute_buffer_gib" && row_.mentions("notes", "graph")) return unstated("the figure is of captured graphs");
    const bool has_fraction = row_.number("gpu_memory_utilization").has_value();
    if (stated_.server.engine == ServingEngine::tgi) return unstated("the tokens of the warm-up (max_batch_prefill_tokens) are not stated");
    if (stated_.server.engine == ServingEngine::lmdeploy && !has_fraction) return unstated("the benchmark's share for the cache is not stated");
    return std::nullopt;
  }

  [[nodiscard]] Band banded_of(Line line, double bytes) const {
    MemoryLines lines;
    lines[line] = bytes;
    return banded(lines);
  }
  /// `value` with the widths of another band, turned round: what is left is little where much was taken.
  static Band around(double value, const Band& taken) {
    return {value, std::max(0.0, value - (taken.high - taken.value)), value + (taken.value - taken.low)};
  }

  const MemoryConstants& constants_;
  EstimateKind kind_;
  const Certainty& certainty_;
  const Row& row_;
  const Architecture& model_;
  const StatedServer& stated_;
  const Result<double>& weights_bytes_;
};

}  // namespace

EstimateKind estimate_kind(ServingEngine engine) {
  if (has_pool(engine)) return EstimateKind::serve_paged;
  return engine == ServingEngine::llama_cpp || engine == ServingEngine::ollama ? EstimateKind::serve_llama_cpp : EstimateKind::serve_plain;
}

void compare_served(Comparison& one, const Catalog& catalog, const Row& row, const Architecture& model, const Result<double>& weights_bytes) {
  const Result<StatedServer> stated = stated_server(catalog, row, model);
  if (!stated) return one.skip(stated.failure());
  ServedFigure{catalog, row, model, *stated, weights_bytes}.fill(one);
}

}  // namespace rigsizer
