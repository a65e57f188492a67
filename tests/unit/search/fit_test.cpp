// Verdicts: what fits, what only just, what not and why.
#include <gtest/gtest.h>

#include <algorithm>

#include "quantity/units.h"
#include "reference/small_catalog.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::plain_sizes;

/// Bytes of the plain 16-bit model that leave exactly `share` of the room beside the constants: overhead .75 GiB at the
/// value, 1.5 GiB at the high end; weights 1 % more at the high end.
ModelSizes weighing(double gib) { return plain_sizes(gib * kGib / 2); }

bool has(const std::vector<Reason>& reasons, std::string_view code) {
  return std::any_of(reasons.begin(), reasons.end(), [&](const Reason& reason) { return reason.code == code; });
}
bool notes(const Fit& fit, std::string_view code) {
  return std::any_of(fit.notes.begin(), fit.notes.end(), [&](const Remark& remark) { return remark.code == code; });
}

Fit fit_on(const char* card, int count, const ModelSizes& sizes, const Job& job = {}) {
  static const Catalog catalog = test::small_catalog();
  const auto index = static_cast<int>(catalog.accelerator(card) - catalog.accelerators.data());
  return fit_shape(catalog, sizes, job, shape_of(catalog, index, count));
}

ModelSizes small(const WeightFormat& format) { return plain_sizes(1e6, format); }
Job training(Precision precision) {
  Job job{.task = Task::full};
  job.training.precision = precision;
  return job;
}

TEST(SearchFit, VerdictsFollowTheBand) {
  EXPECT_EQ(verdict_of({10, 8, 12}, 12), Verdict::fits);
  EXPECT_EQ(verdict_of({10, 8, 12}, 11.999), Verdict::tight);
  EXPECT_EQ(verdict_of({10, 8, 12}, 10), Verdict::tight);
  EXPECT_EQ(verdict_of({10, 8, 12}, 9.999), Verdict::lacking);
}

TEST(SearchFit, ASmallModelFits) {
  const Fit fit = fit_on("BIG", 1, weighing(50));
  EXPECT_EQ(fit.verdict, Verdict::fits);
  EXPECT_TRUE(fit.reasons.empty());
  ASSERT_TRUE(fit.memory);
  EXPECT_EQ(fit.memory->layout, Layout{});
}

TEST(SearchFit, AModelThatFillsTheCardIsTightAndSaysSo) {
  const Fit fit = fit_on("BIG", 1, weighing(78));  // 78 + .75 within 79, 78.78 + 1.5 not
  EXPECT_EQ(fit.verdict, Verdict::tight);
  EXPECT_TRUE(has(fit.reasons, "memory_tight"));
}

TEST(SearchFit, AModelTooLargeIsShortByHowMuch) {
  const Fit fit = fit_on("BIG", 1, weighing(100));
  EXPECT_EQ(fit.verdict, Verdict::lacking);
  ASSERT_TRUE(has(fit.reasons, "memory_short"));
  const auto& values = fit.reasons.front().values;
  const auto value = [&](std::string_view name) {
    for (const MessageValue& v : values) {
      if (v.name == name) return std::get<double>(v.value);
    }
    return -1.0;
  };
  EXPECT_NEAR(value("needed_gib"), 100 + 0.75 + 40.0 * 256 / kGib, 1e-4);
  EXPECT_EQ(value("usable_gib"), 79);
  EXPECT_NEAR(value("short_gib"), value("needed_gib") - 79, 1e-9);
}

TEST(SearchFit, MoreCardsSplitTheModelNoFurtherThanNeeded) {
  const Fit fit = fit_on("BIG", 8, weighing(100));
  EXPECT_EQ(fit.verdict, Verdict::fits);
  EXPECT_EQ(fit.memory->layout.tensor_parallel, 2);
  EXPECT_EQ(fit.memory->layout.data_parallel, 4);
}

TEST(SearchFit, WhatCannotFitShowsTheLayoutThatLacksLeast) {
  const Fit fit = fit_on("BIG", 8, weighing(2000));
  EXPECT_EQ(fit.verdict, Verdict::lacking);
  EXPECT_EQ(fit.memory->layout.tensor_parallel, 8);
}

TEST(SearchFit, HeadsThatDoNotDivideAreNamedAsTheReason) {
  ModelSizes sizes = weighing(200);
  sizes.heads = 25;
  const Fit fit = fit_on("BIG", 8, sizes);
  EXPECT_EQ(fit.verdict, Verdict::lacking);
  EXPECT_TRUE(has(fit.reasons, "heads_do_not_divide"));
}

TEST(SearchFit, Bf16NeedsAmpereOrLater) {
  for (const Job& job : {Job{}, training(Precision::bf16_mixed), training(Precision::bf16_pure)}) {
    const Fit fit = fit_on("OLD", 1, plain_sizes(1e6), job);
    EXPECT_EQ(fit.verdict, Verdict::unsuitable);
    EXPECT_TRUE(has(fit.reasons, "no_bf16"));
  }
  EXPECT_EQ(fit_on("OLD", 1, small(WeightFormat::fp16)).verdict, Verdict::fits);
  EXPECT_EQ(fit_on("OLD", 1, small(WeightFormat::fp32)).verdict, Verdict::fits);
  EXPECT_EQ(fit_on("OLD", 1, plain_sizes(1e6), training(Precision::fp16_mixed)).verdict, Verdict::fits);
}

TEST(SearchFit, IntegerWeightsRunOnOldCardsInFp16) {
  const Fit fit = fit_on("OLD", 1, small(WeightFormat::int4));
  EXPECT_EQ(fit.verdict, Verdict::fits);
  EXPECT_TRUE(notes(fit, "computes_in_fp16"));
}

TEST(SearchFit, Fp8IsNativeWeightOnlyOrRefused) {
  EXPECT_FALSE(notes(fit_on("MID", 1, small(WeightFormat::fp8)), "fp8_weight_only"));
  const Fit ampere = fit_on("BIG", 1, small(WeightFormat::fp8));
  EXPECT_EQ(ampere.verdict, Verdict::fits);
  EXPECT_TRUE(notes(ampere, "fp8_weight_only"));
  const Fit turing = fit_on("OLD", 1, small(WeightFormat::fp8));
  EXPECT_EQ(turing.verdict, Verdict::unsuitable);
  EXPECT_TRUE(has(turing.reasons, "no_fp8"));
}

TEST(SearchFit, UnknownMemoryIsNotGuessed) {
  const Fit fit = fit_on("BARE", 1, plain_sizes(1e6));
  EXPECT_EQ(fit.verdict, Verdict::unknown);
  EXPECT_FALSE(fit.memory);
  EXPECT_TRUE(has(fit.reasons, "memory_unknown"));
}

TEST(SearchFit, AMissingReadingIsAssumedAndSaid) {
  const Catalog catalog = test::small_catalog();
  const Shape mid = shape_of(catalog, 1, 1);
  EXPECT_DOUBLE_EQ(*mid.usable_bytes, 40 * 0.9 * kGib);
  EXPECT_FALSE(mid.usable_is_measured);
  const Shape big = shape_of(catalog, 0, 1);
  EXPECT_DOUBLE_EQ(*big.usable_bytes, 79 * kGib);
  EXPECT_TRUE(big.usable_is_measured);
  EXPECT_TRUE(notes(fit_on("MID", 1, plain_sizes(1e6)), "usable_assumed"));
  EXPECT_FALSE(notes(fit_on("BIG", 1, plain_sizes(1e6)), "usable_assumed"));
}

TEST(SearchFit, ACardWithoutALinkIsSaidToBeSo) {
  EXPECT_TRUE(notes(fit_on("MID", 8, plain_sizes(1e6)), "no_nvlink"));
  EXPECT_FALSE(notes(fit_on("BIG", 8, plain_sizes(1e6)), "no_nvlink"));
  EXPECT_FALSE(notes(fit_on("MID", 1, plain_sizes(1e6)), "no_nvlink"));
}

TEST(SearchFit, OtherVendorsAreMarkedAsEstimates) {
  EXPECT_TRUE(notes(fit_on("ODD", 1, plain_sizes(1e6)), "non_nvidia_estimate"));
  EXPECT_FALSE(notes(fit_on("BIG", 1, plain_sizes(1e6)), "non_nvidia_estimate"));
}

TEST(SearchFit, CopiedHeadsAndLatentsAreSaid) {
  ModelSizes sizes = weighing(500);
  sizes.heads = 64;
  sizes.kv_heads = 4;
  EXPECT_TRUE(notes(fit_on("BIG", 8, sizes), "kv_heads_replicated"));
  sizes.kv_heads = 8;
  EXPECT_FALSE(notes(fit_on("BIG", 8, sizes), "kv_heads_replicated"));
  sizes.has_latent = true;
  EXPECT_TRUE(notes(fit_on("BIG", 8, sizes), "latent_copied"));
}

// Public reports (vLLM and LLaMA-Factory issue threads), on the real catalog.
class SearchFitCases : public testing::Test {
 protected:
  static Fit fit(const char* model, const char* card, int count, const Job& job) {
    const Catalog& catalog = test::catalog();
    const Accelerator* accelerator = catalog.accelerator(card);
    EXPECT_NE(accelerator, nullptr) << card;
    return fit_shape(catalog, test::sizes(model), job, shape_of(catalog, static_cast<int>(accelerator - catalog.accelerators.data()), count));
  }
};

TEST_F(SearchFitCases, Mistral7bIn16BitsDoesNotFit11GbAndIn4BitsDoes) {  // vllm-project/vllm#188
  const Catalog& catalog = test::catalog();
  Shape card = shape_of(catalog, 0, 1);
  card.usable_bytes = 10.73 * kGib;
  const auto verdict = [&](WeightFormat format) {
    return verdict_of(layout_memory(test::sizes("mistral-7b-v0.1", format), {.serving = {.context_tokens = 4096}}, {}, catalog.memory).lines.total(),
                      *card.usable_bytes);
  };
  EXPECT_EQ(verdict(WeightFormat::fp16), Verdict::lacking);
  EXPECT_EQ(verdict(WeightFormat::int4), Verdict::fits);
}

TEST_F(SearchFitCases, Zero2LikeStatesOf7bDoNotFit32GbButShardedOnesDo) {  // hiyouga/LlamaFactory#1221
  Job job{.task = Task::full};
  job.training.precision = Precision::fp16_mixed;
  const Fit whole = fit("llama-2-7b", "V100-32GB", 1, job);
  EXPECT_EQ(whole.verdict, Verdict::lacking);
  const Fit sharded = fit("llama-2-7b", "V100-32GB", 8, job);
  EXPECT_TRUE(sharded.verdict == Verdict::fits || sharded.verdict == Verdict::tight);
  EXPECT_EQ(sharded.memory->layout.shards, Layout::Shards::full);
}

TEST_F(SearchFitCases, A14bOnTwo4090sRefusesItsFullContext) {  // vllm-project/vllm#13061
  EXPECT_EQ(fit("deepseek-r1-distill-qwen-14b", "RTX4090", 2, {.serving = {.context_tokens = 131'072}}).verdict, Verdict::lacking);
  EXPECT_NE(fit("deepseek-r1-distill-qwen-14b", "RTX4090", 2, {.serving = {.context_tokens = 32'768}}).verdict, Verdict::lacking);
}

TEST_F(SearchFitCases, OldCardsAreNeverAFitForBf16Work) {
  const Catalog& catalog = test::catalog();
  for (std::size_t i = 0; i < catalog.accelerators.size(); ++i) {
    const Accelerator& card = catalog.accelerators[i];
    if (card.bf16() != Support::no) continue;
    for (const Job& job : {Job{}, training(Precision::bf16_mixed)}) {
      const Fit fit = fit_shape(catalog, plain_sizes(1e6), job, shape_of(catalog, static_cast<int>(i), 1));
      EXPECT_EQ(fit.verdict, Verdict::unsuitable) << card.id;
      EXPECT_TRUE(has(fit.reasons, "no_bf16")) << card.id;
    }
  }
}

}  // namespace
}  // namespace rigsizer
