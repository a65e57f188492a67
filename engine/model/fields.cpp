#include "model/fields.h"

#include <cmath>

namespace rigsizer {

Fields fields_under(const Fields& fields, std::string_view prefix) {
  Fields below;
  for (auto at = fields.lower_bound(prefix); at != fields.end() && at->first.starts_with(prefix); ++at) {
    below.emplace(at->first.substr(prefix.size()), at->second);
  }
  return below;
}

namespace {
bool is_whole(double number, Range range) {
  return number >= static_cast<double>(range.low) && number <= static_cast<double>(range.high) && number == std::floor(number);
}
}  // namespace

const FieldValue* FieldReader::find(std::string_view name) const {
  const auto found = fields_->find(prefix_ + std::string{name});
  if (found == fields_->end() || std::holds_alternative<std::monostate>(found->second)) return nullptr;
  return &found->second;
}

std::string FieldReader::path(std::string_view name) const {
  std::string pointer = "/model/config/" + prefix_ + std::string{name};
  for (char& c : pointer) {
    if (c == '.') c = '/';
  }
  return pointer;
}

void FieldReader::fail(Failure failure) {
  if (!failure_) failure_ = std::move(failure);
}

void FieldReader::wrong_type(std::string_view name, std::string_view wanted) {
  fail({.code = "config_wrong_type",
        .path = path(name),
        .message = "The config field " + prefix_ + std::string{name} + " is not " + std::string{wanted} + ".",
        .hint = "Paste the model's config.json as published.",
        .values = {{"field", prefix_ + std::string{name}}}});
}

void FieldReader::out_of_range(std::string_view name, double value, Range range) {
  fail({.code = "config_out_of_range",
        .path = path(name),
        .message = "The config field " + prefix_ + std::string{name} + " must be a whole number from " + std::to_string(range.low) + " to " +
                   std::to_string(range.high) + ".",
        .hint = "Check the value; no published model lies outside this range.",
        .values = {{"field", prefix_ + std::string{name}},
                   {"value", std::isfinite(value) ? value : 0.0},
                   {"low", static_cast<double>(range.low)},
                   {"high", static_cast<double>(range.high)}}});
}

std::vector<std::int64_t> FieldReader::stages(std::string_view name, Range range, std::size_t count) {
  if (!has(name)) required({name}, range);
  const std::vector<double> list = numbers(name);
  const bool right = !list.empty() && list.size() <= kMostStages && (count == 0 || list.size() == count);
  if (!right) {
    fail({.code = "config_inconsistent",
          .path = path(name),
          .message = prefix_ + std::string{name} + " lists " + std::to_string(list.size()) + " stages, " +
                     (count == 0 ? "from 1 to " + std::to_string(kMostStages) + " are possible." : "other fields " + std::to_string(count) + "."),
          .hint = "Paste the config.json as published; one of the fields was edited.",
          .values = {{"field", prefix_ + std::string{name}}}});
  }
  std::vector<std::int64_t> whole;
  for (const double number : list) {
    if (!is_whole(number, range)) {
      out_of_range(name, number, range);
      return {};
    }
    whole.push_back(static_cast<std::int64_t>(number));
  }
  return whole;
}

std::int64_t FieldReader::required(std::initializer_list<std::string_view> spellings, Range range) {
  for (const std::string_view name : spellings) {
    if (has(name)) return integer_or({name}, 0, range);
  }
  const std::string wanted{*spellings.begin()};
  fail({.code = "config_missing_field",
        .path = path(wanted),
        .message = "The config lacks " + prefix_ + wanted + ", which this architecture needs.",
        .hint = "Paste the whole config.json; adapters and tokenizers have other files that do not describe the model.",
        .values = {{"field", prefix_ + wanted}}});
  return range.low;
}

std::int64_t FieldReader::integer_or(std::initializer_list<std::string_view> spellings, std::int64_t fallback, Range range) {
  for (const std::string_view name : spellings) {
    const FieldValue* value = find(name);
    if (value == nullptr) continue;
    const auto* number = std::get_if<double>(value);
    if (const auto* list = std::get_if<std::vector<double>>(value); list != nullptr && !list->empty()) {
      // Some configs repeat one number per layer.
      bool equal = true;
      for (const double item : *list) equal = equal && item == list->front();
      if (equal) number = &list->front();
    }
    if (number == nullptr) {
      wrong_type(name, "a number");
      return range.low;
    }
    if (!is_whole(*number, range)) {
      out_of_range(name, *number, range);
      return range.low;
    }
    return static_cast<std::int64_t>(*number);
  }
  return fallback;
}

[[gnu::noinline]] std::int64_t FieldReader::need(const char* name, const Range& range) { return required({std::string_view{name}}, range); }

[[gnu::noinline]] std::int64_t FieldReader::whole_or(const char* name, std::int64_t fallback, const Range& range) {
  return integer_or({std::string_view{name}}, fallback, range);
}

[[gnu::noinline]] bool FieldReader::says(const char* name, const char* text, bool otherwise) {
  return has(name) ? text_or(name, "") == text : otherwise;
}

double FieldReader::number_or(std::string_view name, double fallback) {
  const FieldValue* value = find(name);
  if (value == nullptr) return fallback;
  if (const auto* number = std::get_if<double>(value)) return *number;
  wrong_type(name, "a number");
  return fallback;
}

bool FieldReader::flag_or(std::string_view name, bool fallback) {
  const FieldValue* value = find(name);
  if (value == nullptr) return fallback;
  if (const auto* flag = std::get_if<bool>(value)) return *flag;
  wrong_type(name, "true or false");
  return fallback;
}

std::string FieldReader::text_or(std::string_view name, std::string fallback) {
  const FieldValue* value = find(name);
  if (value == nullptr) return fallback;
  if (const auto* text = std::get_if<std::string>(value)) return *text;
  wrong_type(name, "text");
  return fallback;
}

std::vector<std::string> FieldReader::words(std::string_view name) {
  const FieldValue* value = find(name);
  if (value == nullptr) return {};
  if (const auto* list = std::get_if<std::vector<std::string>>(value)) return *list;
  wrong_type(name, "a list of words");
  return {};
}

std::vector<double> FieldReader::numbers(std::string_view name) {
  const FieldValue* value = find(name);
  if (value == nullptr) return {};
  if (const auto* list = std::get_if<std::vector<double>>(value)) return *list;
  wrong_type(name, "a list of numbers");
  return {};
}

Failure unsupported_part(const std::string& part, std::string message, std::string hint) {
  return {.code = "unsupported_part",
          .path = "/model/config/" + part,
          .message = std::move(message),
          .hint = std::move(hint),
          .values = {{"part", part}}};
}

}  // namespace rigsizer
