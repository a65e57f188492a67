// What can be rented and run: accelerators, offers with dated prices, providers, models, constants. Plain values.
//
// Absent facts stay absent (std::optional, empty string); nothing here is filled in.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/vision.h"
#include "memory/constants.h"
#include "memory/engine.h"
#include "model/fields.h"
#include "quantity/failure.h"
#include "quantity/money.h"

namespace rigsizer {

enum class Support { yes, no, unknown };

struct Accelerator {
  std::string id, vendor, architecture, compute_capability;
  int year = 0;
  bool inference_only = false;
  std::optional<double> memory_gib;  ///< as marketed; makers write GB and mean GiB
  std::optional<double> usable_gib;  ///< what programs can allocate
  std::optional<double> bf16_tflops, fp16_tflops, fp8_tflops, fp4_tflops;
  std::optional<double> nvlink_gb_per_s;
  std::string license_note, notes, source;

  /// Tensor hardware for the format. NVIDIA's follows from the compute capability; of others only a published rate is
  /// evidence, and its absence proves nothing.
  [[nodiscard]] Support bf16() const;
  [[nodiscard]] Support fp16() const;
  [[nodiscard]] Support fp8() const;
  [[nodiscard]] Support fp4() const;
  /// Kernels that store 4- or 8-bit floats and compute in 16 bits (NVIDIA from Ampere on).
  [[nodiscard]] bool has_weight_only_floats() const;
  [[nodiscard]] bool is_nvidia() const { return vendor == "NVIDIA"; }
  /// What the defaults and overheads of serving engines hang on; its memory is the caller's to fill in.
  [[nodiscard]] CardTraits serving_traits() const;
};

enum class Term { on_demand, spot, monthly, reserved_1y, reserved_3y };
inline constexpr std::array<std::string_view, 5> kTermNames{"on_demand", "spot", "monthly", "reserved_1y", "reserved_3y"};

struct Price {
  std::string as_of, source;
  Currency currency = Currency::usd;
  std::array<std::optional<double>, 5> amount;  ///< by Term: per hour, `monthly` per month

  [[nodiscard]] std::optional<double> of(Term term) const { return amount[static_cast<std::size_t>(term)]; }
};

struct Offer {
  std::string id;  ///< provider/machine/region
  int provider = 0;
  std::string machine, region, label, interconnect, source, as_of;
  std::vector<int> accelerators;     ///< candidates, most likely first; empty for CPU-only and unknown cards
  double count = 0;                  ///< below 1: a slice
  std::optional<double> memory_gib;  ///< of one accelerator or slice, as marketed
  std::optional<double> vcpus, ram_gib, local_nvme_gb, network_gbps;
  std::optional<Price> price;  ///< the newest dated entry
};

struct Provider {
  std::string name, kind, website, billing, strengths, weaknesses, residency, source, as_of;
};

struct ModelEntry {
  std::string id, name, family, released, license, modality, source;
  std::optional<double> reported_parameters, reported_active;
  Fields config;
};

struct ExchangeRate {
  Currency from = Currency::usd, to = Currency::cny;
  double rate = 0;
  std::string date, source;
};

struct Source {
  std::string key, title, url, date, license, note;
};

/// A calibrated constant with its range and what supports it.
struct Constant {
  std::string name, unit, support, source, date;
  double value = 0, low = 0, high = 0;
};

struct Catalog {
  std::string date;
  std::vector<Accelerator> accelerators;
  std::vector<Provider> providers;
  std::vector<Offer> offers;
  std::vector<ModelEntry> models;
  std::vector<VisionNetwork> vision;  ///< empty unless the bundle was made with them
  std::vector<ExchangeRate> exchange_rates;
  std::vector<Source> sources;
  std::vector<Constant> constants;
  MemoryCalibration memory;
  double usable_share = 0;  ///< of marketed memory, for cards without a published reading

  [[nodiscard]] const ModelEntry* model(std::string_view id) const;
  [[nodiscard]] const Accelerator* accelerator(std::string_view id) const;
  [[nodiscard]] const Constant* constant(std::string_view name) const;
};

/// Parses the bundle that catalog/bundle.mjs writes.
/// Failure codes: catalog_not_json, catalog_version, catalog_field (with a path into the bundle).
Result<Catalog> parse_catalog(std::string_view text);

}  // namespace rigsizer
