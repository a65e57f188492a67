#include "quantity/count.h"

#include <gtest/gtest.h>

namespace rigsizer {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST(QuantityCount, AddsSubtractsAndMultipliesExactly) {
  EXPECT_EQ((Count{4096} * 14336 * 3).value(), 176'160'768);
  EXPECT_EQ((Count{4096} * 14336 * 3 + 7).value(), 176'160'775);
  EXPECT_EQ((Count{5} - 8).value(), -3);
  Count sum{1};
  sum += 41;
  EXPECT_EQ(sum.value(), 42);
  EXPECT_FALSE(sum.overflowed());
}

TEST(QuantityCount, StartsAtZero) {
  EXPECT_EQ(Count{}.value(), 0);
  EXPECT_FALSE(Count{}.overflowed());
}

TEST(QuantityCount, TheLargestValueIsStillExact) {
  EXPECT_FALSE((Count{kMost - 1} + 1).overflowed());
  EXPECT_EQ((Count{kMost - 1} + 1).value(), kMost);
}

TEST(QuantityCount, NoticesASumBeyond63Bits) { EXPECT_TRUE((Count{kMost} + 1).overflowed()); }
TEST(QuantityCount, NoticesADifferenceBelow63Bits) { EXPECT_TRUE((Count{kLeast} - 1).overflowed()); }
TEST(QuantityCount, NoticesAProductBeyond63Bits) { EXPECT_TRUE((Count{std::int64_t{1} << 32} * (std::int64_t{1} << 31)).overflowed()); }

TEST(QuantityCount, OverflowStaysWhateverFollows) {
  const Count overflowed = Count{kMost} + 1;
  EXPECT_TRUE((overflowed * 0).overflowed());
  EXPECT_TRUE((overflowed - kMost).overflowed());
  EXPECT_TRUE((Count{1} + overflowed).overflowed());
  EXPECT_TRUE((Count{1} * overflowed).overflowed());
  EXPECT_TRUE((Count{1} - overflowed).overflowed());
}

TEST(QuantityCount, OverflowedReadsAsTheLargestValueNotAsAWrappedOne) {
  EXPECT_EQ((Count{kMost} * 2).value(), kMost);
  EXPECT_DOUBLE_EQ((Count{kMost} * 2).as_double(), static_cast<double>(kMost));
}

TEST(QuantityCount, EqualityTellsAnOverflowFromTheSameNumber) {
  EXPECT_EQ(Count{3}, Count{3});
  EXPECT_FALSE(Count{3} == Count{4});
  EXPECT_FALSE((Count{kMost} + 1) == Count{kMost});
}

}  // namespace
}  // namespace rigsizer
