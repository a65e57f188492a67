#include <gtest/gtest.h>

#include "search/plan.h"

namespace rigsizer {
namespace {

TEST(SearchDates, CountsDaysFrom1970) {
  EXPECT_EQ(day_number("1970-01-01"), 0);
  EXPECT_EQ(day_number("1970-01-02"), 1);
  EXPECT_EQ(day_number("1969-12-31"), -1);
  EXPECT_EQ(day_number("2000-03-01"), 11'017);
  EXPECT_EQ(day_number("2026-12-01"), 20'788);
}

TEST(SearchDates, KnowsLeapYears) {
  EXPECT_EQ(*day_number("2024-03-01") - *day_number("2024-02-28"), 2);
  EXPECT_EQ(*day_number("2025-03-01") - *day_number("2025-02-28"), 1);
  EXPECT_EQ(*day_number("2100-03-01") - *day_number("2100-02-28"), 1);
  EXPECT_EQ(*day_number("2000-03-01") - *day_number("2000-02-28"), 2);
}

TEST(SearchDates, AMonthIsItsFirstDay) { EXPECT_EQ(day_number("2026-12"), day_number("2026-12-01")); }

TEST(SearchDates, WhatIsNoDateIsNone) {
  for (const char* const text :
       {"", "2026", "2026-13-01", "2026-00-10", "2026-01-32", "2026-01-00", "01.12.2026", "2026-1-1", "tomorrow!!", "2026-12-0x", "20261201"}) {
    EXPECT_FALSE(day_number(text)) << text;
  }
}

TEST(SearchDates, SeparatorsAndLengthsOfMonthsAreChecked) {
  EXPECT_FALSE(day_number("2026/12/01"));
  EXPECT_FALSE(day_number("2026-02-30"));
  EXPECT_FALSE(day_number("2026x12"));
}

}  // namespace
}  // namespace rigsizer
