#include "memory/model_sizes.h"

#include <algorithm>
#include <cmath>

#include "model/census.h"

namespace rigsizer {
namespace {

void add_adapters(ModelSizes& sizes, const Tensor& tensor, double layers) {
  if (tensor.role == Role::expert || tensor.adapter == AdapterTarget::none) return;
  const double per_rank = static_cast<double>(tensor.inputs + tensor.outputs) * layers;
  if (tensor.adapter == AdapterTarget::attention) sizes.adapter_attention += per_rank;
  sizes.adapter_all += per_rank;
  sizes.adapter_outputs += static_cast<double>(tensor.outputs) * layers;
}

void add_factored(ModelSizes& sizes, const Tensor& tensor, double layers) {
  const double copies = static_cast<double>(tensor.copies) * layers;
  const bool matrix = tensor.role != Role::vector && tensor.role != Role::expert_vector;
  sizes.factored_elements += copies * static_cast<double>(matrix ? tensor.inputs + tensor.outputs : tensor.inputs);
}

ActivationWidths widths_of(const Layer& layer, double hidden) {
  if (layer.hidden > 0) hidden = static_cast<double>(layer.hidden);
  return {.hidden = hidden,
          .query = static_cast<double>(layer.query_width),
          .key_value = static_cast<double>(layer.key_width + layer.value_width),
          .mlp = layer.gated ? static_cast<double>(layer.mlp_width) : 0,
          .plain_mlp = layer.gated ? 0 : static_cast<double>(layer.mlp_width),
          .heads = static_cast<double>(layer.heads),
          .dispatched = static_cast<double>(layer.experts_per_token) * hidden,
          .router = static_cast<double>(layer.experts)};
}

void add_widths(ActivationWidths& sum, const ActivationWidths& one, double layers) {
  sum.hidden += one.hidden * layers;
  sum.query += one.query * layers;
  sum.key_value += one.key_value * layers;
  sum.mlp += one.mlp * layers;
  sum.plain_mlp += one.plain_mlp * layers;
  sum.heads += one.heads * layers;
  sum.dispatched += one.dispatched * layers;
  sum.router += one.router * layers;
}

double kv_elements(const ModelSizes& sizes, double context_tokens, int tensor_parallel, bool windows) {
  double elements = 0;
  for (const KvStore& store : sizes.kv) {
    double kept = store.cross && sizes.source_tokens > 0 ? sizes.source_tokens : context_tokens;
    if (windows && store.window > 0) kept = std::min(kept, static_cast<double>(store.window));
    const double entries = std::ceil(kept / static_cast<double>(store.tokens_per_entry));
    // A rank holds whole heads: ceil(K / t) of K; a single latent is copied to every rank.
    const std::int64_t ranks = std::min<std::int64_t>(tensor_parallel, store.heads);
    const std::int64_t heads_here = (store.heads + ranks - 1) / ranks;
    elements += entries * static_cast<double>(store.elements) * static_cast<double>(heads_here) / static_cast<double>(store.heads);
  }
  return elements;
}

}  // namespace

ModelSizes sizes_of(const Architecture& model, const WeightFormat& format) {
  const Census census = census_of(model);
  ModelSizes sizes;
  sizes.weights = weight_bytes(model, format);
  sizes.total = census.total.as_double();
  sizes.linear = census.linear.as_double();
  sizes.expert = census.expert.as_double();
  sizes.head = census.head.as_double();
  sizes.table = census.table.as_double();
  sizes.small = (census.router + census.vector).as_double();  // towers count among the vectors
  sizes.tied_head = model.tied ? static_cast<double>(model.vocabulary) * static_cast<double>(model.table_width) : 0;
  sizes.hidden = static_cast<double>(model.hidden);
  sizes.layers = static_cast<double>(model.layers);
  sizes.vocabulary = static_cast<double>(model.vocabulary);
  sizes.heads = static_cast<int>(model.heads);
  sizes.kv_heads = static_cast<int>(model.kv_heads);
  sizes.state_bytes = static_cast<double>(census.state_bytes);
  sizes.norm_upcasts = model.norm_upcasts;
  sizes.samples = model.kind != Architecture::Kind::encoder;
  sizes.source_tokens = static_cast<double>(model.source_tokens);

  for (const Tensor& tensor : model.model_tensors) add_factored(sizes, tensor, 1);
  for (const LayerGroup& group : model.groups) {
    const Layer& layer = group.layer;
    const auto layers = static_cast<double>(group.count);
    const double held = group.shared ? 1 : layers;  // sets of weights
    LayerSize kind{.widths = widths_of(layer, sizes.hidden)};
    for (const Tensor& tensor : layer.tensors) {
      add_adapters(sizes, tensor, held);
      add_factored(sizes, tensor, held);
      const double size = tensor.size().as_double() * held / layers;
      kind.parameters += size;
      if (tensor.role == Role::linear) kind.linear += size;
      if (tensor.role == Role::expert) kind.expert += size;
      if (tensor.role == Role::linear) sizes.largest_matrix = std::max(sizes.largest_matrix, static_cast<double>(tensor.inputs * tensor.outputs));
    }
    const double values = static_cast<double>(layer.value_width);
    if (layer.mixer == Mixer::attention) sizes.adapter_query_value += held * (2 * kind.widths.hidden + kind.widths.query + values);
    add_widths(sizes.widths, kind.widths, layers);
    sizes.widest_mlp = std::max(sizes.widest_mlp, static_cast<double>(layer.mlp_width));
    sizes.has_experts = sizes.has_experts || layer.experts > 0;
    sizes.has_recurrence = sizes.has_recurrence || layer.state_bytes > 0;
    sizes.has_latent = sizes.has_latent || layer.mixer == Mixer::latent_attention;
    for (KvStore store : layer.kv) {
      store.elements *= group.count;
      sizes.has_windows = sizes.has_windows || store.window > 0;
      sizes.kv.push_back(store);
    }
    for (const std::int64_t position : group.positions) {
      const auto at = static_cast<std::size_t>(position);
      if (sizes.kind_of_layer.size() <= at) sizes.kind_of_layer.resize(at + 1);
      sizes.kind_of_layer[at] = static_cast<int>(sizes.kinds.size());
    }
    sizes.kinds.push_back(kind);
  }
  return sizes;
}

LayerSpan span_of(const ModelSizes& sizes, int first, int count) {
  LayerSpan span;
  const int end = std::min(first + count, static_cast<int>(sizes.kind_of_layer.size()));
  for (int i = std::max(first, 0); i < end; ++i) {
    const LayerSize& kind = sizes.kinds[static_cast<std::size_t>(sizes.kind_of_layer[static_cast<std::size_t>(i)])];
    span.layers += 1;
    span.linear += kind.linear;
    span.expert += kind.expert;
    span.small += kind.parameters - kind.linear - kind.expert;
    add_widths(span.widths, kind.widths, 1);
  }
  return span;
}

double kv_elements_per_rank(const ModelSizes& sizes, double context_tokens, int tensor_parallel) {
  return kv_elements(sizes, context_tokens, tensor_parallel, true);
}

double kv_elements_all_layers(const ModelSizes& sizes, double context_tokens, int tensor_parallel) {
  return kv_elements(sizes, context_tokens, tensor_parallel, false);
}

}  // namespace rigsizer
