// Figures of a running server beside those a row prints: cache, tokens it holds, compute buffers, all it reserves.
#pragma once

#include "catalog/catalog.h"
#include "memory/engine.h"
#include "model/architecture.h"
#include "validate/row.h"

namespace rigsizer {

/// By which engines' estimates are wrong alike.
EstimateKind estimate_kind(ServingEngine engine);

/// Fills `one` of metric kv_gib, kv_tokens, compute_buffer_gib or reserved_gib. `weights_bytes` are those of one card; their
/// failure is the row's only where the figure depends on them.
void compare_served(Comparison& one, const Catalog& catalog, const Row& row, const Architecture& model, const Result<double>& weights_bytes);

}  // namespace rigsizer
