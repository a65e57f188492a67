// Predicted beside measured, for every figure of every row, and how the errors are spread.
//
//   error     = (predicted - measured) / measured
//   median, mean, p90 of its size; bias = its mean with the sign kept
//   in band   = share of rows whose measurement lies within [low, high]
//   width     = (high - low) / predicted, the median
// Quantiles are nearest-rank: the 90th percentile of ten rows is the ninth in order.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "validate/row.h"

namespace rigsizer {

/// Of one metric, in percent; zeros where `n` is 0.
struct ErrorSummary {
  int n = 0;             ///< rows with a prediction
  int skipped = 0;       ///< rows without
  int skipped_ours = 0;  ///< of these, for want of something in this engine
  double median_abs_pct = 0, mean_abs_pct = 0, p90_abs_pct = 0;
  double bias_pct = 0;
  double in_band_pct = 0;
  double median_width_pct = 0;
};
using Summaries = std::map<std::string, ErrorSummary>;  ///< by metric

ErrorSummary summary_of(const std::vector<const Comparison*>& rows);

/// A cell that holds something else than its column is for, and is read as not stated.
struct OddCell {
  std::string id, column, text;
};

struct Validation {
  std::vector<Comparison> rows;
  Summaries summary;
  std::map<std::string, Summaries> by_confidence;
  std::map<std::string, Summaries> by_kind;  ///< of estimate; rows skipped before their kind was known are under ""
  std::vector<OddCell> odd_cells;
  std::vector<std::string> ignored_columns;  ///< names that no prediction knows
};

/// Failure code rows_of_no_kind: the columns are neither those of training nor those of serving runs.
Result<Validation> validate(const Catalog& catalog, const std::vector<Row>& rows);

}  // namespace rigsizer
