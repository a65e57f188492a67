// What must hold of plans: money only changes units, more choice never hurts, a tighter budget never helps.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/random_jobs.h"
#include "reference/small_catalog.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::plan_over;
using test::Planned;
using test::Random;

constexpr int kJobs = 40;

Rates rates() {
  Rates rates;
  for (const ExchangeRate& rate : test::catalog().exchange_rates) {
    if (rate.from == Currency::usd) rates.set(rate.to, rate.rate);
  }
  rates.set(Currency::eur, 0.9);
  return rates;
}

Job random_job(Random& random) {
  Job job;
  if (random.coin()) {
    job.serving = test::random_serving(random);
  } else {
    job.task = test::random_training_task(random);
    job.training = test::random_training(random);
  }
  return job;
}

/// Calls `check` with models and jobs over the real catalog.
template <class Check>
void for_jobs(std::uint64_t seed, Check check) {
  Random random{seed};
  for (int i = 0; i < kJobs; ++i) {
    const std::string& id = random.of(test::supported_models());
    PlanQuery query{.job = random_job(random), .rates = rates()};
    query.filter.max_count = 64;
    check(id, test::sizes(id, test::random_weight_format(random)), query, random);
  }
}

std::vector<int> order(const Planned& planned) {
  std::vector<int> offers;
  for (const OfferRow& row : planned.plan.offers) offers.push_back(row.offer);
  return offers;
}

double cheapest(const Planned& planned) { return planned.plan.cheapest ? *planned.plan.offers[*planned.plan.cheapest].price_per_h : 1e300; }

TEST(PropertyPlan, CurrencyChangesOnlyTheUnit) {
  for_jobs(101, [](const std::string& id, const ModelSizes& sizes, PlanQuery query, Random&) {
    const Planned dollars = plan_over(test::catalog(), sizes, query);
    query.currency = Currency::cny;
    const Planned yuan = plan_over(test::catalog(), sizes, query);
    ASSERT_EQ(dollars.plan.offers.size(), yuan.plan.offers.size()) << id;
    for (std::size_t i = 0; i < dollars.plan.fits.size(); ++i) EXPECT_EQ(dollars.plan.fits[i].verdict, yuan.plan.fits[i].verdict);
    for (const OfferRow& there : yuan.plan.offers) {
      const OfferRow* here = nullptr;
      for (const OfferRow& row : dollars.plan.offers) here = row.offer == there.offer ? &row : here;
      ASSERT_NE(here, nullptr);
      EXPECT_EQ(here->verdict, there.verdict);
      ASSERT_EQ(here->price_per_h.has_value(), there.price_per_h.has_value());
      if (!here->price_per_h) continue;
      const auto back = convert({*there.price_per_h, Currency::cny}, Currency::usd, query.rates);
      EXPECT_NEAR(back->amount, *here->price_per_h, 1e-12 * *here->price_per_h) << id;
    }
  });
}

TEST(PropertyPlan, CurrencyDoesNotChangeTheRanking) {
  for_jobs(102, [](const std::string& id, const ModelSizes& sizes, PlanQuery query, Random&) {
    const Planned dollars = plan_over(test::catalog(), sizes, query);
    for (const Currency currency : {Currency::cny, Currency::eur}) {
      query.currency = currency;
      EXPECT_EQ(order(dollars), order(plan_over(test::catalog(), sizes, query))) << id << " in " << name_of(currency);
    }
  });
}

TEST(PropertyPlan, OneMoreOfferNeverMakesTheCheapestDearer) {
  Catalog catalog = test::catalog();
  for_jobs(103, [&](const std::string& id, const ModelSizes& sizes, const PlanQuery& query, Random& random) {
    const double before = cheapest(plan_over(test::catalog(), sizes, query));
    Catalog larger = catalog;
    Offer extra = random.of(catalog.offers);
    extra.id += "/extra";
    if (extra.price) {
      for (auto& amount : extra.price->amount) {
        if (amount) *amount *= random.of<double>({0.1, 0.5, 1, 2, 10});
      }
    }
    larger.offers.push_back(extra);
    EXPECT_LE(cheapest(plan_over(larger, sizes, query)), before) << id;
  });
}

TEST(PropertyPlan, ATighterBudgetNeverFindsACheaperFit) {
  int compared = 0;
  for_jobs(104, [&](const std::string& id, const ModelSizes& sizes, PlanQuery query, Random& random) {
    query.filter.max_price_per_h = random.of<double>({5, 20, 100});
    const Planned loose = plan_over(test::catalog(), sizes, query);
    *query.filter.max_price_per_h /= 4;
    const Planned tight = plan_over(test::catalog(), sizes, query);
    // With no fit left the plan falls back to an offer that is tight, which may cost less.
    const bool fit = tight.plan.cheapest && tight.plan.offers[*tight.plan.cheapest].verdict == OfferVerdict::fits;
    if (fit) {
      ++compared;
      EXPECT_GE(cheapest(tight), cheapest(loose) * (1 - 1e-12)) << id;
    }
    EXPECT_LE(tight.plan.counts.by_verdict[0], loose.plan.counts.by_verdict[0]) << id;
    for (const OfferRow& row : tight.plan.offers) {
      if (row.verdict == OfferVerdict::fits) {
        EXPECT_LE(*row.price_per_h, *query.filter.max_price_per_h);
      }
    }
  });
  EXPECT_GT(compared, 20);
}

TEST(PropertyPlan, ATighterBudgetThatKeepsTheCheapestChangesNothingElse) {
  for_jobs(105, [](const std::string& id, const ModelSizes& sizes, PlanQuery query, Random&) {
    const Planned free = plan_over(test::catalog(), sizes, query);
    if (!free.plan.cheapest) return;
    query.filter.max_price_per_h = cheapest(free);
    const Planned bound = plan_over(test::catalog(), sizes, query);
    ASSERT_TRUE(bound.plan.cheapest) << id;
    EXPECT_EQ(bound.plan.offers[*bound.plan.cheapest].offer, free.plan.offers[*free.plan.cheapest].offer) << id;
  });
}

TEST(PropertyPlan, WithoutItsPriceAnOfferIsNeitherRankedNorPicked) {
  for_jobs(106, [](const std::string& id, const ModelSizes& sizes, const PlanQuery& query, Random&) {
    const Planned before = plan_over(test::catalog(), sizes, query);
    if (!before.plan.cheapest) return;
    const int offer = before.plan.offers[*before.plan.cheapest].offer;
    Catalog poorer = test::catalog();
    poorer.offers[static_cast<std::size_t>(offer)].price.reset();
    const Planned after = plan_over(poorer, sizes, query);
    for (const OfferRow& row : after.plan.offers) {
      if (row.offer != offer) continue;
      EXPECT_EQ(row.verdict, OfferVerdict::no_price) << id;
      EXPECT_FALSE(row.price_per_h || row.price_per_month || row.price_per_accelerator_h);
    }
    EXPECT_GE(cheapest(after), cheapest(before)) << id;
  });
}

TEST(PropertyPlan, VerdictsAgreeWithTheNumbersBesideThem) {
  for_jobs(107, [](const std::string& id, const ModelSizes& sizes, const PlanQuery& query, Random&) {
    const Planned planned = plan_over(test::catalog(), sizes, query);
    for (std::size_t i = 0; i < planned.plan.fits.size(); ++i) {
      const Fit& fit = planned.plan.fits[i];
      if (fit.verdict == Verdict::unknown || fit.verdict == Verdict::unsuitable) continue;
      ASSERT_TRUE(fit.memory) << id;
      EXPECT_EQ(fit.verdict, verdict_of(fit.memory->lines.total(), *planned.index.shapes[i].usable_bytes)) << id;
    }
  });
}

TEST(PropertyPlan, RowsAreOrderedByVerdictThenPrice) {
  for_jobs(108, [](const std::string& id, const ModelSizes& sizes, const PlanQuery& query, Random&) {
    const Planned planned = plan_over(test::catalog(), sizes, query);
    for (std::size_t i = 1; i < planned.plan.offers.size(); ++i) {
      const OfferRow& a = planned.plan.offers[i - 1];
      const OfferRow& b = planned.plan.offers[i];
      EXPECT_LE(a.verdict, b.verdict) << id;
      if (a.verdict == b.verdict) {
        EXPECT_LE(a.price_per_h.value_or(1e300), b.price_per_h.value_or(1e300)) << id;
      }
    }
  });
}

}  // namespace
}  // namespace rigsizer
