#include "memory/llama_cpp.h"

#include <algorithm>

#include "memory/cache.h"

namespace rigsizer {
namespace {

struct Widths {
  double heads = 0, mlp = 0, dispatched = 0;
  double keys_values = 0;  ///< elements of one token in one layer's cache
  double expanded = 0;     ///< of a latent: keys and values of all heads
  double projected = 0;    ///< what its up-projection puts out for them: all but the rotary part
};

Widths widest(const Architecture& model) {
  Widths widths;
  for (const LayerGroup& group : model.groups) {
    const Layer& layer = group.layer;
    widths.heads = std::max(widths.heads, static_cast<double>(layer.heads));
    widths.mlp = std::max(widths.mlp, static_cast<double>(layer.mlp_width));
    widths.dispatched = std::max(widths.dispatched, static_cast<double>(layer.experts_per_token * model.hidden));
    double elements = 0;
    for (const KvStore& store : layer.kv) elements += static_cast<double>(store.elements);
    widths.keys_values = std::max(widths.keys_values, elements);
    for (const Tensor& tensor : layer.tensors) {
      if (tensor.matrix == Matrix::latent_kv_up) widths.projected = std::max(widths.projected, static_cast<double>(tensor.outputs));
    }
    if (layer.mixer == Mixer::latent_attention) widths.expanded = std::max(widths.expanded, static_cast<double>(layer.key_width + layer.value_width));
  }
  return widths;
}

}  // namespace

double ComputeBuffer::bytes() const { return std::max({logits_bytes, layer_bytes, expert_bytes}); }

ComputeBuffer compute_buffer(const Architecture& model, const LlamaGraph& graph) {
  const Widths widths = widest(model);
  const auto hidden = static_cast<double>(model.hidden);
  const double ub = graph.micro_batch;
  const double n = graph.context_tokens;
  const double scores = 4 * ub * widths.heads * n;
  const auto capped = [&](double bytes) { return graph.attention_cap_bytes > 0 ? std::min(bytes, graph.attention_cap_bytes) : bytes; };
  const double mask = graph.input_copies > 1 ? 4 * ub * n * graph.input_copies : 2 * ub * n;
  const double dequantised = graph.cache_quantised ? 2 * widths.keys_values * n : 0;

  ComputeBuffer buffer;
  buffer.expert_bytes = graph.copied_expert_bytes;
  if (graph.holds_output) buffer.logits_bytes = 4 * ub * (static_cast<double>(model.vocabulary) + 2 * hidden);
  if (widths.expanded > 0 && graph.latent_kept) {
    if (graph.flash_attention)
      buffer.layer_bytes = mask + dequantised + 2 * widths.expanded * n + capped(4 * widths.projected * n) + 4 * ub * widths.expanded;
    else
      buffer.layer_bytes = 4 * ub * n * graph.input_copies + 4 * widths.keys_values * n + 2 * capped(scores);
  } else if (graph.flash_attention) {
    buffer.layer_bytes = mask + dequantised + 4 * ub * (2 * widths.mlp + 2 * widths.dispatched + 4 * hidden);
  } else {
    buffer.layer_bytes = scores + 4 * ub * (n + 4 * hidden);
  }
  return buffer;
}

}  // namespace rigsizer
