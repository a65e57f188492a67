// Failure is a value: what went wrong, where, and what to do about it.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rigsizer {

/// A figure or word that belongs to a message, so that a page can say it in its own language.
struct MessageValue {
  std::string name;
  std::variant<double, std::string> value;
};

/// `code` is stable and lower_snake_case, `path` a JSON pointer into the request, `hint` says what to do.
struct Failure {
  std::string code;
  std::string path;
  std::string message;
  std::string hint;
  std::vector<MessageValue> values;
};

/// Either a T or the reason there is none. (std::expected is C++23.)
template <class T>
class Result {
 public:
  Result(T value) : content_{std::move(value)} {}            // NOLINT: `return value;` must read naturally
  Result(Failure failure) : content_{std::move(failure)} {}  // NOLINT

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return ok(); }
  /// Only after `ok()`.
  [[nodiscard]] const T& value() const { return *std::get_if<T>(&content_); }
  [[nodiscard]] T& value() { return *std::get_if<T>(&content_); }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }
  /// Only after `!ok()`.
  [[nodiscard]] const Failure& failure() const { return *std::get_if<Failure>(&content_); }

 private:
  std::variant<T, Failure> content_;
};

}  // namespace rigsizer
