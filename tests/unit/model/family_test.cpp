#include "model/family.h"

#include <gtest/gtest.h>

namespace rigsizer {
namespace {

TEST(ModelFamily, TheTableIsSortedAndNamesEachFamilyOnce) {
  const auto& all = families();
  ASSERT_GT(all.size(), 80U);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1].model_type, all[i].model_type);
}

TEST(ModelFamily, EveryFamilyIsFoundByItsName) {
  for (const Family& family : families()) {
    ASSERT_NE(family_of(family.model_type), nullptr) << family.model_type;
    EXPECT_EQ(family_of(family.model_type)->model_type, family.model_type);
  }
}

TEST(ModelFamily, UnknownNamesAreNotGuessed) {
  EXPECT_EQ(family_of(""), nullptr);
  EXPECT_EQ(family_of("llama9"), nullptr);
  EXPECT_EQ(family_of("Llama"), nullptr);
  EXPECT_EQ(family_of("zzzz"), nullptr);
}

TEST(ModelFamily, SaysWhatConfigsLeaveOut) {
  EXPECT_TRUE(family_of("qwen2")->qkv_bias);
  EXPECT_FALSE(family_of("qwen2")->out_bias);
  EXPECT_EQ(family_of("qwen3")->qk_norm, QkNorm::per_head);
  EXPECT_EQ(family_of("olmo2")->qk_norm, QkNorm::whole_projection);
  EXPECT_TRUE(family_of("gemma")->tied);
  EXPECT_FALSE(family_of("llama")->tied);
  EXPECT_TRUE(family_of("gpt2")->learned_positions);
  EXPECT_EQ(family_of("cohere")->norms_per_layer, 1);
  EXPECT_EQ(family_of("gemma2")->norms_per_layer, 4);
  EXPECT_EQ(family_of("olmo")->norm, Norm::no_weights);
}

TEST(ModelFamily, AlternatingFamiliesStateTheirPeriod) {
  for (const Family& family : families()) {
    if (family.windows == Windows::pattern) {
      EXPECT_GT(family.window_period, 1) << family.model_type;
    }
  }
}

}  // namespace
}  // namespace rigsizer
