// Mixers that keep a state of fixed size instead of a cache that grows: state-space, gated-delta, lightning, KDA, RWKV.
//
// State bytes are per sequence: the matrix in fp32, convolution tails in 16 bits.
#pragma once

#include <cstdint>

#include "model/architecture.h"
#include "model/family.h"

namespace rigsizer {

struct MambaShape {
  std::int64_t hidden = 0;
  std::int64_t inner = 0;    ///< D
  std::int64_t state = 0;    ///< N
  std::int64_t rank = 0;     ///< R, Mamba-1
  std::int64_t kernel = 0;   ///< c
  bool inner_norms = false;  ///< Jamba
  std::int64_t heads = 0;    ///< Mamba-2
  std::int64_t groups = 0;   ///< Mamba-2
};

/// 2 h D + D c + D + D (R + 2N) + R D + D + D N + D + D h (+ R + 2N inner norms)
void add_mamba1(Layer& layer, const MambaShape& shape);
/// h (2D + 2gN + m) + (D + 2gN)(c + 1) + 3 m + D + D h
void add_mamba2(Layer& layer, const MambaShape& shape);

struct DeltaShape {
  std::int64_t hidden = 0;
  std::int64_t key_heads = 0, key_dim = 0;
  std::int64_t value_heads = 0, value_dim = 0;
  std::int64_t kernel = 0;
};

/// Gated delta rule: h (2G + 2W) + 2 h v + (2G + W) c + 2 v + value_dim + W h
void add_gated_delta(Layer& layer, const DeltaShape& shape);

/// Lightning attention with P = heads x head size: 3 h P + h P + P h + P
void add_lightning(Layer& layer, std::int64_t hidden, std::int64_t heads, std::int64_t head_dim);

/// KDA with P = heads x head size: 3 h P + 3 P c + h d + d P + h H + h P + H + P + d + P h
void add_kda(Layer& layer, std::int64_t hidden, std::int64_t heads, std::int64_t head_dim, std::int64_t kernel);

struct RwkvShape {
  Block version = Block::rwkv4;
  std::int64_t hidden = 0;
  std::int64_t width = 0;  ///< of the channel mix
  std::int64_t head_size = 64;
  std::int64_t mix_rank = 0, decay_rank = 0;           ///< RWKV-6
  std::int64_t a_rank = 0, v_rank = 0, gate_rank = 0;  ///< RWKV-7, with decay_rank
  bool first_layer = false;                            ///< RWKV-7: no value mixing in layer 0
};

/// One layer with its two LayerNorms inside the `rwkv` part.
void add_rwkv(Layer& layer, const RwkvShape& shape);

}  // namespace rigsizer
