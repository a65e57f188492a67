#include "model/blocks.h"

namespace rigsizer {
namespace {

constexpr auto kAttn = AdapterTarget::attention;
constexpr auto kMlp = AdapterTarget::mlp;

void add_indexer(Layer& layer, std::int64_t hidden, std::int64_t query_rank, std::int64_t heads, std::int64_t dim) {
  if (heads == 0) return;
  layer.tensors.push_back(linear_of(Part::attention, Matrix::indexer, query_rank, heads * dim));
  layer.tensors.push_back(linear_of(Part::attention, Matrix::indexer, hidden, dim));
  layer.tensors.push_back(vector_of(Part::attention, 2 * dim));
  layer.tensors.push_back(linear_of(Part::attention, Matrix::indexer, hidden, heads));
}

}  // namespace

void add_attention(Layer& layer, const AttentionShape& s) {
  const std::int64_t query = s.heads * s.head_dim;
  const std::int64_t key = s.kv_heads * s.head_dim;
  const std::int64_t value = s.kv_heads * s.value_dim;
  const std::int64_t mixed = s.heads * s.value_dim;
  auto& tensors = layer.tensors;

  tensors.push_back(linear_of(Part::attention, Matrix::query, s.hidden, s.query_gate ? 2 * query : query, kAttn));
  if (s.holds_keys_values) {
    tensors.push_back(linear_of(Part::attention, Matrix::key, s.hidden, key, kAttn));
    if (!s.keys_are_values) tensors.push_back(linear_of(Part::attention, Matrix::value, s.hidden, value, kAttn));
  }
  tensors.push_back(linear_of(Part::attention, Matrix::attention_output, mixed, s.hidden, kAttn));
  if (s.qkv_bias) tensors.push_back(vector_of(Part::attention, query + (s.holds_keys_values ? key + value : 0)));
  if (s.out_bias) tensors.push_back(vector_of(Part::attention, s.hidden));
  switch (s.qk_norm) {
    case QkNorm::none: break;
    case QkNorm::per_head:
      tensors.push_back(vector_of(Part::attention, s.qk_norm_per_head_weights ? query + key : s.query_norm_only ? s.head_dim : 2 * s.head_dim));
      break;
    case QkNorm::whole_projection: tensors.push_back(vector_of(Part::attention, query + key)); break;
  }
  if (s.head_gates > 0) tensors.push_back(linear_of(Part::attention, Matrix::attention_gate, s.hidden, s.head_gates));
  if (s.sinks) tensors.push_back(vector_of(Part::attention, s.heads));
  if (s.index_heads > 0) {
    tensors.push_back(linear_of(Part::attention, Matrix::indexer, s.hidden, (s.index_heads + 1) * s.index_dim));
    tensors.push_back(vector_of(Part::attention, 2 * s.index_dim));
    layer.kv.push_back({.elements = s.index_dim, .window = s.window});
  }

  layer.mixer = Mixer::attention;
  if (s.holds_keys_values && s.caches) {
    layer.kv.push_back({.elements = key + value, .window = s.window, .heads = s.kv_heads});
  }
  layer.heads = s.heads;
  layer.query_width = query;
  layer.key_width = key;
  layer.value_width = value;
  layer.flops_per_token_pair = 2 * s.heads * (s.head_dim + s.value_dim);
}

void add_latent_attention(Layer& layer, const LatentShape& s) {
  const std::int64_t query = s.heads * (s.nope_dim + s.rope_dim);
  auto& tensors = layer.tensors;
  if (s.query_rank > 0) {
    tensors.push_back(linear_of(Part::attention, Matrix::latent_query_down, s.hidden, s.query_rank, kAttn));
    tensors.push_back(vector_of(Part::attention, s.query_rank));
    tensors.push_back(linear_of(Part::attention, Matrix::latent_query_up, s.query_rank, query, kAttn));
  } else {
    tensors.push_back(linear_of(Part::attention, Matrix::query, s.hidden, query, kAttn));
  }
  tensors.push_back(linear_of(Part::attention, Matrix::latent_kv_down, s.hidden, s.kv_rank + s.rope_dim, kAttn));
  tensors.push_back(vector_of(Part::attention, s.kv_rank));
  tensors.push_back(linear_of(Part::attention, Matrix::latent_kv_up, s.kv_rank, s.heads * (s.nope_dim + s.value_dim), kAttn));
  tensors.push_back(linear_of(Part::attention, Matrix::attention_output, s.heads * s.value_dim, s.hidden, kAttn));
  if (s.output_gate) tensors.push_back(linear_of(Part::attention, Matrix::attention_gate, s.hidden, s.heads * s.value_dim, kAttn));
  add_indexer(layer, s.hidden, s.query_rank, s.index_heads, s.index_dim);

  layer.mixer = Mixer::latent_attention;
  layer.kv.push_back({.elements = s.kv_rank + s.rope_dim});
  if (s.index_heads > 0) layer.kv.push_back({.elements = s.index_dim});
  layer.heads = s.heads;
  layer.query_width = query;
  layer.key_width = query;
  layer.value_width = s.heads * s.value_dim;
  layer.flops_per_token_pair = 2 * s.heads * (s.nope_dim + s.rope_dim + s.value_dim);
}

void add_compressed_attention(Layer& layer, const CompressedShape& s) {
  constexpr Part kPart = Part::attention;
  const std::int64_t query = s.heads * s.head_dim;
  auto& tensors = layer.tensors;
  tensors.push_back(linear_of(kPart, Matrix::latent_query_down, s.hidden, s.query_rank, kAttn));
  tensors.push_back(vector_of(kPart, s.query_rank));
  tensors.push_back(linear_of(kPart, Matrix::latent_query_up, s.query_rank, query, kAttn));
  tensors.push_back(linear_of(kPart, Matrix::latent_kv_down, s.hidden, s.head_dim, kAttn));
  tensors.push_back(vector_of(kPart, s.head_dim));
  tensors.push_back(linear_of(kPart, Matrix::attention_output, query, s.output_rank));
  tensors.push_back(linear_of(kPart, Matrix::attention_output, s.output_groups * s.output_rank, s.hidden));
  tensors.push_back(vector_of(kPart, s.heads));
  layer.kv.push_back({.elements = s.head_dim, .window = s.window});

  if (s.ratio > 0) {
    const bool fine = s.ratio == 4;
    const std::int64_t width = fine ? 2 * s.head_dim : s.head_dim;
    tensors.push_back(linear_of(kPart, Matrix::latent_kv_down, s.hidden, 2 * width));
    tensors.push_back(vector_of(kPart, s.ratio * width + s.head_dim));
    layer.kv.push_back({.elements = s.head_dim, .tokens_per_entry = s.ratio});
    if (fine) {
      tensors.push_back(linear_of(kPart, Matrix::indexer, s.query_rank, s.index_heads * s.index_dim));
      tensors.push_back(linear_of(kPart, Matrix::indexer, s.hidden, s.index_heads));
      tensors.push_back(linear_of(kPart, Matrix::indexer, s.hidden, 4 * s.index_dim));
      tensors.push_back(vector_of(kPart, 4 * 2 * s.index_dim + s.index_dim));
      layer.kv.push_back({.elements = s.index_dim, .tokens_per_entry = 4});
    }
  }
  // Two hyper-connections: one around the mixer, one around the experts.
  const std::int64_t m = s.streams;
  tensors.push_back(
      {.part = Part::hyper_connection, .role = Role::router, .matrix = Matrix::router, .inputs = m * s.hidden, .outputs = m * (2 + m), .copies = 2});
  tensors.push_back(vector_of(Part::hyper_connection, m * (2 + m) + 3, 2));

  layer.mixer = Mixer::latent_attention;
  layer.heads = s.heads;
  layer.query_width = query;
  layer.key_width = s.head_dim;
  layer.value_width = s.head_dim;
  layer.flops_per_token_pair = 4 * s.heads * s.head_dim;
}

void add_mlp(Layer& layer, const MlpShape& s, Part part) {
  auto& tensors = layer.tensors;
  const bool shared = s.shared_expert;
  if (s.gated) tensors.push_back(linear_of(part, shared ? Matrix::shared_gate : Matrix::gate, s.hidden, s.width, kMlp));
  tensors.push_back(linear_of(part, shared ? Matrix::shared_up : Matrix::up, s.hidden, s.width, kMlp));
  tensors.push_back(linear_of(part, shared ? Matrix::shared_down : Matrix::down, s.width, s.hidden, kMlp));
  if (s.bias) tensors.push_back(vector_of(part, (s.gated ? 2 : 1) * s.width + s.hidden));
  layer.mlp_width += s.width;
  layer.gated = s.gated;
}

void add_moe(Layer& layer, const MoeShape& s) {
  auto& tensors = layer.tensors;
  const std::int64_t width_in = s.latent > 0 ? s.latent : s.hidden;
  tensors.push_back({.part = Part::moe, .role = Role::router, .matrix = Matrix::router, .inputs = s.hidden, .outputs = s.experts});
  const auto expert = [&](Matrix matrix, std::int64_t inputs, std::int64_t outputs) {
    tensors.push_back(
        {.part = Part::moe, .role = Role::expert, .matrix = matrix, .inputs = inputs, .outputs = outputs, .copies = s.experts, .adapter = kMlp});
  };
  if (s.gated) expert(Matrix::expert_gate, width_in, s.width);
  expert(Matrix::expert_up, width_in, s.width);
  expert(Matrix::expert_down, s.width, width_in);
  if (s.latent > 0) {
    tensors.push_back(linear_of(Part::moe, Matrix::other, s.hidden, s.latent));
    tensors.push_back(linear_of(Part::moe, Matrix::other, s.latent, s.hidden));
    if (s.latent_norm) tensors.push_back(vector_of(Part::moe, s.latent));
  }
  if (s.expert_bias) {
    tensors.push_back(
        {.part = Part::moe, .role = Role::expert_vector, .matrix = Matrix::vector, .inputs = 2 * s.width + s.hidden, .copies = s.experts});
    tensors.push_back(vector_of(Part::moe, s.experts));
  }
  if (s.correction_bias) tensors.push_back(vector_of(Part::moe, s.experts));
  if (s.shared_width > 0) {
    const std::int64_t before = layer.mlp_width;
    add_mlp(layer, {.hidden = s.hidden, .width = s.shared_width, .gated = s.gated, .shared_expert = true}, Part::moe);
    layer.mlp_width = before + s.shared_width;
  }
  if (s.shared_gate) tensors.push_back(vector_of(Part::moe, s.hidden));
  layer.mlp_width += s.experts_per_token * s.width;
  layer.gated = s.gated;
  layer.experts = s.experts;
  layer.experts_per_token = s.experts_per_token;
}

std::int64_t norm_size(Norm norm, std::int64_t hidden) {
  switch (norm) {
    case Norm::rms:
    case Norm::layer_norm_no_shift: return hidden;
    case Norm::layer_norm: return 2 * hidden;
    case Norm::no_weights: return 0;
  }
  return 0;
}

void add_norms(Layer& layer, Norm norm, std::int64_t hidden, int how_many) {
  layer.tensors.push_back(vector_of(Part::norm, norm_size(norm, hidden), how_many));
}

}  // namespace rigsizer
