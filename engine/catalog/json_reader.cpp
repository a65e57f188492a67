#include "catalog/json_reader.h"

#include <algorithm>
#include <numeric>

#include "quantity/decimal.h"

namespace rigsizer {
namespace {

const Json& empty_object() {
  static const Json empty = Json::object();
  return empty;
}

/// Finds where parsing stops; nlohmann's plain parse throws or says nothing.
struct StopWatch : nlohmann::json_sax<Json> {
  std::size_t position = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    position = at;
    return false;
  }
};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t swap = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, swap});
    }
  }
  return row[b.size()];
}

/// A member's name as one step of a JSON pointer (RFC 6901), cut where a message would drown in it.
std::string pointer_step(std::string_view name) {
  std::string step;
  for (const char c : name.substr(0, 80)) step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return name.size() > 80 ? step + "…" : step;
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > 200) return "";
  std::string_view best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return std::string{best};
}

std::string without_python_constants(std::string text) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      for (const std::string_view constant : {"-Infinity", "Infinity", "NaN"}) {
        if (text.compare(i, constant.size(), constant) != 0) continue;
        text.replace(i, constant.size(), "[]" + std::string(constant.size() - 2, ' '));
        i += constant.size() - 1;
        break;
      }
    }
  }
  return text;
}

Result<Json> parse_json(std::string_view text, std::string_view code, std::string_view what) {
  Json parsed = Json::parse(text, nullptr, false);
  if (!parsed.is_discarded()) return parsed;
  StopWatch watch;
  Json::sax_parse(text, &watch);
  watch.position = std::min(watch.position, text.size());  // the end of a text that breaks off counts as one byte more
  return Failure{.code = std::string{code} + "_not_json",
                 .path = "",
                 .message = std::string{what} + " is not valid JSON: reading stopped at byte " + std::to_string(watch.position) + " of " +
                            std::to_string(text.size()) + ".",
                 .hint = "Give the whole text; a copy that was cut off, comments, NaN and trailing commas are not JSON.",
                 .values = {{"byte", static_cast<double>(watch.position)}, {"bytes", static_cast<double>(text.size())}}};
}

std::string JsonReader::path(std::string_view name) const { return path_ + "/" + pointer_step(name); }

JsonReader::JsonReader(const Json& object, std::string path, std::string_view code, JsonErrors& errors)
    : object_{&object}, path_{std::move(path)}, code_{code}, errors_{&errors} {
  if (object.is_object()) return;
  errors.report({.code = code_ + "_field",
                 .path = path_,
                 .message = "Expected an object at " + (path_.empty() ? "the top" : path_) + ".",
                 .hint = "Write it as {\"name\": value, ...}.",
                 .values = {{"path", path_}}});
  object_ = &empty_object();
}

const Json* JsonReader::find(std::string_view name) const {
  const auto found = object_->find(name);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

void JsonReader::fail(std::string_view name, std::string_view what, std::string message, std::string hint, std::vector<MessageValue> values) {
  values.insert(values.begin(), {"field", std::string{name.substr(0, 80)}});
  errors_->report({.code = code_ + "_" + std::string{what},
                   .path = path(name),
                   .message = std::move(message),
                   .hint = std::move(hint),
                   .values = std::move(values)});
}

std::string JsonReader::text(std::string_view name) {
  std::string value = text_or(name, "");
  if (value.empty()) fail(name, "field", path(name) + " is missing or empty.", "Give it as text.");
  return value;
}

std::string JsonReader::text_or(std::string_view name, std::string fallback) {
  const Json* value = find(name);
  if (value == nullptr) return fallback;
  if (value->is_string()) return value->get<std::string>();
  fail(name, "field", path(name) + " must be text.", "Put it in double quotes.");
  return fallback;
}

bool JsonReader::in_range(std::string_view name, const Json& value, double low, double high, bool whole) {
  if (!value.is_number()) {
    fail(name, "field", path(name) + " must be a number.", "Write it without quotes.");
    return false;
  }
  const double number = value.get<double>();
  if (number >= low && number <= high && (!whole || number == std::floor(number))) return true;
  fail(name, "range",
       path(name) + " must be " + (whole ? "a whole number " : "") + "from " + decimal_text(low) + " to " + decimal_text(high) + ", not " +
           (std::isfinite(number) ? decimal_text(number) : "infinite") + ".",
       "Check the value and its unit.", {{"low", low}, {"high", high}, {"value", std::isfinite(number) ? number : high}});
  return false;
}

double JsonReader::number(std::string_view name, double low, double high) {
  const Json* value = find(name);
  if (value == nullptr) {
    fail(name, "field", path(name) + " is missing.", "Give it as a number.");
    return low;
  }
  return in_range(name, *value, low, high, false) ? value->get<double>() : low;
}

std::optional<double> JsonReader::optional_number(std::string_view name, double low, double high) {
  const Json* value = find(name);
  if (value == nullptr || !in_range(name, *value, low, high, false)) return std::nullopt;
  return value->get<double>();
}

double JsonReader::whole_or(std::string_view name, double fallback, double low, double high) {
  const Json* value = find(name);
  if (value == nullptr || !in_range(name, *value, low, high, true)) return fallback;
  return value->get<double>();
}

bool JsonReader::flag_or(std::string_view name, bool fallback) {
  const Json* value = find(name);
  if (value == nullptr) return fallback;
  if (value->is_boolean()) return value->get<bool>();
  fail(name, "field", path(name) + " must be true or false.", "Write it without quotes.");
  return fallback;
}

std::vector<std::string> JsonReader::words(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr) return {};
  const bool good = value->is_array() && std::all_of(value->begin(), value->end(), [](const Json& item) { return item.is_string(); });
  if (good) return value->get<std::vector<std::string>>();
  fail(name, "field", path(name) + " must be a list of texts.", "Write it as [\"first\", \"second\"].");
  return {};
}

JsonReader JsonReader::object(std::string_view name) {
  const Json* value = find(name);
  return JsonReader{value == nullptr ? empty_object() : *value, path(name), code_, *errors_};
}

void JsonReader::only(std::initializer_list<std::string_view> names) {
  for (const auto& [key, value] : object_->items()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    const std::string near = nearest_word(key, names);
    std::string known;
    for (const std::string_view name : names) known += (known.empty() ? "" : ", ") + std::string{name};
    fail(key, "unknown_field", path(key) + " is not a field of this request.",
         near.empty() ? "Known here: " + known + "." : "Did you mean " + near + "? Known here: " + known + ".", {{"nearest", near}});
  }
}

}  // namespace rigsizer
