// Which number formats a card computes in.
#include <gtest/gtest.h>

#include "reference/test_data.h"

namespace rigsizer {
namespace {

Accelerator nvidia(std::string capability) {
  Accelerator card;
  card.vendor = "NVIDIA";
  card.compute_capability = std::move(capability);
  return card;
}

TEST(CatalogAccelerator, NvidiaGoesByComputeCapability) {
  EXPECT_EQ(nvidia("7.0").bf16(), Support::no);   // V100
  EXPECT_EQ(nvidia("7.5").bf16(), Support::no);   // T4
  EXPECT_EQ(nvidia("8.0").bf16(), Support::yes);  // A100
  EXPECT_EQ(nvidia("7.0").fp16(), Support::yes);
  EXPECT_EQ(nvidia("6.1").fp16(), Support::no);  // P40
  EXPECT_EQ(nvidia("8.6").fp8(), Support::no);
  EXPECT_EQ(nvidia("8.9").fp8(), Support::yes);  // L4, 4090
  EXPECT_EQ(nvidia("9.0").fp8(), Support::yes);
  EXPECT_EQ(nvidia("9.0").fp4(), Support::no);
  EXPECT_EQ(nvidia("10.0").fp4(), Support::yes);  // B200
  EXPECT_EQ(nvidia("12.0").fp4(), Support::yes);
  EXPECT_TRUE(nvidia("8.0").has_weight_only_floats());
  EXPECT_FALSE(nvidia("7.5").has_weight_only_floats());
}

TEST(CatalogAccelerator, ACapabilityThatCannotBeReadGrantsNothing) {
  for (const char* const text : {"", "unknown", "x.y"}) {
    EXPECT_NE(nvidia(text).bf16(), Support::yes) << text;
    EXPECT_NE(nvidia(text).fp8(), Support::yes) << text;
  }
}

TEST(CatalogAccelerator, OfOthersOnlyAPublishedRateIsEvidence) {
  Accelerator card;
  card.vendor = "AMD";
  EXPECT_NE(card.bf16(), Support::yes);
  EXPECT_NE(card.fp16(), Support::yes);
  card.bf16_tflops = 300;
  EXPECT_EQ(card.bf16(), Support::yes);
  EXPECT_EQ(card.fp16(), Support::unknown);
  EXPECT_EQ(card.fp8(), Support::unknown) << "an absent rate proves nothing";
  EXPECT_FALSE(card.has_weight_only_floats());
  card.fp8_tflops = 600;
  EXPECT_EQ(card.fp8(), Support::yes);
}

TEST(CatalogAccelerator, KnownCardsOfTheCatalog) {
  const auto bf16 = [](const char* id) {
    const Accelerator* card = test::catalog().accelerator(id);
    return card == nullptr ? Support::unknown : card->bf16();
  };
  for (const char* const id : {"T4", "V100-16GB", "V100-32GB", "P40", "P100-PCIe"}) EXPECT_EQ(bf16(id), Support::no) << id;
  for (const char* const id : {"A10", "L4", "H100-SXM", "RTX4090", "A100-80GB-SXM"}) EXPECT_EQ(bf16(id), Support::yes) << id;
}

TEST(CatalogAccelerator, NoCardCanUseMoreMemoryThanIsSoldAsGibibytes) {
  for (const Accelerator& card : test::catalog().accelerators) {
    if (!card.memory_gib || !card.usable_gib) continue;
    EXPECT_LE(*card.usable_gib, *card.memory_gib * 1.02) << card.id;
    EXPECT_GE(*card.usable_gib, *card.memory_gib * 0.8) << card.id;
  }
}

}  // namespace
}  // namespace rigsizer
