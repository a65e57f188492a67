// Which kind of layer stands where: full, windowed or recurrent mixer; dense or mixture-of-experts MLP.
#pragma once

#include <cstdint>
#include <vector>

#include "model/family.h"
#include "model/fields.h"

namespace rigsizer {

struct LayerKind {
  bool recurrent = false;   ///< linear attention or state space in place of attention
  std::int64_t window = 0;  ///< 0: every token
  bool moe = false;
  bool mixer = true;  ///< Nemotron-H splits mixer and MLP over layers
  bool feed_forward = true;
  bool holds_keys_values = true;  ///< false: reuses another layer's cache
  std::int64_t pool_ratio = 0;    ///< DeepSeek V4: tokens per pooled entry
  bool hashed = false;            ///< DeepSeek V4: experts by hash, no correction bias
  bool shares_cache = false;      ///< Gemma 3n and 4: reads the cache of an earlier layer
  bool cross = false;             ///< Llama 3.2 Vision: attends to the image, not to the text
  bool indexed = false;           ///< MiniMax M3: a small index key beside keys and values
  bool first = false;             ///< RWKV-7 treats layer 0 apart
  friend bool operator==(const LayerKind&, const LayerKind&) = default;
};

/// `max_context` decides whether a window is one at all: one as long as the context keeps every token.
std::vector<LayerKind> plan_layers(FieldReader& config, const Family& family, std::int64_t layers, std::int64_t experts, std::int64_t max_context);

}  // namespace rigsizer
