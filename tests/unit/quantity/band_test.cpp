#include "quantity/band.h"

#include <gtest/gtest.h>

#include "memory/lines.h"
#include "quantity/units.h"

namespace rigsizer {
namespace {

TEST(QuantityBand, RelativeEndsLieAroundTheValue) {
  const Band band = Band::relative(200, 0.1, 0.25);
  EXPECT_DOUBLE_EQ(band.value, 200);
  EXPECT_DOUBLE_EQ(band.low, 180);
  EXPECT_DOUBLE_EQ(band.high, 250);
}

TEST(QuantityBand, AnExactValueHasNoWidth) {
  const Band band = Band::exact(5);
  EXPECT_EQ(band.low, 5);
  EXPECT_EQ(band.high, 5);
}

TEST(QuantityBand, SumsAddEndByEnd) {
  Band sum = Band{10, 8, 13} + Band{1, 0.5, 4};
  sum += Band::exact(100);
  EXPECT_DOUBLE_EQ(sum.value, 111);
  EXPECT_DOUBLE_EQ(sum.low, 108.5);
  EXPECT_DOUBLE_EQ(sum.high, 117);
}

TEST(QuantityBand, DeviationsOfLinesAddByTheirSquares) {
  BandedLines lines;
  lines.value[Line::weights] = 10;
  lines.value[Line::overhead] = 20;
  lines.certainty.spread[Line::weights] = 0.3;   // 3
  lines.certainty.spread[Line::overhead] = 0.2;  // 4
  lines.certainty.reach_below = 1;
  lines.certainty.reach_above = 2;
  EXPECT_DOUBLE_EQ(lines.total().value, 30);
  EXPECT_DOUBLE_EQ(lines.total().low, 30 - 5);
  EXPECT_DOUBLE_EQ(lines.total().high, 30 + 2 * 5);
  EXPECT_DOUBLE_EQ(lines.band(Line::weights).high, 16);
  EXPECT_DOUBLE_EQ(lines.band(Line::logits).high, 0);
}

TEST(QuantityBand, UnitsAreBinaryForGibAndDecimalForGb) {
  EXPECT_EQ(kGib, 1'073'741'824.0);
  EXPECT_EQ(kMib * 1024, kGib);
  EXPECT_EQ(kGb, 1'000'000'000.0);
  EXPECT_EQ(kHoursPerMonth, 730.0);
}

}  // namespace
}  // namespace rigsizer
