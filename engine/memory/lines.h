// Memory of one accelerator, line by line. Plain numbers: search runs on these, explain/ renders the same ones.
#pragma once

#include <array>
#include <cstdint>

#include "quantity/band.h"

namespace rigsizer {

enum class Line : std::uint8_t {
  weights,
  adapters,
  gradients,
  optimizer,
  activations,
  logits,
  kv_cache,
  state,
  temporary,
  overhead,
};
inline constexpr std::size_t kLineCount = 10;

struct MemoryLines {
  std::array<double, kLineCount> bytes{};

  double& operator[](Line line) { return bytes[static_cast<std::size_t>(line)]; }
  double operator[](Line line) const { return bytes[static_cast<std::size_t>(line)]; }
  [[nodiscard]] double total() const {
    double sum = 0;
    for (const double part : bytes) sum += part;
    return sum;
  }
};

struct BandedLines {
  MemoryLines low, value, high;

  [[nodiscard]] Band band(Line line) const { return {value[line], low[line], high[line]}; }
  [[nodiscard]] Band total() const { return {value.total(), low.total(), high.total()}; }
};

}  // namespace rigsizer
