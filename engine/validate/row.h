// A measured run as a row of named cells, and what a prediction of one of its figures looks like beside it.
//
// Columns are those of tests/measured/README.md. Cells are text; an empty one was not stated.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/band.h"
#include "quantity/failure.h"

namespace rigsizer {

class Row {
 public:
  using Cells = std::map<std::string, std::string, std::less<>>;

  explicit Row(Cells cells) : cells_{std::move(cells)} {}

  /// Empty where the column is missing or was not stated.
  [[nodiscard]] const std::string& text(std::string_view column) const;
  /// Nothing where the cell is empty or no number.
  [[nodiscard]] std::optional<double> number(std::string_view column) const;
  [[nodiscard]] bool has(std::string_view column) const { return !text(column).empty(); }
  [[nodiscard]] bool has_column(std::string_view column) const { return cells_.find(column) != cells_.end(); }
  [[nodiscard]] const Cells& cells() const { return cells_; }
  /// `words` occurs in the cell, whatever the case.
  [[nodiscard]] bool mentions(std::string_view column, std::string_view words) const;

 private:
  Cells cells_;
};

/// Why a row is not predicted: a cell that it needs is empty (code row_unstated), or this engine lacks something
/// (row_unsupported).
Failure unstated(const std::string& what);
Failure unsupported(const std::string& what);

/// One figure of a row. Either `predicted` or `skipped` is set.
struct Comparison {
  std::string id, source, confidence, kind;  ///< kind: of estimate, see kEstimateKindNames
  std::string metric;                        ///< "memory_gib", "weights_gib", ... with the unit in the name
  double measured = 0;
  std::optional<Band> predicted;
  std::string skipped;  ///< why not
  bool ours = false;    ///< skipped for a reason that lies with this engine, not with the row

  void skip(const Failure& why);
  [[nodiscard]] double error_pct() const { return predicted ? 100 * (predicted->value - measured) / measured : 0; }
};

/// Of one metric of a row, not predicted yet.
Comparison comparison_of(const Row& row, std::string metric, double measured);

}  // namespace rigsizer
