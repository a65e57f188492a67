// The lines of a serving estimate as formulas.
#include "explain/explainer.h"

namespace rigsizer {

void explain_serving(Explainer& e, const ServingTerms& t) {
  const MemoryConstants& c = t.constants;
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

}  // namespace rigsizer
