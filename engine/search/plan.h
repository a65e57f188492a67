// Every offer against one job: which fit, at what price, and why the others do not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/fit.h"

namespace rigsizer {

struct Filter {
  std::vector<std::string> providers, provider_kinds, vendors;  ///< empty: all
  double min_count = 0, max_count = 16;
  bool whole_accelerators_only = false;
  std::optional<double> max_price_per_h;  ///< in the plan's currency
};

struct PlanQuery {
  Job job;
  Filter filter;
  Term term = Term::on_demand;
  Currency currency = Currency::usd;
  Rates rates;
  std::optional<long> today;  ///< days since 1970-01-01
  std::string select;         ///< offer id; empty: the engine chooses
};

enum class OfferVerdict { fits, tight, over_budget, no_price, lacking, unsuitable, unknown };

struct OfferRow {
  int offer = 0;
  int shape = 0;
  OfferVerdict verdict = OfferVerdict::unknown;
  std::optional<double> price_per_h, price_per_accelerator_h, price_per_month;
  std::optional<long> price_age_days;
};

struct PlanCounts {
  int offers = 0, filtered_out = 0;
  std::array<int, 7> by_verdict{};  ///< by OfferVerdict
};

struct Plan {
  std::vector<Fit> fits;         ///< by shape of the index
  std::vector<OfferRow> offers;  ///< best first: by verdict, then price, then id
  PlanCounts counts;
  std::optional<std::size_t> cheapest, roomy;  ///< positions in `offers`
  std::optional<std::size_t> selected;
  bool select_unknown = false;  ///< `select` names no offer
  bool rate_missing = false;    ///< some price could not be converted
};

/// "Roomy" leaves a fifth of the memory free at the high end of the band.
inline constexpr double kRoomyShare = 0.8;

/// Offers the filter lets through with their prices, cheapest first; fit is not looked at, `job` and `select` are not read.
/// Verdicts: fits where there is a price, else no_price or over_budget.
struct PricedOffers {
  std::vector<OfferRow> offers;
  int filtered_out = 0;
  bool rate_missing = false;
};
PricedOffers price_offers(const Catalog& catalog, const ShapeIndex& index, const PlanQuery& query);

Plan make_plan(const Catalog& catalog, const ShapeIndex& index, const ModelSizes& sizes, const PlanQuery& query);

/// Days since 1970-01-01 of "2026-12-01" (or of the first day of "2026-12"); nothing for less exact dates.
std::optional<long> day_number(std::string_view iso_date);

}  // namespace rigsizer
