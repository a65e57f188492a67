// Reads typed values out of JSON with a path to each, and remembers the first thing that was wrong.
#pragma once

#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "quantity/failure.h"

namespace rigsizer {

using Json = nlohmann::json;

/// Shared by all readers of one document.
class JsonErrors {
 public:
  void report(Failure failure) {
    if (!first_) first_ = std::move(failure);
  }
  [[nodiscard]] const std::optional<Failure>& first() const { return first_; }

 private:
  std::optional<Failure> first_;
};

/// A view of one JSON object. `code` prefixes failures ("catalog", "request").
class JsonReader {
 public:
  JsonReader(const Json& object, std::string path, std::string_view code, JsonErrors& errors);

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] const Json* find(std::string_view name) const;

  std::string text(std::string_view name);  ///< required, not empty
  std::string text_or(std::string_view name, std::string fallback);
  double number(std::string_view name, double low, double high);  ///< required
  std::optional<double> optional_number(std::string_view name, double low, double high);
  double whole_or(std::string_view name, double fallback, double low, double high);
  bool flag_or(std::string_view name, bool fallback);
  std::vector<std::string> words(std::string_view name);
  /// The object under `name`, or an empty one.
  [[nodiscard]] JsonReader object(std::string_view name);
  /// Refuses members outside `names`, suggesting the nearest.
  void only(std::initializer_list<std::string_view> names);

  void fail(std::string_view name, std::string_view what, std::string message, std::string hint, std::vector<MessageValue> values = {});
  [[nodiscard]] std::string path(std::string_view name) const;
  [[nodiscard]] JsonErrors& errors() { return *errors_; }

 private:
  bool in_range(std::string_view name, const Json& value, double low, double high, bool whole);

  const Json* object_;
  std::string path_;
  std::string code_;
  JsonErrors* errors_;
};

/// Parses without exceptions; refuses NaN, numbers beyond double, and trailing text. The parser keeps its own stack, so
/// deep nesting cannot overflow ours; readers never recurse into what they were not asked for.
/// On failure the message says at which byte reading stopped.
Result<Json> parse_json(std::string_view text, std::string_view code, std::string_view what);

/// Python writes Infinity, -Infinity and NaN into config.json files, which JSON does not have. Each becomes an empty list of
/// the same length: where no size is meant nothing changes, and a reader that wants a number says that there is none.
/// Text inside strings is left alone.
std::string without_python_constants(std::string text);

/// Shortest edit distance wins; empty when nothing is near.
std::string nearest_word(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace rigsizer
