#include "model/family.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rigsizer {
namespace {

using enum Norm;
using enum QkNorm;

std::vector<Family> sorted_families() {
  std::vector<Family> all{
      {.model_type = "llama"},
      {.model_type = "mistral"},
      {.model_type = "mixtral"},
      {.model_type = "ministral3"},
      {.model_type = "smollm3", .tied = true},
      {.model_type = "seed_oss", .qkv_bias = true},
      {.model_type = "granite", .tied = true},
      {.model_type = "granitemoe", .tied = true},
      {.model_type = "minicpm", .tied = true},
      {.model_type = "qwen", .qkv_bias = true},
      {.model_type = "qwen2", .qkv_bias = true, .windows = Windows::opt_in},
      {.model_type = "qwen2_moe", .qkv_bias = true, .windows = Windows::opt_in, .shared_expert_gate = true},
      {.model_type = "qwen3", .qk_norm = per_head, .windows = Windows::opt_in, .head_dim_stated = true},
      {.model_type = "qwen3_moe", .qk_norm = per_head, .windows = Windows::opt_in, .head_dim_stated = true},
      {.model_type = "qwen3_next", .block = Block::gated_delta, .qk_norm = per_head, .shared_expert_gate = true, .head_dim_stated = true},
      {.model_type = "qwen3_5_text", .block = Block::gated_delta, .qk_norm = per_head, .head_dim_stated = true},
      {.model_type = "qwen3_5_moe_text", .block = Block::gated_delta, .qk_norm = per_head, .shared_expert_gate = true, .head_dim_stated = true},
      {.model_type = "qwen3_vl_text", .qk_norm = per_head, .head_dim_stated = true},
      {.model_type = "qwen3_vl_moe_text", .qk_norm = per_head, .head_dim_stated = true},
      {.model_type = "deepseek"},
      {.model_type = "deepseek_v2", .block = Block::latent},
      {.model_type = "deepseek_v3", .block = Block::latent, .correction_bias = true},
      {.model_type = "deepseek_v32", .block = Block::latent, .correction_bias = true},
      {.model_type = "kimi_k2", .block = Block::latent, .correction_bias = true},
      {.model_type = "glm_moe_dsa", .block = Block::latent, .correction_bias = true},
      {.model_type = "deepseek_v4", .block = Block::compressed, .correction_bias = true, .head_dim_stated = true},
      {.model_type = "kimi_k3_text", .block = Block::delta_latent, .correction_bias = true},
      {.model_type = "minicpm3", .block = Block::latent, .tied = true},
      {.model_type = "glm4_moe",
       .qk_norm = per_head,
       .qk_norm_needs_flag = true,
       .correction_bias = true,
       .head_dim_stated = true,
       .bias_covers_out = false},
      {.model_type = "glm4", .norms_per_layer = 4, .bias_covers_out = false},
      {.model_type = "glm", .bias_covers_out = false},
      {.model_type = "chatglm", .qkv_bias = true, .bias_covers_out = false},
      {.model_type = "gpt_oss", .qkv_bias = true, .out_bias = true, .windows = Windows::pattern, .window_period = 2, .head_dim_stated = true},
      {.model_type = "gemma", .tied = true, .head_dim_stated = true},
      {.model_type = "gemma2", .norms_per_layer = 4, .tied = true, .windows = Windows::pattern, .window_period = 2, .head_dim_stated = true},
      {.model_type = "gemma3_text",
       .norms_per_layer = 4,
       .qk_norm = per_head,
       .tied = true,
       .windows = Windows::pattern,
       .window_period = 6,
       .head_dim_stated = true},
      {.model_type = "gemma3n_text",
       .norms_per_layer = 4,
       .qk_norm = per_head,
       .tied = true,
       .windows = Windows::pattern,
       .window_period = 5,
       .head_dim_stated = true},
      {.model_type = "gemma4_text",
       .norms_per_layer = 4,
       .qk_norm = per_head,
       .tied = true,
       .windows = Windows::pattern,
       .window_period = 6,
       .head_dim_stated = true},
      {.model_type = "phi",
       .norm = layer_norm,
       .norms_per_layer = 1,
       .qkv_bias = true,
       .out_bias = true,
       .gated = false,
       .mlp_bias = true,
       .head_bias = true},
      {.model_type = "phi3"},
      {.model_type = "phimoe", .norm = layer_norm, .qkv_bias = true, .out_bias = true},
      {.model_type = "baichuan"},
      {.model_type = "internlm", .qkv_bias = true, .out_bias = true},
      {.model_type = "internlm2"},
      {.model_type = "internlm3"},
      {.model_type = "orion", .norm = layer_norm},
      {.model_type = "xverse"},
      {.model_type = "falcon", .norm = layer_norm, .gated = false, .tied = true},
      {.model_type = "mpt", .norm = layer_norm_no_shift, .gated = false, .tied = true},
      {.model_type = "opt",
       .norm = layer_norm,
       .qkv_bias = true,
       .out_bias = true,
       .gated = false,
       .mlp_bias = true,
       .learned_positions = true,
       .tied = true},
      {.model_type = "gpt2",
       .norm = layer_norm,
       .qkv_bias = true,
       .out_bias = true,
       .gated = false,
       .mlp_bias = true,
       .learned_positions = true,
       .tied = true},
      {.model_type = "gptj", .norm = layer_norm, .norms_per_layer = 1, .gated = false, .mlp_bias = true, .head_bias = true},
      {.model_type = "gpt_neox", .norm = layer_norm, .qkv_bias = true, .out_bias = true, .gated = false, .mlp_bias = true},
      {.model_type = "gpt_bigcode",
       .norm = layer_norm,
       .qkv_bias = true,
       .out_bias = true,
       .gated = false,
       .mlp_bias = true,
       .learned_positions = true,
       .tied = true},
      {.model_type = "bloom", .norm = layer_norm, .qkv_bias = true, .out_bias = true, .gated = false, .mlp_bias = true, .tied = true},
      {.model_type = "starcoder2", .norm = layer_norm, .qkv_bias = true, .out_bias = true, .gated = false, .mlp_bias = true, .tied = true},
      {.model_type = "stablelm", .norm = layer_norm},
      {.model_type = "olmo", .norm = no_weights},
      {.model_type = "olmo2", .qk_norm = whole_projection},
      {.model_type = "olmo3", .qk_norm = whole_projection, .windows = Windows::pattern, .window_period = 4},
      {.model_type = "olmoe", .qk_norm = whole_projection},
      {.model_type = "nemotron", .norm = layer_norm, .gated = false},
      {.model_type = "cohere",
       .norm = layer_norm_no_shift,
       .norms_per_layer = 1,
       .qk_norm = whole_projection,
       .qk_norm_needs_flag = true,
       .tied = true},
      {.model_type = "cohere2", .norm = layer_norm_no_shift, .norms_per_layer = 1, .tied = true, .windows = Windows::pattern, .window_period = 4},
      {.model_type = "dbrx", .norm = layer_norm_no_shift},
      {.model_type = "grok-1", .norms_per_layer = 4, .tied = true},
      {.model_type = "ernie4_5", .tied = true},
      {.model_type = "ernie4_5_moe", .tied = true, .correction_bias = true},
      {.model_type = "minimax_m1", .block = Block::lightning},
      {.model_type = "minimax_m2", .qk_norm = whole_projection, .correction_bias = true},
      {.model_type = "minimax_m3", .qk_norm = per_head, .correction_bias = true},
      {.model_type = "hunyuan_v1_dense", .qk_norm = per_head, .tied = true},
      {.model_type = "hunyuan_v1_moe", .qk_norm = per_head, .tied = true},
      {.model_type = "llama4_text", .windows = Windows::pattern, .window_period = 4},
      {.model_type = "mllama_text_model"},
      {.model_type = "mimo", .qkv_bias = true, .windows = Windows::opt_in},
      {.model_type = "mimo_v2_flash", .correction_bias = true, .head_dim_stated = true},
      {.model_type = "step3p7", .qk_norm = per_head, .correction_bias = true},
      {.model_type = "exaone"},
      {.model_type = "exaone4", .qk_norm = per_head, .windows = Windows::pattern, .window_period = 4},
      {.model_type = "arcee", .gated = false},
      {.model_type = "jamba", .block = Block::jamba, .windows = Windows::never},
      {.model_type = "nemotron_h",
       .block = Block::nemotron_h,
       .norms_per_layer = 1,
       .gated = false,
       .windows = Windows::never,
       .correction_bias = true},
      {.model_type = "mamba", .block = Block::mamba1, .norms_per_layer = 1, .tied = true},
      {.model_type = "falcon_mamba", .block = Block::mamba1, .norms_per_layer = 1},
      {.model_type = "mamba2", .block = Block::mamba2, .norms_per_layer = 1},
      {.model_type = "rwkv", .block = Block::rwkv4, .norm = layer_norm},
      {.model_type = "rwkv5", .block = Block::rwkv5, .norm = layer_norm},
      {.model_type = "rwkv6", .block = Block::rwkv6, .norm = layer_norm},
      {.model_type = "rwkv7", .block = Block::rwkv7, .norm = layer_norm},
  };
  std::sort(all.begin(), all.end(), [](const Family& a, const Family& b) { return a.model_type < b.model_type; });
  return all;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all = sorted_families();
  return all;
}

std::string_view family_name(std::string_view model_type) {
  // Names of language parts that are plain members of another family.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kAliases{{{"qwen2_vl", "qwen2"},
                                                                                   {"qwen2_vl_text", "qwen2"},
                                                                                   {"qwen2_5_vl", "qwen2"},
                                                                                   {"qwen2_5_vl_text", "qwen2"},
                                                                                   {"kimi_linear", "kimi_k3_text"},
                                                                                   {"minimax_m3_vl", "minimax_m3"}}};
  for (const auto& [alias, name] : kAliases) {
    if (alias == model_type) return name;
  }
  return model_type;
}

const Family* family_of(std::string_view model_type) {
  const auto& all = families();
  const auto found =
      std::lower_bound(all.begin(), all.end(), model_type, [](const Family& family, std::string_view name) { return family.model_type < name; });
  return found != all.end() && found->model_type == model_type ? &*found : nullptr;
}

}  // namespace rigsizer
