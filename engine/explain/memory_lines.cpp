#include "explain/memory_lines.h"

#include <array>
#include <functional>

#include "explain/formula.h"
#include "memory/serving.h"
#include "quantity/decimal.h"

namespace rigsizer {
namespace {

constexpr const char* kParameters = "parameters";
constexpr const char* kTokens = "tokens";
constexpr const char* kUnits = "units";
constexpr const char* kBytes = "bytes";
constexpr const char* kCount = "count";

class Explainer {
 public:
  Explainer(const Catalog& catalog, const BandedLines& lines, std::string model_source)
      : catalog_{catalog}, lines_{lines}, model_source_{std::move(model_source)} {}

  /// A line is shown when it has bytes; `write` gives the formula.
  void add(Line line, std::string source, const std::function<std::string(Formula&)>& write) {
    const Band bytes = lines_.band(line);
    if (bytes.high < 1) return;
    Formula formula;
    std::string text = write(formula);
    std::vector<Input> inputs = formula.inputs_as_read(text);
    explained_.push_back({line, bytes, std::move(text), std::move(inputs), std::move(source)});
  }

  /// A count of the architecture.
  std::string model(Formula& f, std::string symbol, double value, const char* unit) const {
    return f.in(std::move(symbol), value, unit, model_source_);
  }
  /// A calibrated constant, under its own name.
  std::string constant(Formula& f, std::string_view name, double value) const {
    const Constant* known = catalog_.constant(name);
    return f.in(std::string{name}, value, known == nullptr ? "" : known->unit, known == nullptr ? "" : known->source);
  }
  /// What a calibrated constant and the job settle between them; the constant's source stands for both.
  std::string settled(Formula& f, std::string symbol, double value, const char* unit, std::string_view name) const {
    const Constant* known = catalog_.constant(name);
    return f.in(std::move(symbol), value, unit, known == nullptr ? "" : known->source);
  }
  [[nodiscard]] std::vector<ExplainedLine> take() { return std::move(explained_); }

 private:
  const Catalog& catalog_;
  const BandedLines& lines_;
  std::string model_source_;
  std::vector<ExplainedLine> explained_;
};

/// " / symbol" unless it is one.
std::string divided_by(Formula& f, const std::string& symbol, double value) { return value == 1 ? "" : " / " + f.in(symbol, value, kCount); }

std::string times_width(const Explainer& e, Formula& f, double factor, const std::string& symbol, double width) {
  if (factor == 0 || width == 0) return "";
  return decimal_text(factor) + " * " + e.model(f, symbol, width, kUnits);
}

std::string path_text(const Explainer& e, Formula& f, const ActivationPath& path, const ActivationWidths& w, const std::string& scope) {
  return sum_of({times_width(e, f, path.hidden, scope + "_hidden", w.hidden), times_width(e, f, path.query, scope + "_query", w.query),
                 times_width(e, f, path.key_value, scope + "_key_value", w.key_value), times_width(e, f, path.mlp, scope + "_mlp", w.mlp),
                 times_width(e, f, path.plain_mlp, scope + "_plain_mlp", w.plain_mlp), times_width(e, f, path.heads, scope + "_heads", w.heads),
                 times_width(e, f, path.dispatched, scope + "_dispatched", w.dispatched),
                 times_width(e, f, path.router, scope + "_router", w.router)});
}

void explain_serving(Explainer& e, const ServingTerms& t) {
  const MemoryConstants& c = t.constants;
  e.add(Line::weights, "engine/memory/formats.h; engine/memory/serving.h", [&](Formula& f) {
    const std::string over = divided_by(f, "tensor_parallel", t.tensor_parallel);
    std::vector<std::string> parts;
    if (t.linear_parameters > 0) {
      parts.push_back(e.model(f, "linear_parameters", t.linear_parameters, kParameters) + " * " + f.in("linear_bits", t.linear_bits, "bits") +
                      " / 8" + over);
    }
    if (t.expert_parameters > 0) {
      parts.push_back(e.model(f, "expert_parameters", t.expert_parameters, kParameters) + " * " + f.in("expert_bits", t.expert_bits, "bits") +
                      " / 8" + over);
    }
    const std::string kept = f.in("kept_bytes", t.kept_bytes, "bytes per parameter");
    parts.push_back(e.model(f, "table_and_head_parameters", t.table_parameters, kParameters) + " * " + kept + over);
    parts.push_back(e.model(f, "undivided_parameters", t.small_parameters, kParameters) + " * " + kept);
    return sum_of(parts);
  });
  e.add(Line::kv_cache, "engine/model/census.h", [&](Formula& f) {
    f.in("context_tokens", t.context_tokens, "tokens, whole blocks of 16");
    return f.in("sequences", t.sequences, "sequences per replica") + " * " +
           e.model(f, "kv_elements_per_sequence", t.kv_elements, "values on this accelerator") + " * " +
           f.in("kv_bytes", t.kv_bytes_per_element, "bytes per value");
  });
  e.add(Line::state, "engine/model/recurrent.h", [&](Formula& f) {
    return f.in("sequences", t.sequences, "sequences per replica") + " * " + e.model(f, "state_bytes_per_sequence", t.state_bytes, kBytes) +
           divided_by(f, "tensor_parallel", t.tensor_parallel);
  });
  e.add(Line::activations, "engine/memory/serving.h", [&](Formula& f) {
    return "max(" + e.settled(f, "chunk_tokens", t.chunk_tokens, kTokens, "serve_prefill_chunk_tokens") + " * 2 * " +
           e.constant(f, "serve_body_tensors", c.body_tensors) + " * (" + e.model(f, "mlp_width", t.mlp_width, kUnits) +
           divided_by(f, "tensor_parallel", t.tensor_parallel) + " + " + e.model(f, "hidden", t.hidden, kUnits) + "), " +
           e.constant(f, "serve_sampler_bytes_per_logit", c.sampler_bytes_per_logit) + " * " + e.model(f, "vocabulary", t.vocabulary, "entries") +
           " * " + e.settled(f, "profiled_sequences", c.profiled_sequences, "sequences", "serve_profiled_sequences") + ")";
  });
  e.add(Line::overhead, "engine/memory/serving.h", [&](Formula& f) {
    return e.constant(f, "serve_context_bytes", c.serving_context_bytes) + " + " + e.constant(f, "serve_graphs_bytes", c.graphs_bytes);
  });
}

std::string training_weights(const Explainer& e, Formula& f, const TrainingTerms& t) {
  std::vector<std::string> parts;
  const std::string over = divided_by(f, "shards", t.shards);
  if (t.quantised_parameters > 0) {
    parts.push_back(e.model(f, "quantised_parameters", t.quantised_parameters, kParameters) + " * " +
                    f.in("quantised_bits", t.quantised_bits, "bits") + " / 8" + over);
  }
  const std::string plain = e.model(f, "parameters_kept_whole", t.plain_parameters, kParameters);
  parts.push_back(plain + " * " + f.in("weight_bytes", t.weight_bytes, "bytes per parameter") + over);
  if (t.cast_bytes > 0) parts.push_back(plain + " * " + f.in("cast_bytes", t.cast_bytes, "bytes per parameter"));
  return sum_of(parts);
}

std::string training_temporary(const Explainer& e, Formula& f, const TrainingTerms& t) {
  std::vector<std::string> parts;
  const auto trainable = [&] { return e.model(f, "trainable_parameters", t.trainable_parameters, kParameters); };
  if (t.bucket_bytes > 0) parts.push_back(trainable() + " * " + f.in("bucket_bytes", t.bucket_bytes, "bytes per parameter"));
  if (t.moment == PeakMoment::step) {
    parts.push_back(trainable() + " * " + f.in("step_copy_bytes", t.step_copy_bytes, "bytes per parameter") + divided_by(f, "shards", t.shards));
  } else {
    if (t.gathered_parameters > 0) {
      parts.push_back(e.model(f, "gathered_parameters", t.gathered_parameters, kParameters) + " * " +
                      f.in("gathered_bytes", t.gathered_bytes, "bytes per parameter"));
    }
    if (t.dequantised_parameters > 0) parts.push_back(e.model(f, "dequantised_parameters", t.dequantised_parameters, kParameters) + " * 2");
  }
  return sum_of(parts);
}

void explain_training(Explainer& e, const TrainingTerms& t, const MemoryLines& value) {
  const MemoryConstants& c = t.constants;
  const std::string here = "engine/memory/training.h";
  const auto states = [&](double bytes, const char* symbol) {
    return [&, bytes, symbol](Formula& f) {
      std::string text = e.model(f, "trainable_parameters", t.trainable_parameters, kParameters) + " * " + f.in(symbol, bytes, "bytes per parameter");
      return text + divided_by(f, "shards", t.shards);
    };
  };
  e.add(Line::weights, here, [&](Formula& f) { return training_weights(e, f, t); });
  e.add(Line::adapters, here, states(t.adapter_weight_bytes, "adapter_weight_bytes"));
  e.add(Line::gradients, here, states(t.gradient_bytes, "gradient_bytes"));
  e.add(Line::optimizer, here, [&](Formula& f) {
    if (t.factored_bytes == 0) return states(t.optimizer_bytes, "optimizer_bytes")(f);
    return f.in("factored_bytes", t.factored_bytes, kBytes) + divided_by(f, "shards", t.shards);
  });
  e.add(Line::activations, here, [&](Formula& f) {
    const std::string kept = path_text(e, f, t.kept_path, t.widths, "all_layers");
    const std::string whole = path_text(e, f, t.layer_path, t.layer_widths, "one_layer");
    return e.constant(f, "train_activation_scale", c.activation_scale) + " * " + f.in("tokens", t.tokens, kTokens) + " * (" +
           sum_of({kept, whole == "0" ? "" : whole}) + ")";
  });
  e.add(Line::logits, here, [&](Formula& f) {
    if (t.fused_loss) {
      return e.constant(f, "train_fused_loss_bytes_per_hidden", c.fused_loss_bytes_per_hidden) + " * " + f.in("tokens", t.tokens, kTokens) + " * " +
             e.model(f, "hidden", t.hidden, kUnits);
    }
    return e.constant(f, "train_logits_bytes_per_element", c.logits_bytes_per_element) + " * " + f.in("tokens", t.tokens, kTokens) + " * " +
           e.model(f, "vocabulary", t.vocabulary, "entries");
  });
  e.add(Line::temporary, here, [&](Formula& f) { return training_temporary(e, f, t); });
  e.add(Line::overhead, here, [&](Formula& f) {
    const double allocated = value.total() - value[Line::overhead];
    std::string text = e.constant(f, "train_context_bytes", c.context_bytes);
    if (t.talks) text += " + " + e.constant(f, "train_collectives_bytes", c.collectives_bytes);
    return text + " + " + e.constant(f, "train_allocator_slack", c.allocator_slack) + " * " + f.in("allocated_bytes", allocated, kBytes);
  });
}

}  // namespace

std::string_view name_of(Line line) {
  constexpr std::array<std::string_view, kLineCount> kNames{"weights", "adapters", "gradients", "optimizer", "activations",
                                                            "logits",  "kv_cache", "state",     "temporary", "overhead"};
  return kNames[static_cast<std::size_t>(line)];
}

std::vector<ExplainedLine> explain_memory(const Catalog& catalog, const ModelSizes& sizes, const Job& job, const LayoutMemory& memory,
                                          const std::string& model_source) {
  Explainer explainer{catalog, memory.lines, model_source};
  if (job.task == Task::serve) {
    explain_serving(explainer, serving_terms(sizes, job.serving, memory.layout, catalog.memory.value));
  } else {
    TrainingTerms terms = training_terms(sizes, job.task, job.training, memory.layout, catalog.memory.value);
    terms.moment = memory.moment;
    explain_training(explainer, terms, memory.lines.value);
  }
  return explainer.take();
}

}  // namespace rigsizer
