#include "search/plan.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "quantity/units.h"

namespace rigsizer {
namespace {

bool listed(const std::vector<std::string>& list, const std::string& word) {
  return list.empty() || std::find(list.begin(), list.end(), word) != list.end();
}

bool wanted(const Catalog& catalog, const Offer& offer, const Filter& filter) {
  const Provider& provider = catalog.providers[static_cast<std::size_t>(offer.provider)];
  if (!listed(filter.providers, provider.name) || !listed(filter.provider_kinds, provider.kind)) return false;
  if (offer.count < filter.min_count || offer.count > filter.max_count) return false;
  if (filter.whole_accelerators_only && offer.count > 0 && offer.count < 1) return false;
  if (filter.vendors.empty()) return true;
  if (offer.accelerators.empty()) return false;
  return listed(filter.vendors, catalog.accelerators[static_cast<std::size_t>(offer.accelerators.front())].vendor);
}

void set_price(const Offer& offer, const PlanQuery& query, OfferRow& row, bool& rate_missing) {
  if (!offer.price) return;
  const std::optional<double> amount = offer.price->of(query.term);
  if (!amount) return;
  const std::optional<Money> money = convert({*amount, offer.price->currency}, query.currency, query.rates);
  if (!money) {
    rate_missing = true;
    return;
  }
  const bool by_month = query.term == Term::monthly;
  row.price_per_h = by_month ? money->amount / kHoursPerMonth : money->amount;
  row.price_per_month = by_month ? money->amount : money->amount * kHoursPerMonth;
  // Of a slice the machine's price is the price of the slice: dividing by 1/8 would quote a card nobody sells here.
  if (offer.count >= 1) row.price_per_accelerator_h = *row.price_per_h / offer.count;
  if (query.today) {
    if (const auto day = day_number(offer.price->as_of)) row.price_age_days = std::max(0L, *query.today - *day);
  }
}

OfferVerdict offer_verdict(Verdict fit, const OfferRow& row, const Filter& filter) {
  switch (fit) {
    case Verdict::lacking: return OfferVerdict::lacking;
    case Verdict::unsuitable: return OfferVerdict::unsuitable;
    case Verdict::unknown: return OfferVerdict::unknown;
    case Verdict::fits:
    case Verdict::tight: break;
  }
  if (!row.price_per_h) return OfferVerdict::no_price;
  if (filter.max_price_per_h && *row.price_per_h > *filter.max_price_per_h) return OfferVerdict::over_budget;
  return fit == Verdict::fits ? OfferVerdict::fits : OfferVerdict::tight;
}

/// What the filter lets through, in the catalog's order, priced and not yet judged.
PricedOffers unsorted_offers(const Catalog& catalog, const ShapeIndex& index, const PlanQuery& query) {
  PricedOffers priced;
  for (std::size_t i = 0; i < catalog.offers.size(); ++i) {
    const Offer& offer = catalog.offers[i];
    if (!wanted(catalog, offer, query.filter)) {
      ++priced.filtered_out;
      continue;
    }
    OfferRow row{.offer = static_cast<int>(i), .shape = index.of_offer[i]};
    set_price(offer, query, row, priced.rate_missing);
    priced.offers.push_back(row);
  }
  return priced;
}

/// By verdict, then price, then id; without a price last.
void sort_offers(const Catalog& catalog, std::vector<OfferRow>& offers) {
  constexpr double kNoPrice = 1e300;
  std::sort(offers.begin(), offers.end(), [&](const OfferRow& a, const OfferRow& b) {
    if (a.verdict != b.verdict) return a.verdict < b.verdict;
    const double price_a = a.price_per_h.value_or(kNoPrice);
    const double price_b = b.price_per_h.value_or(kNoPrice);
    if (price_a != price_b) return price_a < price_b;
    return catalog.offers[static_cast<std::size_t>(a.offer)].id < catalog.offers[static_cast<std::size_t>(b.offer)].id;
  });
}

void choose(const Catalog& catalog, const PlanQuery& query, Plan& plan) {
  const auto& rows = plan.offers;
  for (std::size_t i = 0; i < rows.size() && rows[i].verdict == OfferVerdict::fits; ++i) {
    const auto shape = static_cast<std::size_t>(rows[i].shape);
    if (!plan.cheapest) plan.cheapest = i;
    if (plan.fits[shape].memory->lines.total().high <= kRoomyShare * plan.fits[shape].memory->limit_bytes) {
      plan.roomy = i;
      break;
    }
  }
  if (!plan.cheapest && !rows.empty() && rows.front().verdict == OfferVerdict::tight) plan.cheapest = 0;

  if (!query.select.empty()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (catalog.offers[static_cast<std::size_t>(rows[i].offer)].id == query.select) plan.selected = i;
    }
    plan.select_unknown = !plan.selected;
  }
  if (plan.selected || rows.empty()) return;
  plan.selected = plan.cheapest;
  if (plan.selected) return;
  // Nothing fits: show the machine that comes closest.
  double least = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto shape = static_cast<std::size_t>(rows[i].shape);
    if (!plan.fits[shape].memory || rows[i].verdict == OfferVerdict::unsuitable) continue;
    const double ratio = plan.fits[shape].memory->lines.total().value / plan.fits[shape].memory->limit_bytes;
    if (!plan.selected || ratio < least) {
      plan.selected = i;
      least = ratio;
    }
  }
}

int days_of_month(int year, int month) {
  constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays.at(static_cast<std::size_t>(month) - 1) + (month == 2 && leap ? 1 : 0);
}

}  // namespace

std::optional<long> day_number(std::string_view date) {
  const auto part = [&](std::size_t from, std::size_t length) -> std::optional<int> {
    if (date.size() < from + length) return std::nullopt;
    int value = 0;
    const char* const end = date.data() + from + length;
    const auto parsed = std::from_chars(date.data() + from, end, value);
    return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional<int>{value} : std::nullopt;
  };
  if (date.size() != 7 && date.size() != 10) return std::nullopt;
  const auto year = part(0, 4);
  const auto month = part(5, 2);
  const auto day = date.size() == 10 ? part(8, 2) : std::optional<int>{1};
  if (!year || !month || !day || date[4] != '-' || (date.size() == 10 && date[7] != '-')) return std::nullopt;
  if (*month < 1 || *month > 12 || *day < 1 || *day > days_of_month(*year, *month)) return std::nullopt;
  // Howard Hinnant's days_from_civil: years start in March so that the leap day comes last.
  const int y = *year - (*month <= 2 ? 1 : 0);
  const int era = (y >= 0 ? y : y - 399) / 400;
  const int year_of_era = y - era * 400;
  const int day_of_year = (153 * (*month + (*month > 2 ? -3 : 9)) + 2) / 5 + *day - 1;
  const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097L + day_of_era - 719468L;
}

PricedOffers price_offers(const Catalog& catalog, const ShapeIndex& index, const PlanQuery& query) {
  PricedOffers priced = unsorted_offers(catalog, index, query);
  for (OfferRow& row : priced.offers) row.verdict = offer_verdict(Verdict::fits, row, query.filter);
  sort_offers(catalog, priced.offers);
  return priced;
}

Plan make_plan(const Catalog& catalog, const ShapeIndex& index, const ModelSizes& sizes, const PlanQuery& query) {
  Plan plan;
  plan.fits.reserve(index.shapes.size());
  for (const Shape& shape : index.shapes) plan.fits.push_back(fit_shape(catalog, sizes, query.job, shape));

  PricedOffers priced = unsorted_offers(catalog, index, query);
  plan.offers = std::move(priced.offers);
  plan.rate_missing = priced.rate_missing;
  plan.counts.offers = static_cast<int>(catalog.offers.size());
  plan.counts.filtered_out = priced.filtered_out;
  for (OfferRow& row : plan.offers) {
    row.verdict = offer_verdict(plan.fits[static_cast<std::size_t>(row.shape)].verdict, row, query.filter);
    ++plan.counts.by_verdict.at(static_cast<std::size_t>(row.verdict));
  }
  sort_offers(catalog, plan.offers);
  choose(catalog, query, plan);
  return plan;
}

}  // namespace rigsizer
