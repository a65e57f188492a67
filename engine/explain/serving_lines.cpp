// The lines of a serving estimate as formulas.
#include "explain/explainer.h"

namespace rigsizer {
namespace {

std::string share_of_layers(Formula& f, const ServingTerms& t) {
  return t.layer_share == 1 ? "" : " * " + f.in("layer_share", t.layer_share, "share of the layers on this accelerator");
}

const char* activations_source(const ServingTerms& t) {
  switch (estimate_kind(t.server.engine)) {
    case EstimateKind::serve_llama_cpp: return "engine/memory/llama_cpp.h";
    case EstimateKind::serve_plain: return "engine/memory/serving_plain.h";
    default: return "engine/memory/pool.h";
  }
}

/// chunk * 2 * tensors * (mlp / ranks + hidden)
std::string body(const Explainer& e, Formula& f, const ServingTerms& t, std::string_view tensors, double value) {
  return f.in("chunk_tokens", t.server.settings.chunk_tokens, kTokens) + " * 2 * " + e.constant(f, tensors, value) + " * (" +
         e.model(f, "mlp_width", t.mlp_width, kUnits) + divided_by(f, "tensor_parallel", t.server.tensor_parallel) + " + " +
         e.model(f, "hidden", t.hidden, kUnits) + ")";
}

std::string prompt_tokens(Formula& f, const ServingTerms& t) {
  return f.in("sequences", t.run.sequences, "sequences per replica") + " * " + f.in("prompt_tokens", t.run.prompt_tokens, kTokens);
}

std::string prompts(const Explainer& e, Formula& f, const ServingTerms& t) {
  const std::string body = prompt_tokens(f, t) + " * 2 * " + e.constant(f, "serve_body_tensors", t.constants.body_tensors) + " * (" +
                           e.model(f, "mlp_width", t.mlp_width, kUnits) + " + " + e.model(f, "hidden", t.hidden, kUnits) + ")";
  if (!t.run.eager_attention) return body;
  return "max(" + body + ", " + prompt_tokens(f, t) + " * prompt_tokens * " + e.model(f, "heads", t.heads, kCount) + " * " +
         f.in("bytes_per_score", kScoreBytes, "bytes, 16-bit, fp32 and weights") + ")";
}

std::string activations(const Explainer& e, Formula& f, const ServingTerms& t) {
  const MemoryConstants& c = t.constants;
  const EstimateKind kind = estimate_kind(t.server.engine);
  if (kind == EstimateKind::serve_llama_cpp) {
    const std::string layer = f.in("layer_buffer_bytes", t.buffer.layer_bytes, kBytes);
    if (t.buffer.logits_bytes == 0) return layer;
    return "max(4 * " + f.in("micro_batch", t.server.settings.micro_batch, kTokens) + " * (" + e.model(f, "vocabulary", t.vocabulary, "entries") +
           " + 2 * " + e.model(f, "hidden", t.hidden, kUnits) + "), " + layer + ")";
  }
  if (kind == EstimateKind::serve_plain) return prompts(e, f, t);
  const auto sampled = [&](std::string_view name, double bytes_per_logit) {
    return e.constant(f, name, bytes_per_logit) + " * " + e.model(f, "vocabulary", t.vocabulary, "entries") + " * " +
           f.in("profiled_sequences", t.server.settings.profiled_sequences, "sequences");
  };
  if (t.server.engine == ServingEngine::tensorrt_llm) {
    return body(e, f, t, "serve_execution_tensors", c.execution_tensors) + " + " +
           sampled("serve_decoder_bytes_per_logit", c.decoder_bytes_per_logit);
  }
  return "max(" + body(e, f, t, "serve_body_tensors", c.body_tensors) + ", " + sampled("serve_sampler_bytes_per_logit", c.sampler_bytes_per_logit) +
         ")";
}

}  // namespace

void explain_serving(Explainer& e, const ServingTerms& t) {
  e.add(Line::weights, "engine/memory/weight_format.h", [&](Formula& f) {
    const ShardParts& w = t.weights;
    std::vector<std::string> split;
    if (w.linear > 0) split.push_back(e.model(f, "linear_bytes", w.linear, kBytes));
    if (w.expert > 0) split.push_back(e.model(f, "expert_bytes", w.expert, kBytes));
    if (w.table_and_head > 0) split.push_back(e.model(f, "table_and_head_bytes", w.table_and_head, kBytes));
    const std::string over = divided_by(f, "tensor_parallel", w.tensor_parallel);
    const std::string shared = sum_of(split);
    std::vector<std::string> parts{over.empty() ? shared : "(" + shared + ")" + over};
    if (w.key_value > 0) {
      const std::string whole = e.model(f, "key_value_bytes", w.key_value, kBytes);
      parts.push_back(w.key_value_share == 1 ? whole
                                             : whole + " * " + f.in("key_value_share", w.key_value_share, "share of the heads on this accelerator"));
    }
    if (w.copied > 0) parts.push_back(e.model(f, "undivided_bytes", w.copied, kBytes));
    return sum_of(parts);
  });
  const CacheCost& cost = t.pool.cost;
  e.add(Line::kv_cache, "engine/memory/cache.h", [&](Formula& f) {
    const std::string context = f.in("context_tokens", t.context_tokens, t.pool.block_tokens > 1 ? "tokens, in whole blocks" : kTokens);
    std::vector<std::string> parts;
    if (cost.full_bytes_per_token > 0)
      parts.push_back(e.model(f, "bytes_per_token", cost.full_bytes_per_token, "bytes on this accelerator") + " * " + context);
    for (std::size_t i = 0; i < cost.windowed.size(); ++i) {
      const std::string number = cost.windowed.size() > 1 ? "_" + std::to_string(i + 1) : "";
      parts.push_back(e.model(f, "windowed_bytes_per_token" + number, cost.windowed[i].bytes_per_token, "bytes on this accelerator") + " * min(" +
                      context + ", " + f.in("window_tokens" + number, cost.windowed[i].window_tokens, "tokens, with what a chunk adds") + ")");
    }
    if (cost.source_bytes > 0) parts.push_back(e.model(f, "source_bytes", cost.source_bytes, kBytes));
    const std::string sum = sum_of(parts);
    return f.in("sequences", t.sequences, "sequences per replica") + " * " + (parts.size() > 1 ? "(" + sum + ")" : sum) + share_of_layers(f, t);
  });
  e.add(Line::state, "engine/model/recurrent.h", [&](Formula& f) {
    return f.in("sequences", t.sequences, "sequences per replica") + " * " +
           e.model(f, "state_bytes_per_sequence", cost.state_bytes, "bytes on this accelerator") + share_of_layers(f, t);
  });
  e.add(Line::activations, activations_source(t), [&](Formula& f) { return activations(e, f, t); });
  e.add(Line::logits, "engine/memory/serving_plain.h", [&](Formula& f) {
    return prompt_tokens(f, t) + " * " + f.in("bytes_per_logit", kLogitBytes, "bytes, 16-bit and fp32") + " * " +
           e.model(f, "vocabulary", t.vocabulary, "entries");
  });
  e.add(Line::overhead, "engine/memory/pool.h", [&](Formula& f) {
    const bool hopper = t.server.card.is_hopper_server;
    std::string text = e.constant(f, hopper ? "serve_hopper_context_bytes" : "serve_context_bytes", t.pool.context_bytes);
    if (has_pool(t.server.engine) && t.pool.graphs_bytes > 0) text += " + " + e.constant(f, "serve_graphs_bytes", t.pool.graphs_bytes);
    return text;
  });
}

}  // namespace rigsizer
