#include "api/validation.h"

#include <algorithm>

#include "api/answer.h"
#include "api/answer_parts.h"
#include "catalog/json_reader.h"

namespace rigsizer {
namespace {

bool all_text(const Json& list) {
  return list.is_array() && std::all_of(list.begin(), list.end(), [](const Json& item) { return item.is_string(); });
}

Json summary_json(const Summaries& summaries) {
  Json json = Json::object();
  for (const auto& [metric, one] : summaries) {
    json[metric] = {{"n", one.n}, {"skipped", one.skipped}, {"skipped_ours", one.skipped_ours}};
    const auto share = [&json, &metric = metric, none = one.n == 0](const char* name, double value) {
      json[metric][name] = none ? Json(nullptr) : number_json(value);
    };
    share("median_abs_pct", one.median_abs_pct);
    share("mean_abs_pct", one.mean_abs_pct);
    share("p90_abs_pct", one.p90_abs_pct);
    share("bias_pct", one.bias_pct);
    share("in_band_pct", one.in_band_pct);
    share("median_width_pct", one.median_width_pct);
  }
  return json;
}

Json summaries_json(const std::map<std::string, Summaries>& groups) {
  Json json = Json::object();
  for (const auto& group : groups) json[group.first] = summary_json(group.second);
  return json;
}

Json row_json(const Comparison& row) {
  Json json{{"id", row.id},     {"source", row.source}, {"confidence", row.confidence},
            {"kind", row.kind}, {"metric", row.metric}, {"measured", number_json(row.measured)}};
  if (row.predicted) {
    json["predicted"] = number_json(row.predicted->value);
    json["low"] = number_json(row.predicted->low);
    json["high"] = number_json(row.predicted->high);
    json["error_pct"] = number_json(row.error_pct());
  } else {
    json["predicted"] = json["low"] = json["high"] = json["error_pct"] = nullptr;
    json["skipped"] = row.skipped;
    json["skipped_ours"] = row.ours;
  }
  return json;
}

}  // namespace

Result<std::vector<Row>> read_rows(std::string_view text) {
  const Result<Json> parsed = parse_json(text, "request", "The request");
  if (!parsed) return parsed.failure();
  JsonErrors errors;
  JsonReader in{*parsed, "", "request", errors};
  in.only({"columns", "rows"});
  const Json* columns = in.find("columns");
  const Json* rows = in.find("rows");
  if (columns == nullptr || !all_text(*columns) || columns->empty())
    in.fail("columns", "field", "/columns must be a list of the columns' names.", "As in the first line of the CSV file.");
  if (rows == nullptr || !rows->is_array()) in.fail("rows", "field", "/rows must be a list of rows.", "Each row is a list of texts, one a column.");
  if (errors.first()) return *errors.first();

  std::vector<Row> all;
  all.reserve(rows->size());
  for (std::size_t at = 0; at < rows->size(); ++at) {
    const Json& cells = (*rows)[at];
    if (!all_text(cells) || cells.size() != columns->size()) {
      return Failure{.code = "request_field",
                     .path = "/rows/" + std::to_string(at),
                     .message = "Row " + std::to_string(at + 1) + " must be a list of " + std::to_string(columns->size()) + " texts, one a column.",
                     .hint = "An empty text stands for what was not stated.",
                     .values = {{"row", static_cast<double>(at + 1)}, {"columns", static_cast<double>(columns->size())}}};
    }
    Row::Cells named;
    for (std::size_t i = 0; i < cells.size(); ++i) named[(*columns)[i].get<std::string>()] = cells[i].get<std::string>();
    all.emplace_back(std::move(named));
  }
  return all;
}

Json validation_json(const Validation& validation) {
  Json rows = Json::array();
  for (const Comparison& row : validation.rows) rows.push_back(row_json(row));
  Json odd = Json::array();
  for (const OddCell& cell : validation.odd_cells) odd.push_back({{"id", cell.id}, {"column", cell.column}, {"text", cell.text}});
  return {{"rows", std::move(rows)},
          {"summary", summary_json(validation.summary)},
          {"by_confidence", summaries_json(validation.by_confidence)},
          {"by_kind", summaries_json(validation.by_kind)},
          {"odd_cells", std::move(odd)},
          {"ignored_columns", validation.ignored_columns}};
}

}  // namespace rigsizer
