#include "validate/validate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "validate/serving_row.h"
#include "validate/speed_row.h"
#include "validate/training_row.h"

namespace rigsizer {
namespace {

using Columns = std::vector<std::string_view>;

const Columns kWords{"id",
                     "source_key",
                     "hardware_gpu",
                     "gpu_id",
                     "model",
                     "model_id",
                     "notes",
                     "task",
                     "weight_dtype",
                     "compute_dtype",
                     "optimizer",
                     "parallelism",
                     "offload",
                     "interconnect",
                     "engine",
                     "engine_version",
                     "weight_format",
                     "kv_dtype",
                     "lora_targets",
                     "flash_attention",
                     "mem_kind",
                     "unit_of_mem_as_reported",
                     "mem_unit_as_reported",
                     "total_is",
                     "confidence",
                     "fused_loss",
                     "compile",
                     "grad_checkpointing"};
const Columns kNumbers{"gpu_count",
                       "nodes",
                       "params_b",
                       "micro_batch_per_gpu",
                       "grad_accum",
                       "global_batch",
                       "seq_len",
                       "lora_rank",
                       "gpu_mem_gib_reported",
                       "tp",
                       "pp",
                       "max_model_len",
                       "batch_or_concurrency",
                       "input_len",
                       "output_len",
                       "gpu_memory_utilization"};

bool among(const Columns& columns, std::string_view name) { return std::find(columns.begin(), columns.end(), name) != columns.end(); }
bool is_measured(std::string_view column) { return column.rfind("measured_", 0) == 0; }

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// Nearest rank.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

using Groups = std::map<std::string, std::vector<const Comparison*>>;

Summaries summaries_of(const std::vector<const Comparison*>& rows) {
  Groups by_metric;
  for (const Comparison* row : rows) by_metric[row->metric].push_back(row);
  Summaries all;
  for (const auto& group : by_metric) all[group.first] = summary_of(group.second);
  return all;
}

std::map<std::string, Summaries> summaries_by(const std::vector<Comparison>& rows, std::string Comparison::*what) {
  Groups groups;
  for (const Comparison& row : rows) groups[row.*what].push_back(&row);
  std::map<std::string, Summaries> all;
  for (const auto& group : groups) all[group.first] = summaries_of(group.second);
  return all;
}

}  // namespace

ErrorSummary summary_of(const std::vector<const Comparison*>& rows) {
  ErrorSummary all;
  std::vector<double> errors, sizes, inside, widths;
  for (const Comparison* row : rows) {
    if (!row->predicted) {
      ++all.skipped;
      if (row->ours) ++all.skipped_ours;
      continue;
    }
    ++all.n;
    const Band& band = *row->predicted;
    errors.push_back(row->error_pct());
    sizes.push_back(std::abs(row->error_pct()));
    inside.push_back(row->measured >= band.low && row->measured <= band.high ? 100 : 0);
    if (band.value > 0) widths.push_back(100 * (band.high - band.low) / band.value);
  }
  all.median_abs_pct = quantile(sizes, 0.5);
  all.mean_abs_pct = mean(sizes);
  all.p90_abs_pct = quantile(sizes, 0.9);
  all.bias_pct = mean(errors);
  all.in_band_pct = mean(inside);
  all.median_width_pct = quantile(widths, 0.5);
  return all;
}

Result<Validation> validate(const Catalog& catalog, const std::vector<Row>& rows) {
  Validation all;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const Row& row = rows[at];
    const bool training = row.has_column("measured_peak_mem_gib"), serving = row.has_column("engine");
    if (training == serving) {
      const std::string path = "/rows/" + std::to_string(at);
      return Failure{.code = "rows_of_no_kind",
                     .path = path,
                     .message = "Row " + std::to_string(at + 1) + " has the columns of neither training nor serving runs.",
                     .hint = "Training rows have a column measured_peak_mem_gib, serving rows a column engine; the README lists the others.",
                     .values = {{"row", static_cast<double>(at + 1)}}};
    }
    for (const auto& cell : row.cells()) {
      const bool counts = among(kNumbers, cell.first) || is_measured(cell.first);
      if (counts && !cell.second.empty() && !row.number(cell.first)) all.odd_cells.push_back({row.text("id"), cell.first, cell.second});
      if (!counts && !among(kWords, cell.first) &&
          std::find(all.ignored_columns.begin(), all.ignored_columns.end(), cell.first) == all.ignored_columns.end())
        all.ignored_columns.push_back(cell.first);
    }
    for (Comparison& one : training ? compare_training(catalog, row) : compare_serving(catalog, row)) all.rows.push_back(std::move(one));
    for (Comparison& one : compare_speed(row, training)) all.rows.push_back(std::move(one));
  }
  std::vector<const Comparison*> every;
  for (const Comparison& row : all.rows) every.push_back(&row);
  all.summary = summaries_of(every);
  all.by_confidence = summaries_by(all.rows, &Comparison::confidence);
  all.by_kind = summaries_by(all.rows, &Comparison::kind);
  return all;
}

}  // namespace rigsizer
