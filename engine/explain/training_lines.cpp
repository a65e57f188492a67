// The lines of a training estimate as formulas.
#include "explain/explainer.h"
#include "quantity/decimal.h"

namespace rigsizer {
namespace {

constexpr const char* kHere = "engine/memory/training.h";
constexpr const char* kStates = "engine/memory/states.h";
constexpr std::array<const char*, 4> kGroupNames{"linear", "expert", "other", "adapter"};

std::string times_width(const Explainer& e, Formula& f, double factor, const std::string& symbol, double width) {
  if (factor == 0 || width == 0) return "";
  return decimal_text(factor) + " * " + e.model(f, symbol, width, kUnits);
}

std::string path_text(const Explainer& e, Formula& f, const TrainingTerms& t, const ActivationPath& path, const ActivationWidths& w,
                      const std::string& scope) {
  const std::string hidden = times_width(e, f, path.hidden, scope + "_hidden", w.hidden);
  const std::string rest =
      sum_of({times_width(e, f, path.query, scope + "_query", w.query), times_width(e, f, path.key_value, scope + "_key_value", w.key_value),
              times_width(e, f, path.mlp, scope + "_mlp", w.mlp), times_width(e, f, path.plain_mlp, scope + "_plain_mlp", w.plain_mlp),
              times_width(e, f, path.heads, scope + "_heads", w.heads), times_width(e, f, path.dispatched, scope + "_dispatched", w.dispatched),
              times_width(e, f, path.router, scope + "_router", w.router)});
  if (t.tensor_parallel == 1) return sum_of({hidden, rest == "0" ? "" : rest});
  return sum_of({hidden.empty() ? "" : hidden + divided_by(f, "sequence_parallel", t.hidden_parallel),
                 rest == "0" ? "" : "(" + rest + ")" + divided_by(f, "tensor_parallel", t.tensor_parallel)});
}

std::string parameters(const Explainer& e, Formula& f, const TrainingTerms& t, std::size_t group) {
  return e.model(f, std::string{kGroupNames.at(group)} + "_parameters", t.groups.at(group).parameters, "parameters on this accelerator");
}

/// "parameters * bytes / shards" of each group that has them.
template <class Bytes, class Shards>
std::string per_group(const Explainer& e, Formula& f, const TrainingTerms& t, const std::string& what, const char* unit, Bytes bytes, Shards shards) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < t.groups.size(); ++i) {
    const ParameterGroup& group = t.groups.at(i);
    if (group.parameters == 0 || bytes(group) == 0) continue;
    const std::string name = kGroupNames.at(i);
    parts.push_back(parameters(e, f, t, i) + " * " + f.in(name + "_" + what, bytes(group), unit) +
                    divided_by(f, name + "_" + what + "_shards", shards(group)));
  }
  return sum_of(parts);
}

std::string weights_text(const Explainer& e, Formula& f, const TrainingTerms& t, bool adapters) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < t.groups.size(); ++i) {
    const ParameterGroup& group = t.groups.at(i);
    if ((i == TrainingTerms::adapters) != adapters || group.parameters == 0) continue;
    const std::string name = kGroupNames.at(i);
    if (group.bits > 0) {
      parts.push_back(parameters(e, f, t, i) + " * " + f.in(name + "_bits", group.bits, "bits per parameter") + " / 8" +
                      divided_by(f, name + "_shards", group.shards));
    }
    if (group.cast_bytes > 0) parts.push_back(parameters(e, f, t, i) + " * " + f.in("cast_bytes", group.cast_bytes, "bytes per parameter"));
  }
  return sum_of(parts);
}

std::string scaled_path(const Explainer& e, Formula& f, const TrainingTerms& t, const ActivationPath& path, const ActivationPath& inputs,
                        const ActivationWidths& widths, const std::string& scope) {
  std::string text = path_text(e, f, t, path, widths, scope);
  const std::string extra = path_text(e, f, t, inputs, widths, scope);
  if (extra != "0") {
    text += " + " + e.constant(f, "train_quantised_input_scale", t.constants.quantised_input_scale) + " * (" + extra + ")";
  }
  return text;
}

/// "share * " unless the whole is alive.
std::string share_text(const Explainer& e, Formula& f, double share) { return share == 1 ? "" : e.constant(f, "train_overlap_share", share) + " * "; }

std::string kept_text(const Explainer& e, Formula& f, const TrainingTerms& t, const char* scale_name) {
  const std::string path = scaled_path(e, f, t, t.kept, t.kept_inputs, t.widths, "all_layers");
  if (path == "0") return "";
  std::string text = f.in("tokens", t.tokens, kTokens) + " * " + e.constant(f, scale_name, t.scale) + " * (" + path + ")";
  if (t.sets != 1) text += " * " + f.in("micro_batches_held", t.sets, "micro-batches");
  if (t.kept_layers != 1) text += " * " + f.in("share_not_offloaded", t.kept_layers, "share of checkpoints");
  return text;
}

std::string working_text(const Explainer& e, Formula& f, const TrainingTerms& t, const char* scale_name) {
  const std::string path = scaled_path(e, f, t, t.whole, t.whole_inputs, t.layer_widths, "one_layer");
  if (path == "0") return "";
  std::string text = f.in("tokens", t.tokens, kTokens) + " * (" + e.constant(f, scale_name, t.scale) + " * (" + path + ")";
  if (t.gathered_hidden > 0) text += " + " + f.in("gathered_bytes", t.gathered_hidden, kBytes) + " * " + e.model(f, "hidden", t.hidden, kUnits);
  return text + ")";
}

std::string activations_text(const Explainer& e, Formula& f, const TrainingTerms& t, const char* scale_name) {
  const MomentShares share = shares_at(t.moment, t.recomputes, t.constants.overlap_share);
  const std::string kept = share.kept == 0 ? "" : kept_text(e, f, t, scale_name);
  std::string working = share.working == 0 ? "" : working_text(e, f, t, scale_name);
  if (!working.empty()) working = share_text(e, f, share.working) + working;
  return sum_of({kept, working});
}

struct CodePath {
  const char* scale;
  const char* logits;
};

CodePath code_path(Kernels kernels) {
  switch (kernels) {
    case Kernels::eager: return {"train_eager_scale", "train_eager_logit_bytes"};
    case Kernels::compiled: return {"train_compiled_scale", "train_compiled_logit_bytes"};
    case Kernels::fused: return {"train_fused_scale", "train_fused_logit_bytes"};
  }
  return {};
}

std::string logits_text(const Explainer& e, Formula& f, const TrainingTerms& t, const char* logits_name) {
  std::vector<std::string> parts;
  if (t.logit_bytes > 0) {
    std::string bytes = e.settled(f, "logit_bytes", t.logit_bytes, "bytes per token and vocabulary entry", logits_name);
    parts.push_back(bytes + " * " + e.model(f, "vocabulary", t.vocabulary, "entries on this accelerator"));
  }
  if (t.loss_hidden_bytes > 0) {
    parts.push_back(e.constant(f, "train_fused_loss_bytes_per_hidden", t.loss_hidden_bytes) + " * " + e.model(f, "hidden", t.hidden, kUnits));
  }
  const MomentShares share = shares_at(t.moment, t.recomputes, t.constants.overlap_share);
  if (share.logits == 0) return "0";
  return share_text(e, f, share.logits) + f.in("tokens", t.tokens, kTokens) + " * (" + sum_of(parts) + ")";
}

std::string temporary_text(const Explainer& e, Formula& f, const TrainingTerms& t) {
  std::vector<std::string> parts;
  const auto one = [](const ParameterGroup&) { return 1.0; };
  const std::string buckets = per_group(
      e, f, t, "bucket_bytes", "bytes per parameter", [](const ParameterGroup& g) { return g.bucket_bytes; }, one);
  if (buckets != "0") parts.push_back(buckets);
  if (t.moment == PeakMoment::step) {
    parts.push_back(per_group(
        e, f, t, "step_copy_bytes", "bytes per parameter", [](const ParameterGroup& g) { return g.step_copy_bytes; },
        [](const ParameterGroup& g) { return g.optimizer_shards; }));
  } else {
    if (t.gathered_parameters > 0) {
      parts.push_back(e.model(f, "gathered_parameters", t.gathered_parameters, kParameters) + " * " +
                      f.in("gathered_bytes", t.gathered_bytes, "bytes per parameter"));
    }
    if (t.dequantised_parameters > 0) parts.push_back(e.model(f, "dequantised_parameters", t.dequantised_parameters, kParameters) + " * 2");
    if (t.moment != PeakMoment::loss && t.product_parameters > 0) {
      parts.push_back(e.model(f, "product_parameters", t.product_parameters, kParameters) + " * " +
                      e.constant(f, "train_product_gradient_bytes", t.constants.product_gradient_bytes));
    }
  }
  return sum_of(parts);
}

}  // namespace

void explain_training(Explainer& e, const TrainingTerms& t, const MemoryLines& value) {
  const MemoryConstants& c = t.constants;
  const CodePath path = code_path(t.kernels);
  e.add(Line::weights, kStates, [&](Formula& f) { return weights_text(e, f, t, false); });
  e.add(Line::adapters, kStates, [&](Formula& f) { return weights_text(e, f, t, true); });
  e.add(Line::gradients, kStates, [&](Formula& f) {
    return per_group(
        e, f, t, "gradient_bytes", "bytes per parameter", [](const ParameterGroup& g) { return g.gradient_bytes; },
        [](const ParameterGroup& g) { return g.gradient_shards; });
  });
  e.add(Line::optimizer, kStates, [&](Formula& f) {
    std::string text = per_group(
        e, f, t, "optimizer_bytes", "bytes per parameter", [](const ParameterGroup& g) { return g.optimizer_bytes; },
        [](const ParameterGroup& g) { return g.optimizer_shards; });
    if (t.factored_bytes == 0) return text;
    const std::string factored = f.in("factored_bytes", t.factored_bytes, kBytes) + divided_by(f, "factored_shards", t.factored_shards);
    return text == "0" ? factored : text + " + " + factored;
  });
  e.add(Line::activations, "engine/memory/activations.h", [&](Formula& f) { return activations_text(e, f, t, path.scale); });
  e.add(Line::logits, kHere, [&](Formula& f) { return logits_text(e, f, t, path.logits); });
  e.add(Line::temporary, kHere, [&](Formula& f) { return temporary_text(e, f, t); });
  e.add(Line::allocator, kHere, [&](Formula& f) {
    const double allocated = value.total() - value[Line::overhead] - value[Line::allocator];
    std::string text = e.constant(f, "train_slack_share", c.slack_share) + " * " + f.in("allocated_bytes", allocated, kBytes);
    if (!t.variable_lengths) return text;
    return text + " + " + e.constant(f, "train_slack_variable_share", c.slack_variable_share) + " * (" +
           f.in("activation_bytes", value[Line::activations], kBytes) + " + " + f.in("loss_bytes", value[Line::logits], kBytes) + ")";
  });
  e.add(Line::overhead, kHere, [&](Formula& f) {
    std::string text = e.constant(f, "train_context_bytes", c.context_bytes);
    return t.talks ? text + " + " + e.constant(f, "train_collectives_bytes", c.collectives_bytes) : text;
  });
}

}  // namespace rigsizer
