#include "validate/row.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace rigsizer {

const std::string& Row::text(std::string_view column) const {
  static const std::string nothing;
  const auto found = cells_.find(column);
  return found == cells_.end() ? nothing : found->second;
}

std::optional<double> Row::number(std::string_view column) const {
  const std::string& cell = text(column);
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (cell.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool Row::mentions(std::string_view column, std::string_view words) const {
  const std::string& cell = text(column);
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b)); };
  return std::search(cell.begin(), cell.end(), words.begin(), words.end(), same) != cell.end();
}

Failure unstated(const std::string& what) {
  return {.code = "row_unstated", .path = what, .message = what, .hint = "Fill the cell in where it is known.", .values = {}};
}
Failure unsupported(const std::string& what) {
  return {.code = "row_unsupported", .path = what, .message = what, .hint = "This engine cannot predict it yet.", .values = {}};
}

void Comparison::skip(const Failure& why) {
  skipped = why.message;
  ours = why.code != "row_unstated";
}

Comparison comparison_of(const Row& row, std::string metric, double measured) {
  return {.id = row.text("id"),
          .source = row.text("source_key"),
          .confidence = row.text("confidence"),
          .metric = std::move(metric),
          .measured = measured};
}

}  // namespace rigsizer
