// The lines of a serving estimate as formulas.
#include "explain/explainer.h"

namespace rigsizer {

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

}  // namespace rigsizer
