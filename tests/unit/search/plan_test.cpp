// Offers against one job: filters, order, picks, prices.
#include <gtest/gtest.h>

#include <memory>

#include "quantity/units.h"
#include "reference/small_catalog.h"

namespace rigsizer {
namespace {

using test::plan_over;
using test::Planned;
using test::small_catalog;

// 20 GiB of weights: fits BIG (79 GiB) and MID (36), is short on OLD (15) and the slice.
ModelSizes twenty() { return test::plain_sizes(20 * kGib / 2); }

PlanQuery query() {
  PlanQuery query;
  query.rates.set(Currency::cny, 7);
  return query;
}

Planned planned(const PlanQuery& wanted, const std::function<void(nlohmann::json&)>& change = {}) {
  static std::vector<std::unique_ptr<Catalog>> kept;  // rows point into it
  kept.push_back(std::make_unique<Catalog>(small_catalog(change)));
  return plan_over(*kept.back(), twenty(), wanted);
}

nlohmann::json& amount(nlohmann::json& bundle, const std::string& machine) {
  return test::offer_named(bundle, machine)["prices"][0]["on_demand_per_h"];
}

TEST(SearchPlan, EveryOfferGetsItsVerdict) {
  const Planned p = planned(query());
  EXPECT_EQ(p.row("big-1").verdict, OfferVerdict::fits);
  EXPECT_EQ(p.row("mid-1").verdict, OfferVerdict::fits);
  EXPECT_EQ(p.row("mid-8").verdict, OfferVerdict::fits);
  EXPECT_EQ(p.row("quote").verdict, OfferVerdict::no_price);
  EXPECT_EQ(p.row("old-1").verdict, OfferVerdict::unsuitable);  // no bf16
  EXPECT_EQ(p.row("cpu").verdict, OfferVerdict::unsuitable);
  EXPECT_EQ(p.row("mystery").verdict, OfferVerdict::unknown);
  EXPECT_EQ(p.row("slice").verdict, OfferVerdict::lacking);
}

TEST(SearchPlan, CountsAddUp) {
  PlanQuery q = query();
  q.filter.providers = {"Acme"};
  const Planned p = planned(q);
  int sum = p.plan.counts.filtered_out;
  for (const int count : p.plan.counts.by_verdict) sum += count;
  EXPECT_EQ(sum, p.plan.counts.offers);
  EXPECT_EQ(p.plan.counts.offers, 9);
  EXPECT_EQ(p.plan.counts.filtered_out, 5);
  EXPECT_EQ(p.plan.offers.size(), 4U);
}

TEST(SearchPlan, FitsComeFirstByPrice) {
  const Planned p = planned(query());
  EXPECT_EQ(p.machine_at(0), "mid-1");  // 1
  EXPECT_EQ(p.machine_at(1), "big-1");  // 2
  EXPECT_EQ(p.machine_at(2), "mid-8");  // 56 CNY = 8
  EXPECT_EQ(p.machine_at(3), "big-8");  // 20
}

TEST(SearchPlan, EqualPricesAreOrderedById) {
  const auto order = [](const char* one, const char* other) {
    const Planned p = planned(query(), [&](nlohmann::json& b) {
      amount(b, "big-1") = 1;
      test::offer_named(b, "big-1")["machine"] = one;
      test::offer_named(b, "mid-1")["machine"] = other;
    });
    return p.machine_at(0);
  };
  EXPECT_EQ(order("aaa", "zzz"), "aaa");
  EXPECT_EQ(order("zzz", "aaa"), "aaa");
}

TEST(SearchPlan, TheCheapestFitIsPicked) {
  const Planned p = planned(query());
  ASSERT_TRUE(p.plan.cheapest);
  EXPECT_EQ(p.machine_at(*p.plan.cheapest), "mid-1");
  ASSERT_TRUE(p.plan.selected);
  EXPECT_EQ(p.machine_at(*p.plan.selected), "mid-1");
}

TEST(SearchPlan, TheRoomyPickLeavesAFifthFree) {
  // 26 GiB of weights and their band stay within the .9 x 36 that an engine takes of MID, yet above four fifths of it.
  const Catalog catalog = small_catalog();
  const Planned p = plan_over(catalog, test::plain_sizes(26 * kGib / 2), query());
  EXPECT_EQ(p.machine_at(*p.plan.cheapest), "mid-1");
  ASSERT_TRUE(p.plan.roomy);
  EXPECT_EQ(p.machine_at(*p.plan.roomy), "big-1");
}

TEST(SearchPlan, ATightOfferIsPickedOnlyWhenNothingFits) {
  const Catalog catalog = small_catalog();
  PlanQuery q = query();
  q.filter.max_count = 1;
  const Planned p = plan_over(catalog, test::plain_sizes(70.1 * kGib / 2), q);
  ASSERT_TRUE(p.plan.cheapest);
  EXPECT_EQ(p.row("big-1").verdict, OfferVerdict::tight);
  EXPECT_EQ(p.machine_at(*p.plan.cheapest), "big-1");
  EXPECT_FALSE(p.plan.roomy);
}

TEST(SearchPlan, WhenNothingFitsTheClosestIsShownAndNothingPicked) {
  const Catalog catalog = small_catalog();
  const Planned p = plan_over(catalog, test::plain_sizes(5000 * kGib / 2), query());
  EXPECT_FALSE(p.plan.cheapest);
  ASSERT_TRUE(p.plan.selected);
  EXPECT_EQ(p.machine_at(*p.plan.selected), "big-8");
}

TEST(SearchPlan, AnOfferCanBeSelectedByName) {
  PlanQuery q = query();
  q.select = "Acme/big-8/r1";
  const Planned p = planned(q);
  EXPECT_EQ(p.machine_at(*p.plan.selected), "big-8");
  EXPECT_FALSE(p.plan.select_unknown);
  q.select = "Acme/none/r1";
  EXPECT_TRUE(planned(q).plan.select_unknown);
}

TEST(SearchPlan, FiltersLeaveOut) {
  const auto with = [](const std::function<void(Filter&)>& set) {
    PlanQuery q = query();
    set(q.filter);
    return planned(q);
  };
  EXPECT_FALSE(with([](Filter& f) { f.providers = {"Bolt"}; }).has("big-1"));
  EXPECT_TRUE(with([](Filter& f) { f.providers = {"Bolt"}; }).has("mid-8"));
  EXPECT_FALSE(with([](Filter& f) { f.provider_kinds = {"public-cloud"}; }).has("mid-8"));
  EXPECT_FALSE(with([](Filter& f) { f.min_count = 2; }).has("mid-1"));
  EXPECT_TRUE(with([](Filter& f) { f.min_count = 2; }).has("quote"));
  EXPECT_FALSE(with([](Filter& f) { f.max_count = 4; }).has("big-8"));
  EXPECT_FALSE(with([](Filter& f) { f.whole_accelerators_only = true; }).has("slice"));
  EXPECT_TRUE(with([](Filter& f) { f.whole_accelerators_only = true; }).has("mid-1"));
  EXPECT_FALSE(with([](Filter& f) { f.vendors = {"AMD"}; }).has("mid-1"));
  EXPECT_TRUE(with([](Filter& f) { f.vendors = {"NVIDIA"}; }).has("mid-1"));
}

TEST(SearchPlan, APriceAboveTheBudgetIsOverBudget) {
  PlanQuery q = query();
  q.filter.max_price_per_h = 2;
  const Planned p = planned(q);
  EXPECT_EQ(p.row("mid-1").verdict, OfferVerdict::fits);
  EXPECT_EQ(p.row("big-1").verdict, OfferVerdict::fits) << "a budget is a bound, not less than";
  EXPECT_EQ(p.row("mid-8").verdict, OfferVerdict::over_budget);
}

TEST(SearchPlan, TheBudgetIsInTheCurrencyOfThePlan) {
  PlanQuery q = query();
  q.currency = Currency::cny;
  q.filter.max_price_per_h = 14;
  EXPECT_EQ(planned(q).row("big-1").verdict, OfferVerdict::fits);
  q.filter.max_price_per_h = 13.9;
  EXPECT_EQ(planned(q).row("big-1").verdict, OfferVerdict::over_budget);
}

TEST(SearchPlan, PricesFollowTheTerm) {
  const auto price = [](Term term) {
    PlanQuery q = query();
    q.term = term;
    return planned(q).row("big-1").price_per_h;
  };
  EXPECT_EQ(price(Term::on_demand), 2.0);
  EXPECT_EQ(price(Term::spot), 0.5);
  EXPECT_EQ(price(Term::reserved_1y), 1.5);
  EXPECT_EQ(price(Term::reserved_3y), 1.25);
  EXPECT_DOUBLE_EQ(*price(Term::monthly), 1000.0 / 730);
}

TEST(SearchPlan, ATermNobodyOffersIsNoPrice) {
  PlanQuery q = query();
  q.term = Term::spot;
  EXPECT_EQ(planned(q).row("mid-1").verdict, OfferVerdict::no_price);
  EXPECT_FALSE(planned(q).row("mid-1").price_per_h);
}

TEST(SearchPlan, AMonthHas730Hours) {
  PlanQuery q = query();
  EXPECT_DOUBLE_EQ(*planned(q).row("big-1").price_per_month, 2 * 730.0);
  q.term = Term::monthly;
  EXPECT_DOUBLE_EQ(*planned(q).row("big-1").price_per_month, 1000);
}

TEST(SearchPlan, APriceIsTheMachinesAndDividesByItsCards) {
  const Planned p = planned(query());
  EXPECT_DOUBLE_EQ(*p.row("big-8").price_per_h, 20);
  EXPECT_DOUBLE_EQ(*p.row("big-8").price_per_accelerator_h, 2.5);
  EXPECT_FALSE(p.row("slice").price_per_accelerator_h) << "nobody sells the whole card at eight times a slice's price";
  EXPECT_FALSE(p.row("cpu").price_per_accelerator_h);
}

TEST(SearchPlan, PricesAreConverted) {
  EXPECT_DOUBLE_EQ(*planned(query()).row("mid-8").price_per_h, 8);
  PlanQuery q = query();
  q.currency = Currency::cny;
  EXPECT_DOUBLE_EQ(*planned(q).row("mid-8").price_per_h, 56);
  EXPECT_DOUBLE_EQ(*planned(q).row("big-1").price_per_h, 14);
}

TEST(SearchPlan, WithoutARateAPriceIsMissingNotWrong) {
  PlanQuery q;
  const Planned p = planned(q);
  EXPECT_EQ(p.row("mid-8").verdict, OfferVerdict::no_price);
  EXPECT_FALSE(p.row("mid-8").price_per_h);
  EXPECT_TRUE(p.plan.rate_missing);
  EXPECT_FALSE(planned(query()).plan.rate_missing);
}

TEST(SearchPlan, AgesAreCountedInDaysFromToday) {
  PlanQuery q = query();
  EXPECT_FALSE(planned(q).row("big-1").price_age_days);
  q.today = day_number("2026-03-01");
  EXPECT_EQ(planned(q).row("big-1").price_age_days, 59);
  q.today = day_number("2025-12-01");
  EXPECT_EQ(planned(q).row("big-1").price_age_days, 0) << "a price from tomorrow is not of negative age";
}

TEST(SearchPlan, APriceDatedOnlyByItsYearHasNoAge) {
  PlanQuery q = query();
  q.today = day_number("2026-03-01");
  const Planned p = planned(q, [](nlohmann::json& b) { test::offer_named(b, "big-1")["prices"][0]["as_of"] = "2026"; });
  EXPECT_FALSE(p.row("big-1").price_age_days);
}

TEST(SearchPlan, ASliceHasItsShareOfTheCard) {
  const Planned p = planned(query());
  const Shape& slice = p.index.shapes[static_cast<std::size_t>(p.row("slice").shape)];
  EXPECT_DOUBLE_EQ(*slice.usable_bytes, 79.0 * 10 / 80 * kGib);
  bool said = false;
  for (const Remark& note : p.fit("slice").notes) said = said || (note.code == "slice" && note.severity == Severity::serious);
  EXPECT_TRUE(said);
}

TEST(SearchPlan, ASmallJobFitsASlice) {
  const Catalog catalog = small_catalog();
  const Planned p = plan_over(catalog, test::plain_sizes(4 * kGib / 2), query());
  EXPECT_EQ(p.row("slice").verdict, OfferVerdict::fits);
  EXPECT_EQ(p.machine_at(0), "slice");
}

TEST(SearchPlan, EqualHardwareSharesOneShape) {
  const Catalog catalog = small_catalog([](nlohmann::json& b) {
    nlohmann::json twin = test::offer_named(b, "big-1");
    twin["machine"] = "twin";
    twin["provider"] = "Bolt";
    b["offers"].push_back(twin);
  });
  const Planned p = plan_over(catalog, twenty(), query());
  EXPECT_EQ(p.row("twin").shape, p.row("big-1").shape);
  EXPECT_NE(p.row("big-8").shape, p.row("big-1").shape);
}

TEST(SearchPlan, OfSeveralCandidatesTheOneWithLeastMemoryCounts) {
  const Catalog catalog = small_catalog([](nlohmann::json& b) {
    test::offer_named(b, "big-1")["accelerators"] = nlohmann::json::array({"BIG", "MID"});
    test::offer_named(b, "big-1").erase("memory_gb");
  });
  const ShapeIndex index = index_shapes(catalog);
  EXPECT_DOUBLE_EQ(*index.shapes[static_cast<std::size_t>(index.of_offer[0])].usable_bytes, 36 * kGib);
}

}  // namespace
}  // namespace rigsizer
