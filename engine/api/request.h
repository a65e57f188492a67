// Requests: JSON text in, values out, every default that was filled in said.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/json_reader.h"
#include "model/census.h"
#include "search/plan.h"

namespace rigsizer {

/// A default that was filled in. `why` is a code: default, published_format, model_maximum.
struct Assumption {
  std::string path;
  std::variant<double, std::string> value;
  std::string why;
};

struct ResolvedModel {
  const ModelEntry* entry = nullptr;  ///< nullptr for a pasted config
  Architecture architecture;
  Census census;
  ModelSizes sizes;
  [[nodiscard]] std::string source() const { return entry == nullptr ? "config.json given in the request" : entry->source; }
};

struct WorkloadRequest {
  ResolvedModel model;
  Job job;
  std::vector<Assumption> assumed;
};

struct PlanRequest {
  WorkloadRequest workload;
  PlanQuery query;  ///< its job is the workload's
  std::vector<ExchangeRate> rates_used;
};

/// Prices alone: a query without a job.
struct OffersRequest {
  PlanQuery query;
  std::vector<ExchangeRate> rates_used;
};

struct EstimateRequest {
  WorkloadRequest workload;
  int accelerator = 0;
  int count = 1;
};

struct DescribeRequest {
  ResolvedModel model;
  std::vector<double> contexts;
};

/// Failure codes of all: request_not_json, request_field, request_range, request_unknown_field, request_choice,
/// unknown_model, unknown_accelerator, and those of read_architecture.
Result<PlanRequest> read_plan_request(const Catalog& catalog, std::string_view text);
Result<OffersRequest> read_offers_request(const Catalog& catalog, std::string_view text);
Result<EstimateRequest> read_estimate_request(const Catalog& catalog, std::string_view text);
Result<DescribeRequest> read_describe_request(const Catalog& catalog, std::string_view text);

/// Why plan and estimate refuse vision networks and diffusion pipelines.
Failure no_estimate(const Architecture& model);

}  // namespace rigsizer
