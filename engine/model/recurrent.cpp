#include "model/recurrent.h"

#include "model/blocks.h"

namespace rigsizer {
namespace {

constexpr auto kAttn = AdapterTarget::attention;

}  // namespace

void add_mamba1(Layer& layer, const MambaShape& s) {
  constexpr Part kPart = Part::state_space;
  auto& tensors = layer.tensors;
  tensors.push_back(linear_of(kPart, Matrix::other, s.hidden, 2 * s.inner, kAttn));
  tensors.push_back(vector_of(kPart, s.inner * s.kernel + s.inner));
  tensors.push_back(linear_of(kPart, Matrix::other, s.inner, s.rank + 2 * s.state, kAttn));
  tensors.push_back(linear_of(kPart, Matrix::other, s.rank, s.inner));
  tensors.push_back(vector_of(kPart, s.inner + s.inner * s.state + s.inner));
  tensors.push_back(linear_of(kPart, Matrix::recurrent_output, s.inner, s.hidden, kAttn));
  if (s.inner_norms) tensors.push_back(vector_of(kPart, s.rank + 2 * s.state));
  layer.mixer = Mixer::state_space;
  layer.state_bytes = 4 * s.inner * s.state + 2 * s.inner * (s.kernel - 1);
  layer.query_width = layer.value_width = s.inner;
  layer.state_flops_per_token = 9 * s.inner * s.state;
}

void add_mamba2(Layer& layer, const MambaShape& s) {
  constexpr Part kPart = Part::state_space;
  const std::int64_t convolved = s.inner + 2 * s.groups * s.state;
  auto& tensors = layer.tensors;
  tensors.push_back(linear_of(kPart, Matrix::other, s.hidden, s.inner + convolved + s.heads, kAttn));
  tensors.push_back(vector_of(kPart, convolved * (s.kernel + 1)));
  tensors.push_back(vector_of(kPart, 3 * s.heads + s.inner));
  tensors.push_back(linear_of(kPart, Matrix::recurrent_output, s.inner, s.hidden, kAttn));
  layer.mixer = Mixer::state_space;
  layer.state_bytes = 4 * s.inner * s.state + 2 * convolved * (s.kernel - 1);
  layer.query_width = layer.value_width = s.inner;
  layer.state_flops_per_token = 5 * s.inner * s.state;
}

void add_gated_delta(Layer& layer, const DeltaShape& s) {
  constexpr Part kPart = Part::linear_attention;
  const std::int64_t key = s.key_heads * s.key_dim;
  const std::int64_t value = s.value_heads * s.value_dim;
  auto& tensors = layer.tensors;
  tensors.push_back(linear_of(kPart, Matrix::recurrent_input, s.hidden, 2 * key + 2 * value, kAttn));
  tensors.push_back(linear_of(kPart, Matrix::other, s.hidden, 2 * s.value_heads));
  tensors.push_back(vector_of(kPart, (2 * key + value) * s.kernel + 2 * s.value_heads + s.value_dim));
  tensors.push_back(linear_of(kPart, Matrix::recurrent_output, value, s.hidden, kAttn));
  layer.mixer = Mixer::linear_attention;
  layer.state_bytes = 4 * s.value_heads * s.key_dim * s.value_dim + 2 * (2 * key + value) * (s.kernel - 1);
  layer.query_width = layer.key_width = key;
  layer.value_width = value;
  layer.heads = s.value_heads;
  layer.state_flops_per_token = 7 * s.value_heads * s.key_dim * s.value_dim;
}

void add_lightning(Layer& layer, std::int64_t hidden, std::int64_t heads, std::int64_t head_dim) {
  constexpr Part kPart = Part::linear_attention;
  const std::int64_t width = heads * head_dim;
  auto& tensors = layer.tensors;
  tensors.push_back(linear_of(kPart, Matrix::recurrent_input, hidden, 3 * width, kAttn));
  tensors.push_back(linear_of(kPart, Matrix::attention_gate, hidden, width));
  tensors.push_back(linear_of(kPart, Matrix::recurrent_output, width, hidden, kAttn));
  tensors.push_back(vector_of(kPart, width));
  layer.mixer = Mixer::linear_attention;
  layer.state_bytes = 4 * heads * head_dim * head_dim;
  layer.query_width = layer.key_width = layer.value_width = width;
  layer.heads = heads;
  layer.state_flops_per_token = 4 * heads * head_dim * head_dim;
}

void add_kda(Layer& layer, std::int64_t hidden, std::int64_t heads, std::int64_t head_dim, std::int64_t kernel) {
  constexpr Part kPart = Part::linear_attention;
  const std::int64_t width = heads * head_dim;
  auto& tensors = layer.tensors;
  tensors.push_back(linear_of(kPart, Matrix::recurrent_input, hidden, 3 * width, kAttn));
  tensors.push_back(vector_of(kPart, 3 * width * kernel));
  tensors.push_back(linear_of(kPart, Matrix::low_rank, hidden, head_dim));
  tensors.push_back(linear_of(kPart, Matrix::low_rank, head_dim, width));
  tensors.push_back(linear_of(kPart, Matrix::other, hidden, heads));
  tensors.push_back(linear_of(kPart, Matrix::attention_gate, hidden, width));
  tensors.push_back(vector_of(kPart, heads + width + head_dim));
  tensors.push_back(linear_of(kPart, Matrix::recurrent_output, width, hidden, kAttn));
  layer.mixer = Mixer::linear_attention;
  layer.state_bytes = 4 * heads * head_dim * head_dim + 6 * width * (kernel - 1);
  layer.query_width = layer.key_width = layer.value_width = width;
  layer.heads = heads;
  layer.state_flops_per_token = 7 * heads * head_dim * head_dim;
}

void add_rwkv(Layer& layer, const RwkvShape& s) {
  constexpr Part kPart = Part::rwkv;
  const std::int64_t h = s.hidden;
  auto& tensors = layer.tensors;
  const auto square = [&](std::int64_t how_many) {
    for (std::int64_t i = 0; i < how_many; ++i) tensors.push_back(linear_of(kPart, Matrix::other, h, h, kAttn));
  };
  const auto low_rank = [&](std::int64_t rank, std::int64_t how_many = 1) {
    for (std::int64_t i = 0; i < how_many; ++i) {
      tensors.push_back(linear_of(kPart, Matrix::low_rank, h, rank));
      tensors.push_back(linear_of(kPart, Matrix::low_rank, rank, h));
    }
  };
  const auto channel_mix = [&](bool receptance) {
    tensors.push_back(linear_of(kPart, Matrix::other, h, s.width, AdapterTarget::mlp));
    tensors.push_back(linear_of(kPart, Matrix::other, s.width, h, AdapterTarget::mlp));
    if (receptance) square(1);
  };
  tensors.push_back(vector_of(kPart, 4 * h));  // two LayerNorms
  switch (s.version) {
    case Block::rwkv5:
      tensors.push_back(vector_of(kPart, 6 * h + 2 * h + 2 * h));
      square(5);
      channel_mix(true);
      break;
    case Block::rwkv6:
      tensors.push_back(vector_of(kPart, 6 * h + h + h + 2 * h + 2 * h));
      low_rank(s.mix_rank, 5);
      low_rank(s.decay_rank);
      square(5);
      channel_mix(true);
      break;
    case Block::rwkv7:
      tensors.push_back(vector_of(kPart, 6 * h + 2 * h + 3 * h + 2 * h + h));
      low_rank(s.decay_rank);
      low_rank(s.a_rank);
      low_rank(s.gate_rank);
      square(4);
      if (!s.first_layer) {
        low_rank(s.v_rank);
        tensors.push_back(vector_of(kPart, h));
      }
      channel_mix(false);
      break;
    default:  // RWKV-4
      tensors.push_back(vector_of(kPart, 5 * h + 2 * h));
      square(4);
      channel_mix(true);
      break;
  }
  layer.mixer = Mixer::rwkv;
  layer.state_bytes = s.version == Block::rwkv4 ? 20 * h : 4 * h * s.head_size + 4 * h;
  layer.query_width = layer.key_width = layer.value_width = h;
  layer.mlp_width = s.width;
  layer.gated = false;
  layer.state_flops_per_token = s.version == Block::rwkv4 ? 10 * h : 7 * h * s.head_size;
}

}  // namespace rigsizer
