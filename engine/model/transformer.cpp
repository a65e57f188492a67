#include "model/transformer.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rigsizer {

[[gnu::noinline]] void Weights::add(Role role, std::int64_t inputs, std::int64_t outputs, std::int64_t copies, AdapterTarget adapter) const {
  tensors_->push_back({.part = part_, .role = role, .inputs = inputs, .outputs = outputs, .copies = copies, .adapter = adapter});
}

[[gnu::noinline]] void Weights::matrix(std::int64_t inputs, std::int64_t outputs, std::int64_t copies) const {
  add(Role::linear, inputs, outputs, copies, AdapterTarget::none);
}

void Weights::adaptable(std::int64_t inputs, std::int64_t outputs, AdapterTarget target, std::int64_t copies) const {
  for (std::int64_t i = 0; i < copies; ++i) add(Role::linear, inputs, outputs, 1, target);
}

[[gnu::noinline]] void Weights::vector(std::int64_t length, std::int64_t copies) const { add(Role::vector, length, 1, copies, AdapterTarget::none); }

void Weights::table(std::int64_t rows, std::int64_t width) const { add(Role::table, rows, width, 1, AdapterTarget::none); }

[[gnu::noinline]] void Weights::biased(std::int64_t inputs, std::int64_t outputs, std::int64_t copies) const {
  matrix(inputs, outputs, copies);
  vector(outputs, copies);
}

[[gnu::noinline]] void Weights::two_layers(std::int64_t inputs, std::int64_t hidden, std::int64_t outputs) const {
  biased(inputs, hidden);
  biased(hidden, outputs);
}

[[gnu::noinline]] void refuse_part(FieldReader& config, const char* field, const char* what) {
  config.fail(unsupported_part(field, std::string{what} + " is not known to this version.",
                               "The rest of this architecture is known; its sum would leave that out."));
}

[[gnu::noinline]] Layer block_of(const BlockShape& s) {
  Layer layer;
  const std::int64_t head_dim = s.head_dim > 0 ? s.head_dim : s.hidden / std::max<std::int64_t>(1, s.heads);
  const std::int64_t query = s.heads * head_dim;
  const std::int64_t attentions = s.cross ? 2 : 1;

  Weights attention{layer.tensors, s.part.value_or(Part::attention)};
  for (std::int64_t i = 0; i < attentions; ++i) {
    attention.adaptable(s.hidden, query, AdapterTarget::attention, 3);
    attention.adaptable(query, s.hidden, AdapterTarget::attention);
    if (s.bias) attention.vector((s.key_bias ? 3 : 2) * query + s.hidden);
  }
  Weights mlp{layer.tensors, s.part.value_or(Part::mlp)};
  mlp.adaptable(s.hidden, s.mlp, AdapterTarget::mlp, s.gated ? 2 : 1);
  mlp.adaptable(s.mlp, s.hidden, AdapterTarget::mlp);
  if (s.bias) mlp.vector((s.gated ? 2 : 1) * s.mlp + s.hidden);
  Weights norms{layer.tensors, s.part.value_or(Part::norm)};
  norms.vector(s.norm_vectors * s.hidden);

  layer.mixer = Mixer::attention;
  layer.hidden = s.hidden;
  layer.heads = attentions * s.heads;
  layer.query_width = layer.key_width = layer.value_width = attentions * query;
  layer.mlp_width = s.mlp;
  layer.gated = s.gated;
  layer.flops_per_token_pair = attentions * 4 * query;
  if (s.caches) layer.kv.push_back({.elements = 2 * query, .heads = s.heads});
  if (s.caches && s.cross) layer.kv.push_back({.elements = 2 * query, .heads = s.heads, .cross = true});
  return layer;
}

[[gnu::noinline]] void add_layers(Architecture& model, std::int64_t count, Layer layer, bool shared) {
  if (count <= 0) return;
  LayerGroup group{.count = count, .layer = std::move(layer), .shared = shared};
  for (std::int64_t i = 0; i < count; ++i) group.positions.push_back(model.layers + i);
  model.layers += count;
  model.groups.push_back(std::move(group));
}

}  // namespace rigsizer
