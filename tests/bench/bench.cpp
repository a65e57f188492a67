// How long one evaluation takes, natively. bench.mjs runs this beside the same loops over the wasm build.
//
// The inner loops (one estimate, one layout) exist only here; those named api_* go through the engine's JSON face, which
// is what the wasm build offers too, so that their ratio compares equal work.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "api/engine.h"
#include "catalog/catalog.h"
#include "memory/serving.h"
#include "memory/training.h"
#include "model/reader.h"
#include "search/plan.h"

namespace {

using namespace rigsizer;  // NOLINT: a program, not a header

const std::string& catalog_text() {
  static const std::string text = [] {
    const char* const path = std::getenv("RIGSIZER_TEST_CATALOG");
    std::ifstream file{path != nullptr ? path : RIGSIZER_TEST_CATALOG, std::ios::binary};
    std::ostringstream read;
    read << file.rdbuf();
    return read.str();
  }();
  return text;
}

const Catalog& catalog() {
  static const Result<Catalog> parsed = parse_catalog(catalog_text());
  if (!parsed) std::abort();
  return *parsed;
}

const Engine& engine() {
  static const Engine engine{catalog_text()};
  return engine;
}

ModelSizes sizes(const char* id) {
  const ModelEntry* entry = catalog().model(id);
  if (entry == nullptr) std::abort();
  return sizes_of(*read_architecture(entry->config));
}

void serving_estimate(benchmark::State& state) {
  const ModelSizes model = sizes("llama-3-70b");
  const Layout layout{.accelerators = 8, .tensor_parallel = 8};
  ServingJob job;
  for (auto step : state) {
    job.context_tokens = job.context_tokens == 8192 ? 4096 : 8192;
    benchmark::DoNotOptimize(serving_memory(model, job, layout, catalog().memory).total());
  }
}
BENCHMARK(serving_estimate);

void training_estimate(benchmark::State& state) {
  const ModelSizes model = sizes("llama-3-70b");
  const Layout layout{.accelerators = 8, .data_parallel = 8, .shards = Layout::Shards::full};
  TrainingJob job;
  for (auto step : state) {
    job.sequence_tokens = job.sequence_tokens == 2048 ? 4096 : 2048;
    benchmark::DoNotOptimize(training_memory(model, Task::full, job, layout, catalog().memory).lines.total());
  }
}
BENCHMARK(training_estimate);

/// Time is per layout: a machine of 8 H100 has four for serving.
void layout_search(benchmark::State& state) {
  const ModelSizes model = sizes("llama-3-70b");
  const Job job;
  std::int64_t evaluated = 0;
  for (auto step : state) {
    for (const Layout& layout : layouts_for(model, job, 8)) {
      benchmark::DoNotOptimize(layout_memory(model, job, layout, catalog().memory));
      ++evaluated;
    }
  }
  state.SetItemsProcessed(evaluated);
}
BENCHMARK(layout_search);

/// Layouts that fit_shape evaluates over all shapes: it stops at the first that fits.
std::int64_t layouts_evaluated(const ModelSizes& model, const Job& job) {
  std::int64_t evaluated = 0;
  for (const Shape& shape : index_shapes(catalog()).shapes) {
    if (shape.count == 0 || shape.candidates.empty() || !shape.usable_bytes) continue;
    for (const Layout& layout : layouts_for(model, job, std::max(1, static_cast<int>(shape.count)))) {
      ++evaluated;
      if (verdict_of(layout_memory(model, job, layout, catalog().memory).lines.total(), *shape.usable_bytes) == Verdict::fits) break;
    }
  }
  return evaluated;
}

/// The search through the JSON face with every offer filtered away, so that shapes and their layouts are what is left.
void api_layout_search(benchmark::State& state) {
  const std::string request = R"({"model":"llama-3-70b","task":"serve","filter":{"min_count":4096,"max_count":4096}})";
  if (engine().plan(request).starts_with("{\"error\"")) std::abort();
  for (auto step : state) benchmark::DoNotOptimize(engine().plan(request));
  state.counters["layouts"] = static_cast<double>(layouts_evaluated(sizes("llama-3-70b"), {}));
}
BENCHMARK(api_layout_search)->Unit(benchmark::kMicrosecond);

/// The search alone, without JSON.
void plan_search(benchmark::State& state) {
  const ModelSizes model = sizes("llama-3-70b");
  const ShapeIndex index = index_shapes(catalog());
  PlanQuery query;
  query.filter.max_count = 8;
  for (auto step : state) benchmark::DoNotOptimize(make_plan(catalog(), index, model, query).offers.size());
}
BENCHMARK(plan_search)->Unit(benchmark::kMicrosecond);

void call_estimate(benchmark::State& state, const char* request) {
  if (engine().estimate(request).starts_with("{\"error\"")) std::abort();
  for (auto step : state) benchmark::DoNotOptimize(engine().estimate(request));
}
BENCHMARK_CAPTURE(call_estimate, serving, R"({"model":"llama-3-70b","task":"serve","accelerator":"H100-SXM","count":8})")
    ->Name("api_serving_estimate");
BENCHMARK_CAPTURE(call_estimate, training, R"({"model":"llama-3-70b","task":"full","accelerator":"H100-SXM","count":8})")
    ->Name("api_training_estimate");

void plan_single_node(benchmark::State& state) {
  const std::string request = R"({"model":"llama-3-70b","task":"serve","filter":{"max_count":8}})";
  if (engine().plan(request).starts_with("{\"error\"")) std::abort();
  for (auto step : state) benchmark::DoNotOptimize(engine().plan(request));
}
BENCHMARK(plan_single_node)->Unit(benchmark::kMicrosecond);

void load_catalog(benchmark::State& state) {
  for (auto step : state) {
    const Engine fresh{catalog_text()};
    benchmark::DoNotOptimize(&fresh);
  }
}
BENCHMARK(load_catalog)->Unit(benchmark::kMicrosecond);

void describe_config(benchmark::State& state) {
  const std::string request =
      R"({"model":{"config":{"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,)"
      R"("intermediate_size":14336,"vocab_size":128256,"max_position_embeddings":8192}}})";
  if (engine().describe(request).starts_with("{\"error\"")) std::abort();
  for (auto step : state) benchmark::DoNotOptimize(engine().describe(request));
}
BENCHMARK(describe_config);

}  // namespace

BENCHMARK_MAIN();
