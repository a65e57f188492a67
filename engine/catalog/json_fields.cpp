#include "catalog/json_fields.h"

#include <algorithm>
#include <string>

namespace rigsizer {
namespace {

bool all_numbers(const Json& list) {
  return std::all_of(list.begin(), list.end(), [](const Json& item) { return item.is_number(); });
}

bool all_words(const Json& list) {
  return std::all_of(list.begin(), list.end(), [](const Json& item) { return item.is_string(); });
}

void flatten(const Json& object, const std::string& prefix, int depth, Fields& fields) {
  for (const auto& [key, value] : object.items()) {
    if (depth == 0 && key.starts_with('_')) continue;
    const std::string path = prefix + key;
    // What is no value of its own still stands there, as an empty list: a reader that wants a number then says so.
    const bool readable = value.is_array() && (all_numbers(value) || all_words(value));
    if (value.is_object() || (value.is_array() && !readable)) fields.emplace(path, std::vector<std::string>{});
    if (value.is_object()) {
      if (depth + 1 < kDeepestField) flatten(value, path + ".", depth + 1, fields);
    } else if (value.is_array() && !readable) {
      // Parts of a pipeline come as a list of objects: the second one's fields are "text_encoders.1.…".
      for (std::size_t i = 0; i < value.size() && depth + 1 < kDeepestField; ++i) {
        if (value[i].is_object()) flatten(value[i], path + "." + std::to_string(i) + ".", depth + 1, fields);
      }
    } else if (value.is_boolean()) {
      fields.emplace(path, value.get<bool>());
    } else if (value.is_number()) {
      fields.emplace(path, value.get<double>());
    } else if (value.is_string()) {
      fields.emplace(path, value.get<std::string>());
    } else if (value.is_null()) {
      fields.emplace(path, std::monostate{});
    } else if (value.is_array() && all_numbers(value)) {
      fields.emplace(path, value.get<std::vector<double>>());
    } else if (value.is_array() && all_words(value)) {
      fields.emplace(path, value.get<std::vector<std::string>>());
    }
  }
}

}  // namespace

Fields fields_of(const Json& config) {
  Fields fields;
  if (config.is_object()) flatten(config, "", 0, fields);
  return fields;
}

}  // namespace rigsizer
