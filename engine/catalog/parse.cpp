// From the bundle's JSON to Catalog values.

#include <algorithm>
#include <map>

#include "catalog/catalog.h"
#include "catalog/json_fields.h"
#include "catalog/json_reader.h"

namespace rigsizer {
namespace {

constexpr std::string_view kCode = "catalog";
constexpr double kMostGib = 1e6;
constexpr double kMostPrice = 1e6;
constexpr double kMostRate = 1e12;

using Index = std::map<std::string, int, std::less<>>;

/// Calls `read` with a reader of each element of the list `name`.
template <class Read>
void each(const Json& bundle, const std::string& name, JsonErrors& errors, Read read) {
  const auto list = bundle.find(name);
  if (list == bundle.end() || !list->is_array()) {
    errors.report({.code = "catalog_field",
                   .path = "/" + name,
                   .message = "The catalog has no list \"" + name + "\".",
                   .hint = "Build the bundle again with: node catalog/bundle.mjs OUT.json",
                   .values = {{"field", name}}});
    return;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    JsonReader reader{(*list)[i], "/" + name + "/" + std::to_string(i), kCode, errors};
    read(reader, (*list)[i]);
    if (errors.first()) return;
  }
}

Accelerator read_accelerator(JsonReader& in) {
  Accelerator a;
  a.id = in.text("id");
  a.vendor = in.text("vendor");
  a.architecture = in.text_or("architecture", "");
  a.compute_capability = in.text_or("compute_capability", "");
  a.year = static_cast<int>(in.whole_or("year", 0, 0, 3000));
  a.memory_gib = in.optional_number("memory_gb", 0.1, kMostGib);
  a.usable_gib = in.optional_number("usable_gib", 0.1, kMostGib);
  JsonReader tflops = in.object("tflops");
  a.bf16_tflops = tflops.optional_number("bf16", 0, kMostRate);
  a.fp16_tflops = tflops.optional_number("fp16", 0, kMostRate);
  a.fp8_tflops = tflops.optional_number("fp8", 0, kMostRate);
  a.fp4_tflops = tflops.optional_number("fp4", 0, kMostRate);
  a.nvlink_gb_per_s = in.optional_number("nvlink_gb_per_s", 0, kMostRate);
  a.license_note = in.text_or("datacenter_license_note", "");
  a.notes = in.text_or("notes", "");
  a.inference_only = in.flag_or("inference_only", false);
  a.source = in.text("source");
  return a;
}

Price read_price(JsonReader in) {
  Price price;
  price.as_of = in.text("as_of");
  price.source = in.text("source");
  const std::string currency = in.text("currency");
  if (const auto known = currency_named(currency)) {
    price.currency = *known;
  } else {
    in.fail("currency", "field", in.path("currency") + " \"" + currency + "\" is not a known currency.", "Known: USD, CNY, EUR.");
  }
  constexpr std::array<std::string_view, 5> kNames{"on_demand_per_h", "spot_per_h", "monthly", "reserved_1y_per_h", "reserved_3y_per_h"};
  // A price of zero is a missing price; the smallest real ones are about a cent an hour.
  for (std::size_t i = 0; i < kNames.size(); ++i) price.amount.at(i) = in.optional_number(kNames.at(i), 1e-6, kMostPrice);
  return price;
}

/// The newest dated entry wins; entries are appended over time.
std::optional<Price> newest_price(JsonReader& in) {
  const Json* list = in.find("prices");
  if (list == nullptr || !list->is_array()) return std::nullopt;
  std::optional<Price> newest;
  for (std::size_t i = 0; i < list->size(); ++i) {
    Price price = read_price(JsonReader{(*list)[i], in.path("prices") + "/" + std::to_string(i), kCode, in.errors()});
    if (!newest || price.as_of >= newest->as_of) newest = std::move(price);
  }
  return newest;
}

Offer read_offer(JsonReader& in, const Index& providers, const Index& accelerators) {
  Offer offer;
  const std::string provider = in.text("provider");
  if (const auto found = providers.find(provider); found != providers.end()) {
    offer.provider = found->second;
  } else {
    in.fail("provider", "field", in.path("provider") + " names \"" + provider + "\", which is not in the provider list.", "Add the provider first.");
  }
  offer.machine = in.text("machine");
  offer.region = in.text_or("region", "");
  offer.id = provider + "/" + offer.machine + "/" + offer.region;
  offer.label = in.text_or("label", "");
  offer.interconnect = in.text_or("interconnect", "");
  offer.source = in.text("source");
  offer.as_of = in.text_or("as_of", "");
  for (const std::string& id : in.words("accelerators")) {
    if (const auto found = accelerators.find(id); found != accelerators.end()) {
      offer.accelerators.push_back(found->second);
    } else {
      in.fail("accelerators", "field", in.path("accelerators") + " names \"" + id + "\", which is not in the accelerator list.",
              "Add the accelerator first.");
    }
  }
  offer.count = in.number("count", 0, 4096);
  offer.memory_gib = in.optional_number("memory_gb", 0.1, kMostGib);
  offer.vcpus = in.optional_number("vcpus", 0, 1e6);
  offer.ram_gib = in.optional_number("ram_gib", 0, kMostGib);
  offer.local_nvme_gb = in.optional_number("local_nvme_gb", 0, 1e9);
  offer.network_gbps = in.optional_number("network_gbps", 0, 1e6);
  offer.price = newest_price(in);
  return offer;
}

Provider read_provider(JsonReader& in) {
  return {.name = in.text("name"),
          .kind = in.text("kind"),
          .website = in.text_or("website", ""),
          .billing = in.text_or("billing_granularity", ""),
          .strengths = in.text_or("strengths", ""),
          .weaknesses = in.text_or("weaknesses", ""),
          .residency = in.text_or("residency", ""),
          .source = in.text("source"),
          .as_of = in.text_or("as_of", "")};
}

ModelEntry read_model(JsonReader& in) {
  ModelEntry model;
  model.id = in.text("id");
  model.name = in.text("name");
  model.family = in.text_or("family", "");
  model.released = in.text_or("released", "");
  model.license = in.text_or("license", "");
  model.modality = in.text_or("modality", "");
  for (const std::string& source : in.words("sources")) model.source += (model.source.empty() ? "" : "; ") + source;
  JsonReader reported = in.object("reported");
  model.reported_parameters = reported.optional_number("parameters", 0, 1e15);
  model.reported_active = reported.optional_number("active_parameters", 0, 1e15);
  if (const Json* config = in.find("config"); config != nullptr) model.config = fields_of(*config);
  // What a config cannot say and a weight count needs stands beside it, under a name of its own.
  if (const Json* beyond = in.find("beyond_config"); beyond != nullptr) {
    for (auto& [name, value] : fields_of(*beyond)) model.config.insert_or_assign("beyond_config." + name, value);
  }
  if (model.config.empty()) in.fail("config", "field", in.path("config") + " is missing.", "Give the model's config.json fields.");
  return model;
}

VisionNetwork read_network(JsonReader& in) {
  constexpr double kMillion = 1e6;
  constexpr double kBillion = 1e9;
  VisionNetwork network{
      .id = in.text("id"), .name = in.text_or("name", ""), .input_px = in.text_or("input_px", ""), .source = in.text_or("source", "")};
  network.parameters = kMillion * in.number("parameters_m", 0, 1e7);
  if (const auto macs = in.optional_number("gmacs", 0, 1e9)) network.macs = kBillion * *macs;
  if (const auto outputs = in.optional_number("activations_m", 0, 1e9)) network.activations = kMillion * *outputs;
  return network;
}

Constant read_constant(JsonReader& in) {
  constexpr double kAny = 1e15;
  return {.name = in.text("name"),
          .unit = in.text("unit"),
          .support = in.text("support"),
          .source = in.text("source"),
          .date = in.text("date"),
          .value = in.number("value", 0, kAny),
          .low = in.number("low", 0, kAny),
          .high = in.number("high", 0, kAny)};
}

void set_memory_constants(Catalog& catalog, JsonErrors& errors) {
  const auto missing = [&](std::string_view name) {
    errors.report({.code = "catalog_field",
                   .path = "/calibration/constants",
                   .message = "The calibration lacks the constant " + std::string{name} + ".",
                   .hint = "Add it to catalog/calibration.json with value, low, high, unit, support, source and date.",
                   .values = {{"field", std::string{name}}}});
  };
  for (const ConstantName& entry : kMemoryConstantNames) {
    const Constant* constant = catalog.constant(entry.name);
    if (constant == nullptr) {
      missing(entry.name);
      continue;
    }
    catalog.memory.value.*entry.member = constant->value;
  }
  const Constant* share = catalog.constant("usable_share");
  if (share == nullptr) return missing("usable_share");
  catalog.usable_share = share->value;
}

/// How sure estimates of each kind are. Every kind must be there: an estimate without a band would look exact.
void read_certainty(const Json& calibration, Catalog& catalog, JsonErrors& errors) {
  std::array<bool, kEstimateKindNames.size()> there{};
  each(calibration, "certainty", errors, [&](JsonReader& in, const Json&) {
    const std::string kind = in.text("kind");
    const auto known = std::find(kEstimateKindNames.begin(), kEstimateKindNames.end(), kind);
    if (known == kEstimateKindNames.end()) {
      in.fail("kind", "field", in.path("kind") + " \"" + kind + "\" is not a kind of estimate.", "Known are those of engine/memory/constants.h.");
      return;
    }
    const auto at = static_cast<std::size_t>(known - kEstimateKindNames.begin());
    there.at(at) = true;
    Certainty& certainty = catalog.memory.certainty.at(at);
    certainty.reach_below = in.number("reach_below", 0, 100);
    certainty.reach_above = in.number("reach_above", 0, 100);
    JsonReader spread = in.object("spread");
    for (std::size_t i = 0; i < kLineCount; ++i) certainty.spread.bytes.at(i) = spread.optional_number(kLineNames.at(i), 0, 10).value_or(0);
  });
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (there.at(i)) continue;
    errors.report({.code = "catalog_field",
                   .path = "/calibration/certainty",
                   .message = "The calibration does not say how sure estimates of the kind " + std::string{kEstimateKindNames.at(i)} + " are.",
                   .hint = "Run the calibration program, which writes catalog/calibration.json.",
                   .values = {{"field", std::string{kEstimateKindNames.at(i)}}}});
  }
}

void read_rates(const Json& bundle, Catalog& catalog, JsonErrors& errors) {
  each(bundle, "exchange_rates", errors, [&](JsonReader& in, const Json&) {
    const auto from = currency_named(in.text("from"));
    const auto to = currency_named(in.text("to"));
    const double rate = in.number("rate", 1e-6, 1e6);
    if (from && to) {
      catalog.exchange_rates.push_back({*from, *to, rate, in.text("date"), in.text("source")});
    } else {
      in.fail("from", "field", "An exchange rate names an unknown currency.", "Known: USD, CNY, EUR.");
    }
  });
}

void read_sources(const Json& bundle, Catalog& catalog, JsonErrors& errors) {
  const auto sources = bundle.find("sources");
  if (sources == bundle.end() || !sources->is_object()) return;
  for (const auto& [key, value] : sources->items()) {
    JsonReader in{value, "/sources/" + key, kCode, errors};
    catalog.sources.push_back({.key = key,
                               .title = in.text_or("title", key),
                               .url = in.text_or("url", ""),
                               .date = in.text_or("date", ""),
                               .license = in.text_or("license", ""),
                               .note = in.text_or("note", "")});
  }
}

}  // namespace

Result<Catalog> parse_catalog(std::string_view text) {
  const Result<Json> parsed = parse_json(text, kCode, "The catalog");
  if (!parsed) return parsed.failure();
  const Json& bundle = *parsed;
  JsonErrors errors;
  JsonReader top{bundle, "", kCode, errors};
  Catalog catalog;
  catalog.date = top.text("date");
  if (top.number("version", 0, 1e6) != 1) {
    errors.report({.code = "catalog_version",
                   .path = "/version",
                   .message = "This engine reads catalog version 1.",
                   .hint = "Build page and catalog together.",
                   .values = {}});
  }
  if (errors.first()) return *errors.first();

  Index providers;
  Index accelerators;
  each(bundle, "providers", errors, [&](JsonReader& in, const Json&) {
    catalog.providers.push_back(read_provider(in));
    providers.emplace(catalog.providers.back().name, static_cast<int>(catalog.providers.size()) - 1);
  });
  each(bundle, "accelerators", errors, [&](JsonReader& in, const Json&) {
    catalog.accelerators.push_back(read_accelerator(in));
    accelerators.emplace(catalog.accelerators.back().id, static_cast<int>(catalog.accelerators.size()) - 1);
  });
  each(bundle, "offers", errors, [&](JsonReader& in, const Json&) { catalog.offers.push_back(read_offer(in, providers, accelerators)); });
  each(bundle, "models", errors, [&](JsonReader& in, const Json&) { catalog.models.push_back(read_model(in)); });
  if (const auto vision = bundle.find("vision"); vision != bundle.end()) {
    each(*vision, "networks", errors, [&](JsonReader& in, const Json&) { catalog.vision.push_back(read_network(in)); });
  }
  read_rates(bundle, catalog, errors);
  read_sources(bundle, catalog, errors);
  if (const auto calibration = bundle.find("calibration"); calibration != bundle.end()) {
    each(*calibration, "constants", errors, [&](JsonReader& in, const Json&) { catalog.constants.push_back(read_constant(in)); });
    read_certainty(*calibration, catalog, errors);
  }
  set_memory_constants(catalog, errors);
  if (errors.first()) return *errors.first();
  return catalog;
}

}  // namespace rigsizer
