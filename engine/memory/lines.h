// Memory of one accelerator, line by line. Plain numbers: search runs on these, explain/ renders the same ones.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
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
  allocator,
  overhead,
};
inline constexpr std::size_t kLineCount = 11;

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

/// How sure each line is, as a share of it, and how far a band reaches. Data: tests/calibrate fits both, the reach from
/// residuals of rows that the other constants were fitted without.
struct Certainty {
  MemoryLines spread;      ///< one standard deviation over the line
  double reach_below = 0;  ///< standard deviations of the total from its value to the low end
  double reach_above = 0;  ///< and to the high end
};

/// Lines with a band. Errors of different lines are taken as independent, so that of a sum is the root of the sum of squares;
/// what they have in common is in the reach, which comes from totals.
struct BandedLines {
  MemoryLines value;
  Certainty certainty;

  [[nodiscard]] Band band(Line line) const { return reach(value[line], value[line] * certainty.spread[line]); }
  [[nodiscard]] Band total() const {
    double squares = 0;
    for (std::size_t i = 0; i < kLineCount; ++i) {
      const double deviation = value.bytes.at(i) * certainty.spread.bytes.at(i);
      squares += deviation * deviation;
    }
    return reach(value.total(), std::sqrt(squares));
  }
  /// Of any figure of this estimate with its own standard deviation.
  [[nodiscard]] Band reach(double bytes, double deviation) const {
    return {bytes, std::max(0.0, bytes - certainty.reach_below * deviation), bytes + certainty.reach_above * deviation};
  }
};

}  // namespace rigsizer
