// Block types of GGUF files.
#include "memory/ggml_type.h"

#include <gtest/gtest.h>

namespace rigsizer {
namespace {

TEST(MemoryGgmlType, ARowIsWholeBlocks) {
  EXPECT_DOUBLE_EQ(ggml_bytes(GgmlType::q4_k, 4096, 1), 16 * 144);
  EXPECT_DOUBLE_EQ(ggml_bytes(GgmlType::q8_0, 64, 3), 3 * 2 * 34);
  EXPECT_DOUBLE_EQ(ggml_bytes(GgmlType::f32, 5, 2), 40);
  EXPECT_DOUBLE_EQ(ggml_bytes(GgmlType::iq4_ks, 512, 2), 2 * (2 * 136 + 4)) << "one scale per row";
}

TEST(MemoryGgmlType, RatesAreThePublishedOnes) {
  EXPECT_DOUBLE_EQ(info(GgmlType::q4_k).bits_per_weight(), 4.5);
  EXPECT_DOUBLE_EQ(info(GgmlType::q6_k).bits_per_weight(), 6.5625);
  EXPECT_DOUBLE_EQ(info(GgmlType::q2_k).bits_per_weight(), 2.625);
  EXPECT_DOUBLE_EQ(info(GgmlType::iq1_s).bits_per_weight(), 1.5625);
  EXPECT_DOUBLE_EQ(info(GgmlType::mxfp4).bits_per_weight(), 4.25);
}

TEST(MemoryGgmlType, IdsAndNamesLeadBack) {
  int known = 0;
  for (std::uint32_t id = 0; id < 400; ++id) {
    const auto type = ggml_type_of_id(id);
    if (!type) continue;
    ++known;
    EXPECT_EQ(static_cast<std::uint32_t>(*type), id);
    EXPECT_EQ(ggml_type_named(info(*type).name), type);
  }
  EXPECT_EQ(known, 45);
  EXPECT_FALSE(ggml_type_of_id(4)) << "removed";
  EXPECT_EQ(ggml_type_named("iq4_k_r4"), GgmlType::iq4_k);
  EXPECT_FALSE(ggml_type_named("Q7_K"));
}

}  // namespace
}  // namespace rigsizer
