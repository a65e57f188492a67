// Builds a formula as text while collecting its inputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "explain/memory_lines.h"

namespace rigsizer {

class Formula {
 public:
  /// Adds an input once and gives its symbol, to be put into the text.
  std::string in(std::string symbol, double value, std::string unit, std::string source = {}) {
    for (const Input& known : inputs_) {
      if (known.symbol == symbol) return symbol;
    }
    inputs_.push_back({symbol, value, std::move(unit), std::move(source)});
    return symbol;
  }
  /// Inputs in the order in which `text` names them, then those it does not name. Compilers evaluate the operands of a +
  /// in orders of their own, so the order of the calls says nothing.
  [[nodiscard]] std::vector<Input> inputs_as_read(const std::string& text) const;

 private:
  std::vector<Input> inputs_;
};

/// "a + b + c" of the parts that are not empty; "0" without any.
inline std::string sum_of(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : " + ") + part;
  }
  return text.empty() ? "0" : text;
}

}  // namespace rigsizer
