// What a model_type implies and a config.json leaves out.
//
// One row per family: kinds of norm, biases, MLP, query/key norm, tied tables. Fields that are present in a config win.
// Sources: the modelling code of each family in huggingface/transformers and the publishers' repositories.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rigsizer {

enum class Norm : std::uint8_t { rms, layer_norm, layer_norm_no_shift, no_weights };
enum class QkNorm : std::uint8_t { none, per_head, whole_projection };
enum class Windows : std::uint8_t {
  when_stated,  ///< `layer_types`, or a bare `sliding_window` that covers every layer
  opt_in,       ///< only when `use_sliding_window` is true, from layer `max_window_layers` on
  pattern,      ///< every p-th layer is full: `sliding_window_pattern`, else the family's period
  never,
};
enum class Block : std::uint8_t {
  attention,     ///< MHA, GQA or MQA
  latent,        ///< MLA
  compressed,    ///< DeepSeek V4: windowed plus pooled keys, hyper-connections
  gated_delta,   ///< gated delta rule mixed with attention
  lightning,     ///< lightning attention mixed with softmax attention
  delta_latent,  ///< KDA mixed with MLA
  mamba1,
  mamba2,      ///< state space only
  jamba,       ///< Mamba-1 mixed with attention
  nemotron_h,  ///< one mixer per layer by pattern
  rwkv4,
  rwkv5,
  rwkv6,
  rwkv7,
};

struct Family {
  std::string_view model_type;
  Block block = Block::attention;
  Norm norm = Norm::rms;
  int norms_per_layer = 2;
  bool qkv_bias = false;
  bool out_bias = false;
  bool gated = true;
  bool mlp_bias = false;
  bool head_bias = false;
  QkNorm qk_norm = QkNorm::none;
  bool qk_norm_needs_flag = false;  ///< only when `use_qk_norm` says so
  bool learned_positions = false;
  bool tied = false;
  Windows windows = Windows::when_stated;
  int window_period = 0;
  bool correction_bias = false;  ///< one bias per routed expert
  bool shared_expert_gate = false;
  bool head_dim_stated = false;  ///< heads are not hidden / heads wide, so the config must say how wide
  bool bias_covers_out = true;   ///< `attention_bias` means the output projection too
};

/// The family a model_type belongs to: itself but for a few aliases.
std::string_view family_name(std::string_view model_type);
/// By family name; nullptr for a family that is not known: the caller says so rather than guess.
const Family* family_of(std::string_view model_type);
/// All families, sorted by model_type.
const std::vector<Family>& families();

}  // namespace rigsizer
