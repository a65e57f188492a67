// A value with the range it is expected to lie in.
#pragma once

#include <algorithm>

namespace rigsizer {

/// `low <= value <= high`; all three in the same unit.
struct Band {
  double value = 0;
  double low = 0;
  double high = 0;

  static constexpr Band exact(double value) { return {value, value, value}; }
  /// value * (1 - below) .. value * (1 + above)
  static constexpr Band relative(double value, double below, double above) { return {value, value * (1 - below), value * (1 + above)}; }

  /// Ends add: parts of one machine's memory tend to be wrong together (same framework, same allocator), so the
  /// cautious sum is kept rather than one in quadrature.
  friend constexpr Band operator+(Band a, Band b) { return {a.value + b.value, a.low + b.low, a.high + b.high}; }
  constexpr Band& operator+=(Band other) { return *this = *this + other; }
};

}  // namespace rigsizer
