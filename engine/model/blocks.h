// The blocks layers are made of, each adding its tensors, caches and widths to a Layer.
//
// Formulas are those of the families' modelling code; each function states its sum. Symbols: h hidden width, H query
// heads, K key/value heads, d head size, d_v value head size, I MLP width, E experts, k experts per token.
#pragma once

#include <cstdint>

#include "model/architecture.h"
#include "model/family.h"

namespace rigsizer {

struct AttentionShape {
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t value_dim = 0;  ///< of one value head; = head_dim but for a few
  std::int64_t window = 0;     ///< 0: every token
  bool qkv_bias = false;
  bool out_bias = false;
  QkNorm qk_norm = QkNorm::none;
  bool qk_norm_per_head_weights = false;  ///< one set of norm weights for each head (StableLM 2)
  bool query_gate = false;                ///< output gate: the query projection is twice as wide
  std::int64_t head_gates = 0;            ///< one gate weight row per head
  bool sinks = false;                     ///< one learned attention sink per head
  bool holds_keys_values = true;          ///< false: the layer reuses another layer's
  bool caches = true;                     ///< false: computes keys and values but reads another layer's cache
  bool query_norm_only = false;           ///< per-head norm of queries alone
  bool keys_are_values = false;           ///< no value projection of its own
  std::int64_t index_heads = 0;           ///< block-sparse indexer: h (i_h i_d + i_d) + 2 i_d; caches i_d per token
  std::int64_t index_dim = 0;
};

/// h H d + K h (d + d_v) + H d_v h + biases + norms. Cache: K (d + d_v) per token; FLOPs 2 H (d + d_v) per pair.
void add_attention(Layer& layer, const AttentionShape& shape);

struct LatentShape {
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_rank = 0;     ///< r
  std::int64_t query_rank = 0;  ///< q; 0 for a plain query projection
  std::int64_t nope_dim = 0;    ///< n
  std::int64_t rope_dim = 0;    ///< p
  std::int64_t value_dim = 0;   ///< d_v
  bool output_gate = false;
  std::int64_t index_heads = 0;  ///< sparse-attention indexer; 0 without
  std::int64_t index_dim = 0;
};

/// MLA: [h q + q + q H (n + p)] or h H (n + p), + h (r + p) + r + r H (n + d_v) + H d_v h (+ indexer).
/// Cache: r + p per token, one copy for all heads; + the index key.
void add_latent_attention(Layer& layer, const LatentShape& shape);

struct CompressedShape {
  std::int64_t hidden = 0, heads = 0, head_dim = 0, query_rank = 0, output_rank = 0, output_groups = 0;
  std::int64_t window = 0;
  std::int64_t ratio = 0;  ///< tokens per pooled entry; 0: window only
  std::int64_t index_heads = 0, index_dim = 0;
  std::int64_t streams = 0;  ///< hyper-connection copies of the residual
};

/// DeepSeek V4: a window of one shared key/value vector, pooled entries behind it, hyper-connections around.
void add_compressed_attention(Layer& layer, const CompressedShape& shape);

struct MlpShape {
  std::int64_t hidden = 0;
  std::int64_t width = 0;
  bool gated = true;
  bool bias = false;
  bool shared_expert = false;  ///< the experts every token meets, beside routed ones
};

/// 3 h I (gated) or 2 h I; with bias + I + h (+ I once more when gated).
void add_mlp(Layer& layer, const MlpShape& shape, Part part = Part::mlp);

struct MoeShape {
  std::int64_t hidden = 0;
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t width = 0;         ///< of one expert
  std::int64_t shared_width = 0;  ///< of all shared experts together
  bool gated = true;
  bool correction_bias = false;
  bool shared_gate = false;
  bool expert_bias = false;  ///< gpt-oss: biases in experts and router
  std::int64_t latent = 0;   ///< routed experts work on this width behind shared projections
  bool latent_norm = false;
};

/// h E + E x 3 h e + 3 h s (+ biases); a token meets k of the E.
void add_moe(Layer& layer, const MoeShape& shape);

void add_norms(Layer& layer, Norm norm, std::int64_t hidden, int how_many);
/// Weights of one norm: h, 2 h with a shift, or none.
std::int64_t norm_size(Norm norm, std::int64_t hidden);

inline Tensor vector_of(Part part, std::int64_t length, std::int64_t copies = 1) {
  const Matrix matrix = part == Part::norm || part == Part::embed_norm ? Matrix::norm : Matrix::vector;
  return {.part = part, .role = Role::vector, .matrix = matrix, .inputs = length, .copies = copies};
}
inline Tensor linear_of(Part part, Matrix matrix, std::int64_t inputs, std::int64_t outputs, AdapterTarget adapter = AdapterTarget::none) {
  return {.part = part, .role = Role::linear, .matrix = matrix, .inputs = inputs, .outputs = outputs, .adapter = adapter};
}

}  // namespace rigsizer
