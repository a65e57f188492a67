// A row of tests/measured/infer.csv as a serving job, and predictions of its memory figures beside the measured ones.
#pragma once

#include <vector>

#include "catalog/catalog.h"
#include "validate/row.h"

namespace rigsizer {

/// Metrics memory_gib (totals that are needs), reserved_gib (totals that are pools), weights_gib, kv_gib, kv_tokens,
/// compute_buffer_gib (llama.cpp: the buffer; vLLM: the activation peak); one comparison for each figure the row has.
std::vector<Comparison> compare_serving(const Catalog& catalog, const Row& row);

}  // namespace rigsizer
