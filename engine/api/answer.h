// Answers: values in, JSON out. Numbers are rounded to 12 significant digits, so that native and wasm print alike.
#pragma once

#include <nlohmann/json.hpp>

#include "api/request.h"
#include "explain/memory_lines.h"

namespace rigsizer {

inline constexpr std::string_view kEngineVersion = "0.1.0";

nlohmann::json failure_json(const Failure& failure);
nlohmann::json plan_json(const Catalog& catalog, const ShapeIndex& index, const PlanRequest& request, const Plan& plan);
nlohmann::json offers_json(const Catalog& catalog, const OffersRequest& request, const PricedOffers& priced);
nlohmann::json estimate_json(const Catalog& catalog, const EstimateRequest& request, const Shape& shape, const Fit& fit);
nlohmann::json description_json(const DescribeRequest& request);
nlohmann::json catalog_json(const Catalog& catalog);

/// A double for JSON: whole numbers as integers, others at 12 significant digits, what is not finite as null.
nlohmann::json number_json(double value);

}  // namespace rigsizer
