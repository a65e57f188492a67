// Whole counts (parameters, elements, bytes) that cannot overflow unseen.
//
// A config.json may say anything, so products of its fields are checked: once a sum or product leaves 63 bits the
// count is `overflowed` and stays so, and the reader turns that into a message instead of a wrong number.
//
//   Count{4096} * 14336 * 3   ->  176160768
//   Count{INT64_MAX} + 1      ->  overflowed() == true
#pragma once

#include <cstdint>
#include <limits>

namespace rigsizer {

class Count {
 public:
  constexpr Count() = default;
  constexpr Count(std::int64_t value) : value_{value} {}  // NOLINT: counts are written as plain numbers in formulas

  [[nodiscard]] constexpr bool overflowed() const { return overflowed_; }
  /// The number; INT64_MAX once it has overflowed.
  [[nodiscard]] constexpr std::int64_t value() const { return overflowed_ ? std::numeric_limits<std::int64_t>::max() : value_; }
  [[nodiscard]] constexpr double as_double() const { return static_cast<double>(value()); }

  friend constexpr Count operator+(Count a, Count b) {
    Count sum;
    const bool carried = __builtin_add_overflow(a.value_, b.value_, &sum.value_);
    sum.overflowed_ = a.overflowed_ || b.overflowed_ || carried;
    return sum;
  }
  friend constexpr Count operator-(Count a, Count b) {
    Count difference;
    const bool carried = __builtin_sub_overflow(a.value_, b.value_, &difference.value_);
    difference.overflowed_ = a.overflowed_ || b.overflowed_ || carried;
    return difference;
  }
  friend constexpr Count operator*(Count a, Count b) {
    Count product;
    const bool carried = __builtin_mul_overflow(a.value_, b.value_, &product.value_);
    product.overflowed_ = a.overflowed_ || b.overflowed_ || carried;
    return product;
  }
  constexpr Count& operator+=(Count other) { return *this = *this + other; }
  friend constexpr bool operator==(Count a, Count b) { return a.value_ == b.value_ && a.overflowed_ == b.overflowed_; }

 private:
  std::int64_t value_ = 0;
  bool overflowed_ = false;
};

}  // namespace rigsizer
