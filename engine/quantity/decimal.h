// Numbers as text for machines and messages: twelve significant digits, on which all targets agree.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace rigsizer {

/// "16", "4.127", "1000000000", "1e+15"
inline std::string decimal_text(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value);
  return text.data();
}

}  // namespace rigsizer
