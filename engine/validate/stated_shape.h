// The shape of a model as people state it: a catalog id, "X geometry, N layers", or its sizes in words.
#pragma once

#include <optional>

#include "catalog/catalog.h"
#include "model/architecture.h"
#include "validate/row.h"

namespace rigsizer {

/// Failure code row_unstated when the row does not say enough, or what reading the architecture failed with.
///   model_id                                  -> the catalog's model
///   model "Llama-3-70B geometry, 12 layers"   -> that model of the catalog with 12 layers
///   notes "28 layers, hidden 3072, 32 heads (no GQA), FFN 8192, vocab 131072 tied"  -> a Llama of these sizes
///   notes "hidden 13824, 96 heads, vocab 250k" and params_b                          -> a GPT whose layers follow from its size
Result<Architecture> stated_shape(const Catalog& catalog, const Row& row);

}  // namespace rigsizer
