#include "model/census.h"

#include <algorithm>
#include <cmath>

namespace rigsizer {
namespace {

void add_role(Census& census, const Tensor& tensor, Count size) {
  switch (tensor.role) {
    case Role::linear: census.linear += size; break;
    case Role::expert: census.expert += size; break;
    case Role::table: census.table += size; break;
    case Role::head: census.head += size; break;
    case Role::router: census.router += size; break;
    case Role::tower:
    case Role::expert_vector:
    case Role::vector: census.vector += size; break;
  }
}

/// `uses`: how often one token meets the tensor; more than `layers` where layers share their weights.
void count_tensor(Census& census, const Tensor& tensor, std::int64_t layers, std::int64_t uses, std::int64_t experts, std::int64_t met) {
  const Count size = tensor.size() * layers;
  census.parts.at(static_cast<std::size_t>(tensor.part)) += size;
  census.total += size;
  const bool routed = tensor.role == Role::expert || tensor.role == Role::expert_vector;
  const Count touched = routed && experts > 0 ? Count{tensor.inputs} * tensor.outputs * met * layers : size;
  census.active += touched;
  add_role(census, tensor, size);
  switch (tensor.role) {
    case Role::linear:
    case Role::expert:
    case Role::head:
    case Role::router: census.multiplied += uses == layers ? touched : tensor.size() * uses; break;
    default: break;
  }
  if (tensor.role == Role::table) census.embedding += size;
}

void count_kv(Census& census, const KvStore& store, std::int64_t layers) {
  if (store.cross) {
    census.kv_elements_per_source_token += static_cast<double>(store.elements * layers);
    return;
  }
  if (store.window == 0) {
    census.kv_elements_per_token += static_cast<double>(store.elements * layers) / static_cast<double>(store.tokens_per_entry);
    return;
  }
  auto& windows = census.kv_windowed;
  const auto at =
      std::lower_bound(windows.begin(), windows.end(), store.window, [](const WindowedKv& w, std::int64_t window) { return w.window < window; });
  if (at != windows.end() && at->window == store.window) {
    at->elements_per_token += store.elements * layers;
  } else {
    windows.insert(at, {store.elements * layers, store.window});
  }
}

}  // namespace

Census census_of(const Architecture& model) {
  Census census;
  for (const Tensor& tensor : model.model_tensors) count_tensor(census, tensor, 1, 1, 0, 0);
  for (const LayerGroup& group : model.groups) {
    const Layer& layer = group.layer;
    for (const Tensor& tensor : layer.tensors) {
      count_tensor(census, tensor, group.shared ? 1 : group.count, group.count, layer.experts, layer.experts_per_token);
    }
    for (const KvStore& store : layer.kv) count_kv(census, store, group.count);
    census.state_bytes += layer.state_bytes * group.count;
  }
  if (model.tied) census.multiplied += Count{model.vocabulary} * model.table_width;
  return census;
}

double kv_elements(const Architecture& model, double context_tokens) {
  double elements = 0;
  for (const LayerGroup& group : model.groups) {
    for (const KvStore& store : group.layer.kv) {
      double kept = store.window > 0 ? std::min(context_tokens, static_cast<double>(store.window)) : context_tokens;
      if (store.cross && model.source_tokens > 0) kept = static_cast<double>(model.source_tokens);
      const double entries = std::ceil(kept / static_cast<double>(store.tokens_per_entry));
      elements += static_cast<double>(group.count) * static_cast<double>(store.elements) * entries;
    }
  }
  return elements;
}

double forward_flops_per_token(const Architecture& model, double past_tokens) {
  double flops = 2 * census_of(model).multiplied.as_double();
  for (const LayerGroup& group : model.groups) {
    const Layer& layer = group.layer;
    double seen = past_tokens + 1;
    for (const KvStore& store : layer.kv) {
      if (store.window > 0) seen = std::min(seen, static_cast<double>(store.window));
    }
    flops += static_cast<double>(group.count) *
             (static_cast<double>(layer.flops_per_token_pair) * seen + static_cast<double>(layer.state_flops_per_token));
  }
  return flops;
}

std::string_view name_of(Part part) {
  switch (part) {
    case Part::embed: return "embed";
    case Part::position: return "pos";
    case Part::embed_norm: return "embed_ln";
    case Part::attention: return "attn";
    case Part::linear_attention: return "linear_attn";
    case Part::state_space: return "ssm";
    case Part::rwkv: return "rwkv";
    case Part::mlp: return "mlp";
    case Part::moe: return "moe";
    case Part::norm: return "norm";
    case Part::lm_head: return "lm_head";
    case Part::cross_attention: return "cross_attn";
    case Part::altup: return "altup";
    case Part::laurel: return "laurel";
    case Part::per_layer_input: return "per_layer_input";
    case Part::per_layer_embed: return "per_layer_embed";
    case Part::hyper_connection: return "hyper_connection";
    case Part::embed_projection: return "embed_proj";
    case Part::vision: return "vision";
    case Part::audio: return "audio";
    case Part::text: return "text";
    case Part::encoder: return "encoder";
    case Part::decoder: return "decoder";
    case Part::convolution: return "conv";
    case Part::projection: return "proj";
    case Part::relative_position: return "rel_embed";
    case Part::pooler: return "pooler";
    case Part::mask_head: return "mlm_head";
    case Part::classifier: return "classifier";
    case Part::downsampling: return "down";
    case Part::denoiser: return "denoiser";
  }
  return "";
}

}  // namespace rigsizer
