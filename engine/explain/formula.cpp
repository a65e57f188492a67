#include "explain/formula.h"

#include <algorithm>
#include <cctype>

namespace rigsizer {
namespace {

bool is_symbol_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Where `symbol` stands as a whole word; the end of the text when it does not.
std::size_t position_of(const std::string& symbol, const std::string& text) {
  for (std::size_t at = text.find(symbol); at != std::string::npos; at = text.find(symbol, at + 1)) {
    const std::size_t end = at + symbol.size();
    const bool starts = at == 0 || !is_symbol_letter(text[at - 1]);
    const bool ends = end == text.size() || !is_symbol_letter(text[end]);
    if (starts && ends) return at;
  }
  return text.size();
}

}  // namespace

std::vector<Input> Formula::inputs_as_read(const std::string& text) const {
  std::vector<Input> inputs = inputs_;
  std::sort(inputs.begin(), inputs.end(), [&](const Input& a, const Input& b) {
    const std::size_t at_a = position_of(a.symbol, text);
    const std::size_t at_b = position_of(b.symbol, text);
    return at_a != at_b ? at_a < at_b : a.symbol < b.symbol;
  });
  return inputs;
}

}  // namespace rigsizer
