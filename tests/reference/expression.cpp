#include "reference/expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace rigsizer::test {
namespace {

/// Recursive descent: sum = product {(+|-) product}; product = factor {(*|/) factor}.
class Parser {
 public:
  Parser(std::string_view text, const Symbols& symbols) : text_{text}, symbols_{symbols} {}

  std::optional<double> whole() {
    const double value = sum();
    skip();
    if (at_ < text_.size()) fail("unexpected text");
    if (!why_.empty()) return std::nullopt;
    return value;
  }
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  double fail(const std::string& what) {
    if (why_.empty()) why_ = what + " at " + std::to_string(at_) + " of \"" + std::string{text_} + "\"";
    at_ = text_.size();
    return 0;
  }

  double sum() {
    double value = product();
    while (true) {
      if (take('+')) {
        value += product();
      } else if (take('-')) {
        value -= product();
      } else {
        return value;
      }
    }
  }

  double product() {
    double value = factor();
    while (true) {
      if (take('*')) {
        value *= factor();
      } else if (take('/')) {
        value /= factor();
      } else {
        return value;
      }
    }
  }

  double factor() {
    skip();
    if (take('(')) {
      const double value = sum();
      return take(')') ? value : fail("missing )");
    }
    if (take('-')) return -factor();
    if (at_ >= text_.size()) return fail("unfinished formula");
    const char first = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(first)) != 0) return number();
    if (std::isalpha(static_cast<unsigned char>(first)) != 0) return name();
    return fail("unexpected character");
  }

  double number() {
    const std::string rest{text_.substr(at_)};
    char* end = nullptr;
    const double value = std::strtod(rest.c_str(), &end);
    at_ += static_cast<std::size_t>(end - rest.c_str());
    return value;
  }

  double name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) ++at_;
    const std::string word{text_.substr(start, at_ - start)};
    if (take('(')) return call(word);
    const auto found = symbols_.find(word);
    return found == symbols_.end() ? fail("unknown symbol " + word) : found->second;
  }

  double call(const std::string& function) {
    std::vector<double> arguments{sum()};
    while (take(',')) arguments.push_back(sum());
    if (!take(')')) return fail("missing )");
    if (function == "ceil" && arguments.size() == 1) return std::ceil(arguments[0]);
    if (function == "max") return *std::max_element(arguments.begin(), arguments.end());
    if (function == "min") return *std::min_element(arguments.begin(), arguments.end());
    return fail("unknown function " + function);
  }

  std::string_view text_;
  const Symbols& symbols_;
  std::size_t at_ = 0;
  std::string why_;
};

}  // namespace

std::optional<double> evaluate(std::string_view formula, const Symbols& symbols, std::string* why) {
  Parser parser{formula, symbols};
  const std::optional<double> value = parser.whole();
  if (!value && why != nullptr) *why = parser.why();
  return value;
}

}  // namespace rigsizer::test
