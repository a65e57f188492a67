// Memory lines as people read them: formula, named inputs with units, source. Rendered from the very terms that the
// estimate was computed from; a test evaluates each formula with its inputs and must get the line's bytes.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "search/fit.h"

namespace rigsizer {

struct Input {
  std::string symbol;
  double value = 0;
  std::string unit;
  std::string source = {};
};

struct ExplainedLine {
  Line line = Line::weights;
  Band bytes;
  std::string formula;
  std::vector<Input> inputs;
  std::string source;
};

std::string_view name_of(Line line);

/// Lines of at least one byte, in the order of Line. `card` is the one `memory` was computed for.
std::vector<ExplainedLine> explain_memory(const Catalog& catalog, const ModelSizes& sizes, const Job& job, const LayoutMemory& memory,
                                          const std::string& model_source, const CardTraits& card = {});

}  // namespace rigsizer
