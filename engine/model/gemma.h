// What Gemma 3n and Gemma 4 add to a plain transformer: per-layer inputs, AltUp, LAuReL, wide global heads.
#pragma once

#include <string>

#include "model/architecture.h"
#include "model/blocks.h"
#include "model/fields.h"
#include "model/layer_plan.h"

namespace rigsizer {

/// Gemma 4's full layers have heads of their own size and number, and may use keys as values; layers that share a cache
/// hold no key and value matrices. Gemma 3n's hold them all the same.
void shape_gemma_attention(AttentionShape& shape, FieldReader& config, const LayerKind& kind, const std::string& model_type);

/// Per layer. AltUp h + A^2 + A^3 + h A + h; LAuReL 2 h r + h; per-layer input 2 h p + h; Gemma 4: one scalar.
void add_gemma_extras(Layer& layer, FieldReader& config, std::int64_t hidden, const std::string& model_type);

/// Per model. Table V' p L, projection h p L + p; AltUp 2 (A - 1) h^2.
void add_gemma_tables(Architecture& model, FieldReader& config);

}  // namespace rigsizer
