#include "reference/small_catalog.h"

#include <cstdio>
#include <cstdlib>

namespace rigsizer::test {
namespace {

using nlohmann::json;

constexpr double kGibibyte = 1073741824.0;

json constant(const char* name, double low, double value, double high) {
  return {{"name", name}, {"low", low},           {"value", value},   {"high", high},
          {"unit", "u"},  {"support", "made up"}, {"source", "test"}, {"date", "2026-01-01"}};
}

json card(const char* id, const char* vendor, const char* capability, double year) {
  return {{"id", id}, {"vendor", vendor}, {"compute_capability", capability}, {"year", year}, {"source", "test"}};
}

json offer(const char* provider, const char* machine, json cards, double count, const char* interconnect) {
  return {{"provider", provider},
          {"machine", machine},
          {"region", "r1"},
          {"label", cards.empty() ? "" : cards.front()},
          {"accelerators", cards},
          {"count", count},
          {"interconnect", interconnect},
          {"source", "test"},
          {"as_of", "2026-01-01"}};
}

json price(const char* date, const char* currency, const char* term, double amount) {
  return {{"as_of", date}, {"source", "list"}, {"currency", currency}, {term, amount}};
}

json cards() {
  json big = card("BIG", "NVIDIA", "8.0", 2020);
  big.update({{"memory_gb", 80}, {"usable_gib", 79}, {"nvlink_gb_per_s", 600}, {"tflops", {{"bf16", 300}, {"fp16", 300}}}});
  json mid = card("MID", "NVIDIA", "8.9", 2023);
  mid.update({{"memory_gb", 40}, {"nvlink_gb_per_s", 0}, {"tflops", {{"bf16", 200}, {"fp16", 200}}}});
  json old = card("OLD", "NVIDIA", "7.5", 2018);
  old.update({{"memory_gb", 16}, {"usable_gib", 15}, {"tflops", {{"fp16", 65}}}});
  json odd = card("ODD", "AMD", "gfx90a", 2021);
  odd.update({{"memory_gb", 64}, {"usable_gib", 63.75}, {"tflops", {{"bf16", 190}, {"fp16", 190}}}});
  json bare = card("BARE", "NVIDIA", "9.0", 2024);
  return json::array({big, mid, old, odd, bare});
}

json offers() {
  json big_1 = offer("Acme", "big-1", json::array({"BIG"}), 1, "none");
  big_1["memory_gb"] = 80;
  big_1["prices"] = json::array({price("2026-01-01", "USD", "on_demand_per_h", 2)});
  big_1["prices"][0].update({{"spot_per_h", 0.5}, {"monthly", 1000}, {"reserved_1y_per_h", 1.5}, {"reserved_3y_per_h", 1.25}});
  json big_8 = offer("Acme", "big-8", json::array({"BIG"}), 8, "NVLink");
  big_8["memory_gb"] = 80;
  big_8["prices"] = json::array({price("2026-01-01", "USD", "on_demand_per_h", 20)});
  json mid_1 = offer("Acme", "mid-1", json::array({"MID"}), 1, "none");
  mid_1["memory_gb"] = 40;
  mid_1["prices"] = json::array({price("2026-01-01", "USD", "on_demand_per_h", 1)});
  json old_1 = offer("Bolt", "old-1", json::array({"OLD"}), 1, "none");
  old_1["memory_gb"] = 16;
  old_1["prices"] = json::array({price("2026-01-01", "USD", "on_demand_per_h", 0.25)});
  json mid_8 = offer("Bolt", "mid-8", json::array({"MID"}), 8, "PCIe");
  mid_8["memory_gb"] = 40;
  mid_8["prices"] = json::array({price("2026-01-01", "CNY", "on_demand_per_h", 56)});
  json slice = offer("Bolt", "slice", json::array({"BIG"}), 0.125, "none");
  slice["memory_gb"] = 10;
  slice["prices"] = json::array({price("2026-01-01", "USD", "on_demand_per_h", 0.3)});
  json cpu = offer("Bolt", "cpu", json::array(), 0, "none");
  cpu["prices"] = json::array({price("2026-01-01", "USD", "on_demand_per_h", 0.1)});
  json quote = offer("Acme", "quote", json::array({"BIG"}), 2, "NVLink");
  quote["memory_gb"] = 80;
  json mystery = offer("Bolt", "mystery", json::array(), 1, "none");
  mystery["label"] = "Unheard-of X1";
  return json::array({big_1, big_8, mid_1, old_1, mid_8, slice, cpu, quote, mystery});
}

json constants() {
  return json::array({constant("train_context_bytes", 0.5 * kGibibyte, 1 * kGibibyte, 2 * kGibibyte),
                      constant("train_collectives_bytes", 0.25 * kGibibyte, 0.5 * kGibibyte, 1 * kGibibyte),
                      constant("train_slack_share", 0, 0.05, 0.1),
                      constant("train_slack_variable_share", 0, 0.5, 1),
                      constant("train_eager_scale", 0.75, 1, 1.25),
                      constant("train_compiled_scale", 0.75, 1, 1.25),
                      constant("train_fused_scale", 0.75, 1, 1.25),
                      constant("train_quantised_input_scale", 0, 1, 1.5),
                      constant("train_eager_logit_bytes", 8, 16, 24),
                      constant("train_compiled_logit_bytes", 4, 10, 16),
                      constant("train_fused_logit_bytes", 2, 6, 12),
                      constant("train_fused_loss_bytes_per_hidden", 2, 6, 10),
                      constant("train_overlap_share", 0, 0.5, 1),
                      constant("train_product_gradient_bytes", 0, 4, 8),
                      constant("serve_body_tensors", 2, 3, 4),
                      constant("serve_sampler_bytes_per_logit", 20, 40, 60),
                      constant("serve_context_bytes", 0.25 * kGibibyte, 0.5 * kGibibyte, 1 * kGibibyte),
                      constant("serve_hopper_context_bytes", 0.5 * kGibibyte, 2 * kGibibyte, 4 * kGibibyte),
                      constant("serve_graphs_bytes", 0.125 * kGibibyte, 0.25 * kGibibyte, 0.5 * kGibibyte),
                      constant("serve_prefill_chunk_tokens", 1024, 2048, 4096),
                      constant("serve_profiled_sequences", 128, 256, 512),
                      constant("serve_execution_tensors", 6, 8, 10),
                      constant("serve_decoder_bytes_per_logit", 20, 30, 40),
                      constant("usable_share", 0.8, 0.9, 1)});
}

/// The same for every kind: one standard deviation is a tenth of each line, and bands reach two.
json certainty() {
  json spread;
  for (const std::string_view line : kLineNames) spread[std::string{line}] = 0.1;
  json all = json::array();
  for (const std::string_view kind : kEstimateKindNames) {
    all.push_back({{"kind", std::string{kind}}, {"reach_below", 2}, {"reach_above", 2}, {"spread", spread}});
  }
  return all;
}

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "small catalog: %s\n", why.c_str());
  std::exit(3);
}

}  // namespace

json small_bundle() {
  // json::array throughout: compilers disagree on what a brace list of one element means.
  const json config{{"model_type", "llama"},    {"hidden_size", 64},  {"num_hidden_layers", 4},         {"num_attention_heads", 8},
                    {"intermediate_size", 256}, {"vocab_size", 1000}, {"max_position_embeddings", 4096}};
  const json acme{{"name", "Acme"}, {"kind", "public-cloud"}, {"source", "test"}};
  const json bolt{{"name", "Bolt"}, {"kind", "marketplace"}, {"source", "test"}};
  const json tiny{{"id", "tiny"}, {"name", "Tiny"}, {"config", config}, {"sources", json::array({"one", "two"})}};
  const json rate{{"from", "USD"}, {"to", "CNY"}, {"rate", 7}, {"date", "2026-01-01"}, {"source", "test"}};
  const json list{{"title", "A price list"}, {"url", "https://example.org"}, {"date", "2026-01-01"}, {"license", "CC0"}};
  json bundle = json::object();
  bundle["version"] = 1;
  bundle["date"] = "2026-01-01";
  bundle["providers"] = json::array({acme, bolt});
  bundle["accelerators"] = cards();
  bundle["offers"] = offers();
  bundle["models"] = json::array({tiny});
  bundle["exchange_rates"] = json::array({rate});
  bundle["sources"]["list"] = list;
  bundle["calibration"]["constants"] = constants();
  bundle["calibration"]["certainty"] = certainty();
  return bundle;
}

Result<Catalog> parse_changed(const std::function<void(json&)>& change) {
  json bundle = small_bundle();
  if (change) change(bundle);
  return parse_catalog(bundle.dump());
}

Catalog small_catalog(const std::function<void(json&)>& change) {
  Result<Catalog> parsed = parse_changed(change);
  if (!parsed) stop(parsed.failure().path + ": " + parsed.failure().message);
  return std::move(parsed.value());
}

json& offer_named(json& bundle, const std::string& machine) {
  for (json& entry : bundle["offers"]) {
    if (entry["machine"] == machine) return entry;
  }
  stop("no offer " + machine);
}

bool Planned::has(const std::string& machine) const {
  for (const OfferRow& row : plan.offers) {
    if (catalog->offers[static_cast<std::size_t>(row.offer)].machine == machine) return true;
  }
  return false;
}

const OfferRow& Planned::row(const std::string& machine) const {
  for (const OfferRow& row : plan.offers) {
    if (catalog->offers[static_cast<std::size_t>(row.offer)].machine == machine) return row;
  }
  stop("no row for " + machine);
}

const Fit& Planned::fit(const std::string& machine) const { return plan.fits[static_cast<std::size_t>(row(machine).shape)]; }

std::string Planned::machine_at(std::size_t position) const {
  return catalog->offers[static_cast<std::size_t>(plan.offers.at(position).offer)].machine;
}

Planned plan_over(const Catalog& catalog, const ModelSizes& sizes, const PlanQuery& query) {
  ShapeIndex index = index_shapes(catalog);
  Plan plan = make_plan(catalog, index, sizes, query);
  return {&catalog, std::move(index), std::move(plan)};
}

ModelSizes plain_sizes(double parameters, const WeightFormat& format) {
  ModelSizes sizes;
  sizes.weights = {.format = format, .linear = parameters * linear_bits(format) / 8};
  sizes.total = sizes.linear = parameters;
  sizes.hidden = 1;
  sizes.layers = 1;
  sizes.vocabulary = 1;
  sizes.heads = 8;
  sizes.kv_heads = 8;
  return sizes;
}

}  // namespace rigsizer::test
