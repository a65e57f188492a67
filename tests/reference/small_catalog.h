// A catalog small enough to reason about: a few cards, offers with round prices, constants with round values.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "catalog/catalog.h"
#include "search/plan.h"

namespace rigsizer::test {

/// The bundle's JSON:
///   cards      BIG (80 GiB marketed, 79 usable, sm 8.0, NVLink), MID (40 GiB, no reading, sm 8.9, PCIe), OLD (16 GiB, sm 7.5),
///              ODD (AMD, 64 GiB, bf16 rate), BARE (memory not published)
///   offers     Acme/big-1, Acme/big-8, Acme/mid-1, Bolt/old-1, Bolt/mid-8 (CNY), Bolt/slice, Bolt/cpu, Acme/quote, Bolt/mystery
///   usable     share 0.9 of the marketed memory where no reading exists
///   rates      1 USD = 7 CNY
nlohmann::json small_bundle();

/// Parsed; `change` edits the JSON first. Ends the program when it does not parse.
Catalog small_catalog(const std::function<void(nlohmann::json&)>& change = {});
Result<Catalog> parse_changed(const std::function<void(nlohmann::json&)>& change);

/// The offer of the bundle whose machine is named so.
nlohmann::json& offer_named(nlohmann::json& bundle, const std::string& machine);

/// Everything of one plan over a catalog, for tests that look rows up by machine.
struct Planned {
  const Catalog* catalog;
  ShapeIndex index;
  Plan plan;

  [[nodiscard]] const OfferRow& row(const std::string& machine) const;
  [[nodiscard]] bool has(const std::string& machine) const;
  [[nodiscard]] const Fit& fit(const std::string& machine) const;
  [[nodiscard]] std::string machine_at(std::size_t position) const;
};
Planned plan_over(const Catalog& catalog, const ModelSizes& sizes, const PlanQuery& query);

/// A model of exactly `parameters` linear weights and nothing else, so that memory is arithmetic.
ModelSizes plain_sizes(double parameters, const WeightFormat& format = WeightFormat::bf16);

}  // namespace rigsizer::test
