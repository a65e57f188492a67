#include "model/dimensions.h"

#include <algorithm>
#include <utility>

namespace rigsizer {
namespace {

/// As stated, else hidden / heads where the family's heads are that wide and the division is exact.
std::int64_t read_head_dim(FieldReader& config, const Dimensions& s) {
  const bool latent = s.family->block == Block::latent || s.family->block == Block::delta_latent;  // which has sizes of its own
  if (s.family->head_dim_stated) return config.required({"head_dim"}, range::width);
  const std::int64_t stated = config.integer_or({"head_dim", "kv_channels", "attention_head_dim"}, 0, Range{0, range::width.high});
  if (stated > 0) return stated;
  if (s.hidden % s.heads != 0 && !latent) {
    config.fail({.code = "config_inconsistent",
                 .path = "/model/config/num_attention_heads",
                 .message = "A width of " + std::to_string(s.hidden) + " does not divide into " + std::to_string(s.heads) +
                            " heads, and head_dim is not given.",
                 .hint = "Paste the config.json as published; add head_dim where the model states it.",
                 .values = {{"field", std::string{"num_attention_heads"}}}});
  }
  return std::max<std::int64_t>(1, s.hidden / s.heads);
}

void read_attention(FieldReader& config, Dimensions& s) {
  const Family& family = *s.family;
  s.heads = config.required({"num_attention_heads", "n_head", "n_heads"}, range::heads);
  s.kv_heads = config.integer_or({"num_key_value_heads", "attn_config.kv_n_heads"}, s.heads, range::heads);
  if (config.flag_or("multi_query", false)) s.kv_heads = 1;
  if (config.flag_or("new_decoder_architecture", false) || s.model_type != "falcon") {
    s.kv_heads = config.integer_or({"num_kv_heads"}, s.kv_heads, range::heads);
  }
  if (config.flag_or("multi_query_attention", false)) {
    s.kv_heads = config.integer_or({"multi_query_group_num"}, 1, range::heads);
  }
  s.head_dim = read_head_dim(config, s);
  s.value_dim = config.integer_or({"v_head_dim"}, s.head_dim, range::width);
  if (s.heads % s.kv_heads != 0) {
    config.fail({.code = "config_inconsistent",
                 .path = "/model/config/num_key_value_heads",
                 .message = std::to_string(s.heads) + " query heads cannot share " + std::to_string(s.kv_heads) + " key/value heads evenly.",
                 .hint = "num_attention_heads must be a multiple of num_key_value_heads.",
                 .values = {{"field", std::string{"num_key_value_heads"}}}});
  }

  s.qkv_bias = config.flag_or("attention_bias", family.qkv_bias);
  s.out_bias = s.qkv_bias == family.qkv_bias ? family.out_bias : s.qkv_bias && family.bias_covers_out;
  s.qkv_bias = config.flag_or("use_qkv_bias", config.flag_or("add_qkv_bias", config.flag_or("qkv_bias", s.qkv_bias)));
  s.out_bias = config.flag_or("attention_out_bias", s.out_bias);
  s.mlp_bias = config.flag_or("mlp_bias", family.mlp_bias);
  for (const auto& [name, present_means] : {std::pair{"bias", true}, std::pair{"use_bias", true}, std::pair{"no_bias", false}}) {
    if (s.model_type == "qwen" || !config.has(name)) continue;
    const bool biased = config.flag_or(name, false) == present_means;
    s.qkv_bias = s.out_bias = biased;
    if (s.model_type != "internlm") s.mlp_bias = biased;
  }
  s.qk_norm = config.flag_or("use_qk_norm", !family.qk_norm_needs_flag) ? family.qk_norm : QkNorm::none;
  if (config.flag_or("qk_layernorm", false)) s.qk_norm = QkNorm::per_head;
}

void read_feed_forward(FieldReader& config, Dimensions& s) {
  const Family& family = *s.family;
  const std::int64_t ratio = config.integer_or({"expansion_ratio"}, 4, range::small);
  s.mlp_width = config.integer_or({"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "ffn_config.ffn_hidden_size"},
                                  family.gated ? 0 : ratio * s.hidden, Range{0, range::width.high});
  if (s.model_type == "qwen") s.mlp_width /= 2;  // the field is the width of gate and up together
  s.experts =
      config.integer_or({"num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts", "ffn_config.moe_num_experts"}, 0, range::experts);
  if (s.experts > 1) {
    s.experts_per_token = config.required(
        {"num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k", "top_k_experts", "ffn_config.moe_top_k"}, Range{1, s.experts});
    s.expert_width = config.integer_or({"moe_intermediate_size"}, s.mlp_width, Range{0, range::width.high});
    const std::int64_t shared =
        config.integer_or({"n_shared_experts", "num_shared_expert", "moe_num_shared_experts", "num_shared_experts"}, 0, range::experts);
    if (family.shared_expert_gate) config.required({"shared_expert_intermediate_size"}, range::width);
    s.shared_width =
        config.integer_or({"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "share_expert_dim", "shared_intermediate_size"},
                          shared * s.expert_width, Range{0, range::width.high});
    if (s.model_type == "llama4_text") s.shared_width = s.expert_width;
  }
  s.dense_width = config.integer_or({"intermediate_size_mlp", "dense_intermediate_size"}, s.mlp_width, Range{0, range::width.high});
}

void read_norms(FieldReader& config, Dimensions& s) {
  s.norm = s.family->norm;
  s.norms_per_layer = s.family->norms_per_layer;
  if (s.model_type == "falcon" && config.flag_or("parallel_attn", true) && !config.flag_or("new_decoder_architecture", false)) {
    s.norms_per_layer = 1;
  }
  if (s.model_type == "stablelm" && config.flag_or("use_parallel_residual", false)) s.norms_per_layer = 1;
  if (s.model_type == "mpt" && !config.flag_or("no_bias", true)) s.norm = Norm::layer_norm;
}

}  // namespace

void read_dimensions(FieldReader& config, Dimensions& dimensions) {
  const Block block = dimensions.family->block;
  const bool attends = block != Block::mamba1 && block != Block::mamba2 && block < Block::rwkv4;
  if (attends) read_attention(config, dimensions);
  if (block < Block::rwkv4) read_feed_forward(config, dimensions);
  read_norms(config, dimensions);
}

}  // namespace rigsizer
