#include "model/layers.h"

#include <utility>

#include "model/blocks.h"
#include "model/gemma.h"
#include "model/recurrent.h"

namespace rigsizer {
namespace {

std::int64_t mamba_rank(FieldReader& config, std::int64_t hidden) {
  return config.integer_or({"time_step_rank", "mamba_dt_rank"}, (hidden + 15) / 16, range::width);
}

void add_recurrent(Layer& layer, FieldReader& config, const Dimensions& s) {
  switch (s.family->block) {
    case Block::gated_delta:
      add_gated_delta(layer, {.hidden = s.hidden,
                              .key_heads = config.required({"linear_num_key_heads"}, range::heads),
                              .key_dim = config.required({"linear_key_head_dim"}, range::width),
                              .value_heads = config.required({"linear_num_value_heads"}, range::heads),
                              .value_dim = config.required({"linear_value_head_dim"}, range::width),
                              .kernel = config.integer_or({"linear_conv_kernel_dim"}, 4, range::small)});
      break;
    case Block::lightning: add_lightning(layer, s.hidden, s.heads, s.head_dim); break;
    case Block::delta_latent:
      if (!config.flag_or("linear_attn_config.use_full_rank_gate", false)) {
        config.fail(unsupported_part("linear_attn_config", "Kimi's linear attention with a low-rank gate is not known to this version.",
                                     "Known is the full-rank gate of Kimi K3 (use_full_rank_gate)."));
      }
      add_kda(layer, s.hidden, config.required({"linear_attn_config.num_heads"}, range::heads),
              config.required({"linear_attn_config.head_dim"}, range::width),
              config.integer_or({"linear_attn_config.short_conv_kernel_size"}, 4, range::small));
      break;
    case Block::jamba:
    case Block::mamba1: {
      const std::int64_t inner = config.integer_or({"mamba_expand", "expand"}, 2, range::small) * s.hidden;
      add_mamba1(layer, {.hidden = s.hidden,
                         .inner = s.family->block == Block::mamba1 ? config.integer_or({"intermediate_size"}, inner, range::width) : inner,
                         .state = config.integer_or({"state_size", "mamba_d_state"}, 16, range::small),
                         .rank = mamba_rank(config, s.hidden),
                         .kernel = config.integer_or({"conv_kernel", "mamba_d_conv"}, 4, range::small),
                         .inner_norms = s.family->block == Block::jamba});
      break;
    }
    case Block::nemotron_h:
    case Block::mamba2: {
      const std::int64_t heads = config.required({"mamba_num_heads", "num_heads"}, range::heads);
      const std::int64_t dim =
          s.family->block == Block::mamba2 ? config.required({"head_dim"}, range::width) : config.required({"mamba_head_dim"}, range::width);
      add_mamba2(layer, {.hidden = s.hidden,
                         .inner = heads * dim,
                         .state = config.required({"ssm_state_size", "state_size"}, range::small),
                         .kernel = config.integer_or({"conv_kernel"}, 4, range::small),
                         .heads = heads,
                         .groups = config.required({"n_groups"}, range::small)});
      break;
    }
    default: break;
  }
}

/// Low ranks differ by size within a version, so none is taken for granted.
RwkvShape rwkv_shape(FieldReader& config, const Dimensions& s, const LayerKind& kind) {
  RwkvShape shape{
      .version = s.family->block, .hidden = s.hidden, .width = config.required({"intermediate_size"}, range::width), .first_layer = kind.first};
  if (shape.version != Block::rwkv4) shape.head_size = config.required({"head_size"}, range::small);
  if (shape.version == Block::rwkv6) {
    shape.mix_rank = config.required({"time_mix_extra_dim"}, range::small);
    shape.decay_rank = config.required({"time_decay_extra_dim"}, range::small);
  }
  if (shape.version == Block::rwkv7) {
    shape.decay_rank = config.required({"decay_low_rank_dim"}, range::small);
    shape.a_rank = config.required({"a_low_rank_dim"}, range::small);
    shape.v_rank = config.required({"v_low_rank_dim"}, range::small);
    shape.gate_rank = config.required({"gate_low_rank_dim"}, range::small);
  }
  return shape;
}

void add_mixer(Layer& layer, FieldReader& config, const Dimensions& s, const LayerKind& kind) {
  if (kind.recurrent || s.family->block == Block::mamba1 || s.family->block == Block::mamba2) {
    add_recurrent(layer, config, s);
    return;
  }
  switch (s.family->block) {
    case Block::latent:
    case Block::delta_latent:
      add_latent_attention(layer, {.hidden = s.hidden,
                                   .heads = s.heads,
                                   .kv_rank = config.required({"kv_lora_rank"}, range::width),
                                   .query_rank = config.integer_or({"q_lora_rank"}, 0, Range{0, range::width.high}),
                                   .nope_dim = config.required({"qk_nope_head_dim"}, range::width),
                                   .rope_dim = config.required({"qk_rope_head_dim"}, range::width),
                                   .value_dim = config.required({"v_head_dim"}, range::width),
                                   .output_gate = config.flag_or("mla_use_output_gate", false),
                                   .index_heads = config.integer_or({"index_n_heads"}, 0, range::heads),
                                   .index_dim = config.integer_or({"index_head_dim"}, 0, range::width)});
      return;
    case Block::compressed:
      add_compressed_attention(layer, {.hidden = s.hidden,
                                       .heads = s.heads,
                                       .head_dim = s.head_dim,
                                       .query_rank = config.required({"q_lora_rank"}, range::width),
                                       .output_rank = config.required({"o_lora_rank"}, range::width),
                                       .output_groups = config.required({"o_groups"}, range::small),
                                       .window = kind.window,
                                       .ratio = kind.pool_ratio,
                                       .index_heads = config.integer_or({"index_n_heads"}, 0, range::heads),
                                       .index_dim = config.integer_or({"index_head_dim"}, 0, range::width),
                                       .streams = config.required({"hc_mult"}, Range{1, 64})});
      return;
    default: break;
  }
  AttentionShape shape{.hidden = s.hidden,
                       .heads = s.heads,
                       .kv_heads = s.kv_heads,
                       .head_dim = s.head_dim,
                       .value_dim = s.value_dim,
                       .window = kind.window,
                       .qkv_bias = s.qkv_bias,
                       .out_bias = s.out_bias,
                       .qk_norm = s.qk_norm,
                       .qk_norm_per_head_weights = s.model_type == "stablelm",
                       .query_gate = s.family->block == Block::gated_delta,
                       .sinks = s.model_type == "gpt_oss",
                       .holds_keys_values = kind.holds_keys_values};
  if (kind.window > 0) {  // some families shape their windowed layers differently
    shape.heads = config.integer_or({"swa_num_attention_heads", "attention_other_setting.num_attention_heads"}, shape.heads, range::heads);
    shape.kv_heads = config.integer_or({"swa_num_key_value_heads", "attention_other_setting.num_attention_groups"}, shape.kv_heads, range::heads);
    shape.head_dim = config.integer_or({"swa_head_dim"}, shape.head_dim, range::width);
    shape.value_dim = config.integer_or({"swa_v_head_dim"}, shape.value_dim, range::width);
    shape.sinks = shape.sinks || config.flag_or("add_swa_attention_sink_bias", false);
  }
  if (config.flag_or("use_head_wise_attn_gate", false)) shape.head_gates = shape.heads;
  if (s.family->model_type.starts_with("gemma")) shape_gemma_attention(shape, config, kind, s.model_type);
  if (kind.indexed) {
    shape.index_heads = config.required({"sparse_attention_config.sparse_num_index_heads"}, range::heads);
    shape.index_dim = config.required({"sparse_attention_config.sparse_index_dim"}, range::width);
  }
  add_attention(layer, shape);
}

void add_feed_forward(Layer& layer, FieldReader& config, const Dimensions& s, const LayerKind& kind) {
  const bool beside_experts = kind.moe && config.flag_or("enable_moe_block", false);  // Gemma 4: a dense MLP next to the experts
  if (beside_experts) add_mlp(layer, {.hidden = s.hidden, .width = s.dense_width, .gated = s.family->gated}, Part::moe);
  if (!kind.moe) {
    if (s.dense_width == 0) config.required({"intermediate_size"}, range::width);
    const bool wide = kind.shares_cache && config.flag_or("use_double_wide_mlp", false);
    add_mlp(layer, {.hidden = s.hidden, .width = wide ? 2 * s.dense_width : s.dense_width, .gated = s.family->gated, .bias = s.mlp_bias});
    return;
  }
  if (s.expert_width == 0) config.required({"moe_intermediate_size"}, range::width);
  add_moe(layer, {.hidden = s.hidden,
                  .experts = s.experts,
                  .experts_per_token = s.experts_per_token,
                  .width = s.expert_width,
                  .shared_width = s.shared_width,
                  .gated = s.family->gated,
                  .correction_bias = s.family->correction_bias && !kind.hashed,
                  .shared_gate = s.family->shared_expert_gate,
                  .expert_bias = s.model_type == "gpt_oss",
                  .latent = config.integer_or({"moe_latent_size", "routed_expert_hidden_size"}, 0, Range{0, range::width.high}),
                  .latent_norm = config.flag_or("latent_moe_use_norm", false)});
  // Router scale, one scale per expert, three norms around the two paths.
  if (beside_experts) layer.tensors.push_back(vector_of(Part::moe, 4 * s.hidden + s.experts));
}

/// Llama 3.2 Vision: a whole layer that reads the image: attention with per-head norms, MLP, two norms, two gates.
/// Its keys and values are those of the image, held once per sequence, so it adds nothing per token.
void add_cross_layer(Layer& layer, const Dimensions& s) {
  add_attention(
      layer,
      {.hidden = s.hidden, .heads = s.heads, .kv_heads = s.kv_heads, .head_dim = s.head_dim, .value_dim = s.value_dim, .qk_norm = QkNorm::per_head});
  layer.kv.clear();
  layer.flops_per_token_pair = 0;
  add_mlp(layer, {.hidden = s.hidden, .width = s.dense_width});
  layer.tensors.push_back(vector_of(Part::norm, 2 * s.hidden + 2));
  for (Tensor& tensor : layer.tensors) tensor.part = Part::cross_attention;
}

}  // namespace

Layer make_layer(FieldReader& config, const Dimensions& s, const LayerKind& kind) {
  Layer layer;
  layer.mixer = Mixer::none;
  if (s.family->block >= Block::rwkv4) {
    add_rwkv(layer, rwkv_shape(config, s, kind));
    return layer;
  }
  if (kind.cross) {
    add_cross_layer(layer, s);
    return layer;
  }
  if (kind.mixer) add_mixer(layer, config, s, kind);
  const bool mlp = kind.feed_forward && s.family->block != Block::mamba1 && s.family->block != Block::mamba2;
  if (mlp) add_feed_forward(layer, config, s, kind);
  add_norms(layer, s.norm, s.hidden, s.norms_per_layer);
  add_gemma_extras(layer, config, s.hidden, s.model_type);
  if (const std::int64_t block = config.integer_or({"attn_res_block_size"}, 0, range::small); block > 0) {
    // Kimi K3: two learned residual mixes per layer, a norm and a projection to one weight each.
    layer.tensors.push_back(vector_of(Part::norm, 2 * s.hidden, 2));
  }
  return layer;
}

std::vector<LayerGroup> make_layers(FieldReader& config, const Dimensions& s) {
  std::vector<LayerGroup> groups;
  std::vector<LayerKind> kinds;
  std::int64_t position = 0;
  for (const LayerKind& kind : plan_layers(config, *s.family, s.layers, s.experts, s.max_context)) {
    std::size_t i = 0;
    while (i < kinds.size() && !(kinds[i] == kind)) ++i;
    if (i == kinds.size()) {
      kinds.push_back(kind);
      groups.push_back({.count = 0, .layer = make_layer(config, s, kind)});
    }
    ++groups[i].count;
    groups[i].positions.push_back(position++);
  }
  return groups;
}

}  // namespace rigsizer
