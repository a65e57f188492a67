// The fields of a config.json, free of JSON: a flat map from dotted path to value.
//
// `catalog/` flattens JSON into this ("text_config.hidden_size" -> 4096); other headers (GGUF metadata) can be mapped
// to the same names later. FieldReader reads it with ranges and remembers the first thing that was wrong.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quantity/failure.h"

namespace rigsizer {

/// monostate is an explicit null, which configs use for "not set".
using FieldValue = std::variant<std::monostate, bool, double, std::string, std::vector<double>, std::vector<std::string>>;

using Fields = std::map<std::string, FieldValue, std::less<>>;

/// The fields below `prefix` ("text_encoders.0."), without it.
Fields fields_under(const Fields& fields, std::string_view prefix);

/// Inclusive bounds; wide enough for every published model, narrow enough that products can be told from nonsense.
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
namespace range {
inline constexpr Range width{1, 1 << 22};
inline constexpr Range layers{1, 1 << 13};
inline constexpr Range heads{1, 1 << 16};
inline constexpr Range vocabulary{1, 1 << 26};
inline constexpr Range experts{0, 1 << 16};
inline constexpr Range tokens{1, std::int64_t{1} << 31};
inline constexpr Range small{0, 1 << 16};
}  // namespace range

inline constexpr std::size_t kMostStages = 16;

class FieldReader {
 public:
  /// `prefix` is "" or "text_config." and the like.
  explicit FieldReader(const Fields& fields, std::string prefix = "") : fields_{&fields}, prefix_{std::move(prefix)} {}

  /// Present and not null.
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  /// A list of numbers, empty ones too.
  [[nodiscard]] bool is_list(std::string_view name) const {
    const FieldValue* value = find(name);
    return value != nullptr && std::holds_alternative<std::vector<double>>(*value);
  }

  /// First of the spellings that is present. Reports `missing_field` when none is; then returns range.low.
  std::int64_t required(std::initializer_list<std::string_view> spellings, Range range);
  /// As `required`, but an absent field is `fallback`.
  std::int64_t integer_or(std::initializer_list<std::string_view> spellings, std::int64_t fallback, Range range);
  /// One spelling, without a list of them on the stack: most calls, and the page pays for each.
  std::int64_t need(const char* name, const Range& range);
  std::int64_t whole_or(const char* name, std::int64_t fallback, const Range& range);
  /// The field is this text; `otherwise` where it is absent.
  bool says(const char* name, const char* text, bool otherwise = false);
  double number_or(std::string_view name, double fallback);
  bool flag_or(std::string_view name, bool fallback);
  std::string text_or(std::string_view name, std::string fallback);
  /// Empty when absent.
  std::vector<std::string> words(std::string_view name);
  std::vector<double> numbers(std::string_view name);
  /// A list of whole numbers, one per stage of a network: at least one, at most kMostStages, and `count` where that is not 0.
  std::vector<std::int64_t> stages(std::string_view name, Range range, std::size_t count = 0);

  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  void fail(Failure failure);

 private:
  [[nodiscard]] const FieldValue* find(std::string_view name) const;
  void out_of_range(std::string_view name, double value, Range range);
  [[nodiscard]] std::string path(std::string_view name) const;
  void wrong_type(std::string_view name, std::string_view wanted);

  const Fields* fields_;
  std::string prefix_;
  std::optional<Failure> failure_;
};

/// The `unsupported_part` failure: a part of the architecture whose formula is not known.
Failure unsupported_part(const std::string& part, std::string message, std::string hint);

}  // namespace rigsizer
