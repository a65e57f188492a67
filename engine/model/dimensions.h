// The sizes that every layer of one model shares, read from the many spellings that configs use.
#pragma once

#include <cstdint>
#include <string>

#include "model/family.h"
#include "model/fields.h"

namespace rigsizer {

struct Dimensions {
  const Family* family = nullptr;
  std::string model_type;
  std::int64_t hidden = 0, layers = 0, heads = 0, kv_heads = 0, head_dim = 0, value_dim = 0;
  std::int64_t mlp_width = 0, dense_width = 0;
  std::int64_t experts = 0, experts_per_token = 0, expert_width = 0, shared_width = 0;
  std::int64_t max_context = 0;
  bool qkv_bias = false, out_bias = false, mlp_bias = false;
  Norm norm = Norm::rms;
  int norms_per_layer = 2;
  QkNorm qk_norm = QkNorm::none;
};

/// Attention, MLP, experts and norms; `hidden` and `max_context` are already set. Problems go to `config`.
void read_dimensions(FieldReader& config, Dimensions& dimensions);

}  // namespace rigsizer
