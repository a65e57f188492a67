#include "api/answer.h"

#include <cmath>
#include <cstdlib>

#include "api/answer_parts.h"
#include "api/names.h"
#include "model/census.h"
#include "quantity/decimal.h"

namespace rigsizer {
namespace {

constexpr double kLargestExact = 9007199254740992.0;  // 2^53
constexpr double kPowerOf12Digits = 1e11;             // the least number with twelve digits before the point

Json rates_json(const std::vector<ExchangeRate>& rates) {
  Json list = Json::array();
  for (const ExchangeRate& rate : rates) {
    list.push_back(
        {{"from", name_of(rate.from)}, {"to", name_of(rate.to)}, {"rate", number_json(rate.rate)}, {"date", rate.date}, {"source", rate.source}});
  }
  return list;
}

Json engine_json(const Catalog& catalog) { return {{"version", kEngineVersion}, {"catalog_date", catalog.date}}; }

/// Rows as lists under one header: a plan has well over a thousand, and an object each would cost more than the search.
Json offer_rows_json(const Catalog& catalog, const std::vector<OfferRow>& offers) {
  Json rows = Json::array();
  rows.get_ref<Json::array_t&>().reserve(offers.size());
  for (const OfferRow& row : offers) {
    const auto day = row.price_age_days;
    rows.push_back(Json::array({row.offer, catalog.offers[static_cast<std::size_t>(row.offer)].id, row.shape,
                                names::of(names::offer_verdict, row.verdict), number_json(row.price_per_h), number_json(row.price_per_accelerator_h),
                                number_json(row.price_per_month), day ? Json(*day) : Json(nullptr)}));
  }
  return {{"columns", {"offer", "id", "shape", "verdict", "price_per_h", "price_per_accelerator_h", "price_per_month", "price_age_days"}},
          {"rows", std::move(rows)}};
}

Json counts_json(const PlanCounts& counts) {
  Json json{{"offers", counts.offers}, {"filtered_out", counts.filtered_out}};
  for (const auto& [name, verdict] : names::offer_verdict) json[std::string{name}] = counts.by_verdict.at(static_cast<std::size_t>(verdict));
  return json;
}

Json picks_json(const Catalog& catalog, const Plan& plan) {
  Json picks = Json::array();
  const auto add = [&](const char* pick, std::optional<std::size_t> at) {
    if (at) picks.push_back({{"pick", pick}, {"offer", catalog.offers[static_cast<std::size_t>(plan.offers[*at].offer)].id}});
  };
  add("cheapest", plan.cheapest);
  add("cheapest_roomy", plan.roomy);
  return picks;
}

}  // namespace

Json number_json(double value) {
  if (!std::isfinite(value)) return nullptr;
  const double size = std::abs(value);
  if (value == std::floor(value) && size <= kLargestExact) return static_cast<std::int64_t>(value);
  // Twelve significant digits: scale by an exact power of ten, round, divide once. The quotient of two exact doubles is
  // the double nearest to that decimal, so it prints in at most twelve digits, alike on every target.
  double scale = 1;
  for (int digits = 0; digits < 22 && size * scale < kPowerOf12Digits; ++digits) scale *= 10;
  if (size * scale >= kPowerOf12Digits || size == 0) return std::round(value * scale) / scale;
  return std::strtod(decimal_text(value).c_str(), nullptr);  // below 1e-10: rare enough to go through text
}

Json number_json(std::optional<double> value) { return value ? number_json(*value) : Json(nullptr); }

Json failure_json(const Failure& failure) {
  return {{"error",
           {{"code", failure.code},
            {"path", failure.path},
            {"message", failure.message},
            {"hint", failure.hint},
            {"values", values_json(failure.values)}}}};
}

Json plan_json(const Catalog& catalog, const ShapeIndex& index, const PlanRequest& request, const Plan& plan) {
  Json shapes = Json::array();
  for (std::size_t i = 0; i < index.shapes.size(); ++i) shapes.push_back(shape_json(catalog, index.shapes[i], plan.fits[i]));

  std::vector<Remark> warnings = workload_warnings(request.workload);
  if (plan.rate_missing) warnings.push_back({"rate_missing", Severity::warn, {{"currency", std::string{name_of(request.query.currency)}}}});
  if (plan.select_unknown) warnings.push_back({"select_unknown", Severity::warn, {{"offer", request.query.select}}});

  Json selected = nullptr;
  if (plan.selected) {
    const OfferRow& row = plan.offers[*plan.selected];
    const auto shape = static_cast<std::size_t>(row.shape);
    selected = memory_json(catalog, request.workload, index.shapes[shape], plan.fits[shape]);
    if (!selected.is_null()) selected["offer"] = catalog.offers[static_cast<std::size_t>(row.offer)].id;
  }
  return {{"engine", engine_json(catalog)},
          {"request", workload_json(request.workload)},
          {"assumed", assumed_json(request.workload.assumed)},
          {"model", model_json(request.workload.model)},
          {"counts", counts_json(plan.counts)},
          {"picks", picks_json(catalog, plan)},
          {"shapes", std::move(shapes)},
          {"offers", offer_rows_json(catalog, plan.offers)},
          {"selected", std::move(selected)},
          {"term", names::of(names::term, request.query.term)},
          {"currency", name_of(request.query.currency)},
          {"exchange_rates", rates_json(request.rates_used)},
          {"warnings", remarks_json(warnings)}};
}

Json offers_json(const Catalog& catalog, const OffersRequest& request, const PricedOffers& priced) {
  std::vector<Remark> warnings;
  if (priced.rate_missing) warnings.push_back({"rate_missing", Severity::warn, {{"currency", std::string{name_of(request.query.currency)}}}});
  return {{"engine", engine_json(catalog)},
          {"offers", offer_rows_json(catalog, priced.offers)},
          {"filtered_out", priced.filtered_out},
          {"term", names::of(names::term, request.query.term)},
          {"currency", name_of(request.query.currency)},
          {"exchange_rates", rates_json(request.rates_used)},
          {"warnings", remarks_json(warnings)}};
}

Json estimate_json(const Catalog& catalog, const EstimateRequest& request, const Shape& shape, const Fit& fit) {
  return {{"engine", engine_json(catalog)},
          {"request", workload_json(request.workload)},
          {"assumed", assumed_json(request.workload.assumed)},
          {"model", model_json(request.workload.model)},
          {"estimate", memory_json(catalog, request.workload, shape, fit)},
          {"shape", shape_json(catalog, shape, fit)},
          {"warnings", remarks_json(workload_warnings(request.workload))}};
}

Json description_json(const DescribeRequest& request) {
  const Architecture& model = request.model.architecture;
  const Census& census = request.model.census;
  Json parts = Json::array();
  for (int i = 0; i < kPartCount; ++i) {
    const Count count = census.parts.at(static_cast<std::size_t>(i));
    if (count.value() > 0) parts.push_back({{"part", name_of(static_cast<Part>(i))}, {"parameters", count.value()}});
  }
  Json extra = Json::array();
  for (const ExtraPart& part : model.extra) extra.push_back({{"part", part.name}, {"parameters", part.parameters.value()}});
  Json windowed = Json::array();
  for (const WindowedKv& kv : census.kv_windowed) windowed.push_back({{"bytes_per_token", 2 * kv.elements_per_token}, {"window", kv.window}});
  Json caches = Json::array();
  for (const double context : request.contexts) {
    const double elements = kv_elements(model, context);
    caches.push_back(
        {{"context_tokens", number_json(context)},
         {"bytes", number_json(2 * elements + static_cast<double>(census.state_bytes))},
         {"formula", "kv_elements_per_sequence * kv_bytes + state_bytes_per_sequence"},
         {"inputs", Json::array({input_json({"kv_elements_per_sequence", elements, "values"}), input_json({"kv_bytes", 2, "bytes per value"}),
                                 input_json({"state_bytes_per_sequence", static_cast<double>(census.state_bytes), "bytes"})})}});
  }
  return {{"model", model_json(request.model)},
          {"parts", std::move(parts)},
          {"embedding_parameters", census.embedding.value()},
          {"extra_parts", std::move(extra)},
          {"kv_bytes_per_token_16bit", number_json(2 * census.kv_elements_per_token)},
          {"kv_windowed_16bit", std::move(windowed)},
          {"state_bytes_per_sequence", census.state_bytes},
          {"kv_cache", std::move(caches)},
          {"flops_per_token_forward", number_json(forward_flops_per_token(model, 0))},
          {"notes", remarks_json(model_remarks(request.model))}};
}

Json catalog_json(const Catalog& catalog) {
  Json models = Json::array();
  for (const ModelEntry& entry : catalog.models) models.push_back(model_entry_json(entry));
  Json providers = Json::array();
  for (const Provider& provider : catalog.providers) providers.push_back(provider_json(provider));
  Json accelerators = Json::array();
  for (const Accelerator& card : catalog.accelerators) accelerators.push_back(accelerator_json(card));
  Json offers = Json::array();
  for (const Offer& offer : catalog.offers) offers.push_back(offer_json(catalog, offer));
  Json sources = Json::object();
  for (const Source& source : catalog.sources) sources[source.key] = source_json(source);
  return {{"date", catalog.date},
          {"exchange_rates", rates_json(catalog.exchange_rates)},
          {"sources", std::move(sources)},
          {"models", std::move(models)},
          {"providers", std::move(providers)},
          {"accelerators", std::move(accelerators)},
          {"offers", std::move(offers)}};
}

}  // namespace rigsizer
