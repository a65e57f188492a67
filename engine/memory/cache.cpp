#include "memory/cache.h"

#include <algorithm>
#include <cmath>

namespace rigsizer {
namespace {

/// One store of one layer on one rank.
struct Stored {
  double key_elements = 0, value_elements = 0;
  bool latent = false;
};

const Tensor* latent_up_projection(const Layer& layer) {
  const auto is_up = [](const Tensor& tensor) { return tensor.matrix == Matrix::latent_kv_up; };
  const auto found = std::find_if(layer.tensors.begin(), layer.tensors.end(), is_up);
  return found == layer.tensors.end() ? nullptr : &*found;
}

/// Elements of the heads one rank holds: ceil(K / t) of K.
double on_rank(std::int64_t elements, std::int64_t heads, int tensor_parallel) {
  const std::int64_t ranks = std::min<std::int64_t>(tensor_parallel, heads);
  const std::int64_t here = (heads + ranks - 1) / ranks;
  return static_cast<double>(elements) * static_cast<double>(here) / static_cast<double>(heads);
}

Stored stored(const Layer& layer, const KvStore& store, const CacheRules& rules) {
  const Tensor* up = latent_up_projection(layer);
  // The latent is the store as wide as the down projection's rank and rotary part; an indexer's key beside it is not.
  if (up != nullptr && &store == &layer.kv.front()) {
    switch (rules.latent) {
      case LatentCache::kept: return {static_cast<double>(store.elements), 0, true};
      case LatentCache::kept_with_values: return {static_cast<double>(store.elements), static_cast<double>(up->inputs), true};
      case LatentCache::expanded:
        return {on_rank(layer.key_width, layer.heads, rules.tensor_parallel), on_rank(layer.value_width, layer.heads, rules.tensor_parallel), false};
    }
  }
  const double elements = on_rank(store.elements, store.heads, rules.tensor_parallel);
  if (store.elements != layer.key_width + layer.value_width) return {elements, 0, layer.mixer == Mixer::latent_attention};
  const double keys = static_cast<double>(layer.key_width) / static_cast<double>(store.elements);
  return {elements * keys, elements * (1 - keys), false};
}

}  // namespace

double CacheCost::sequence_bytes(double tokens) const {
  double bytes = full_bytes_per_token * tokens + source_bytes + state_bytes;
  for (const WindowedCost& one : windowed) bytes += one.bytes_per_token * std::min(tokens, one.window_tokens);
  return bytes;
}

double CacheCost::short_bytes_per_token() const {
  double bytes = full_bytes_per_token;
  for (const WindowedCost& one : windowed) bytes += one.bytes_per_token;
  return bytes;
}

CacheCost cache_cost(const Architecture& model, const CacheRules& rules) {
  CacheCost cost;
  double widest = 0;  // bytes of one layer and token
  double paged_layers = 0;
  bool has_windows = false;
  for (const LayerGroup& group : model.groups) {
    const auto layers = static_cast<double>(group.count);
    cost.state_bytes += layers * static_cast<double>(group.layer.state_bytes) / rules.tensor_parallel;
    for (const KvStore& store : group.layer.kv) {
      const Stored one = stored(group.layer, store, rules);
      const double bytes = (one.key_elements * rules.key_bytes + one.value_elements * rules.value_bytes) /
                           static_cast<double>(store.tokens_per_entry) / rules.context_parallel;
      if (store.cross && model.source_tokens > 0) {
        cost.source_bytes += layers * bytes * static_cast<double>(model.source_tokens);
        continue;
      }
      widest = std::max(widest, bytes);
      paged_layers += layers;
      if (one.latent) cost.latent_bytes_per_token += layers * bytes;
      has_windows = has_windows || store.window > 0;
      if (store.window == 0 || rules.windows != WindowedLayers::cut) {
        cost.full_bytes_per_token += layers * bytes;
        continue;
      }
      const double kept = static_cast<double>(store.window) + rules.window_margin_tokens;
      cost.windowed.push_back({std::ceil(kept / rules.window_pad_tokens) * rules.window_pad_tokens, layers * bytes});
    }
  }
  if (has_windows && rules.windows == WindowedLayers::paged_alike) cost.full_bytes_per_token = paged_layers * widest;
  return cost;
}

}  // namespace rigsizer
