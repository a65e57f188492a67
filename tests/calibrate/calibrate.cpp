// Fits the constants of training memory and the certainty of each kind of estimate to measured runs.
//
//   rigsizer_calibrate CATALOG.json TRAIN.json INFER.json prints what it fitted, as JSON
//   rigsizer_calibrate CATALOG.json ROWS.json --rows      prints each row's predictions with the constants as they are, of
//                                                         train.csv or infer.csv
//
// Constants: coordinate descent on the Huber loss of log(predicted / measured), over rows of high confidence. A source's
// rows were measured alike, so a source with n rows weighs the square root of n. Each constant stays within physical bounds.
// Certainty: from residuals of rows whose source the constants were fitted without (k folds by source), so that the bands
// hold on sources nobody has seen. Serving's constants are read off logs, not fitted, so its residuals need no folds.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "catalog/catalog.h"
#include "quantity/units.h"
#include "validate/serving_row.h"
#include "validate/training_row.h"

namespace rigsizer {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFolds = 10;
constexpr int kSweeps = 4;
/// Residuals beyond this log ratio count linearly: a run that was written down wrongly must not bend the rest.
constexpr double kHuber = 0.12;
/// Share of held-out rows that a band is to hold; above the promised 85 % for rows of sources unlike these.
constexpr double kHeld = 0.89;
/// Standard deviations a band reaches at least; serving's rows come from few sources.
constexpr double kLeastReach = 0.5;
constexpr double kLeastServingReach = 1;

struct Fitted {
  const char* name;
  double low, expected, high;
};
/// What is fitted, what the operations alone would give, and the bounds physics gives. A pull towards the expected value
/// keeps few or odd rows from carrying a constant away. Context and communication were read off directly and are left alone.
constexpr std::array kFitted{
    Fitted{"train_slack_share", 0, 0.05, 0.12},   Fitted{"train_slack_variable_share", 0, 0.5, 1},
    Fitted{"train_eager_scale", 0.8, 1, 1.2},     Fitted{"train_compiled_scale", 0.8, 1, 1.2},
    Fitted{"train_fused_scale", 0.8, 1, 1.2},     Fitted{"train_quantised_input_scale", 0, 0.75, 1.5},
    Fitted{"train_eager_logit_bytes", 8, 16, 20}, Fitted{"train_compiled_logit_bytes", 4, 10, 16},
    Fitted{"train_fused_logit_bytes", 2, 6, 12},  Fitted{"train_fused_loss_bytes_per_hidden", 2, 6, 12},
    Fitted{"train_overlap_share", 0, 0.5, 1},     Fitted{"train_product_gradient_bytes", 0, 4, 8},
};

struct Run {
  TrainingCase wanted;
  std::string id, source;
  double measured_bytes = 0;
  double weight = 1;
  int fold = 0;
};

double& constant(MemoryConstants& constants, std::string_view name) {
  for (const ConstantName& known : kMemoryConstantNames) {
    if (known.name == name) return constants.*known.member;
  }
  std::cerr << "no constant " << name << '\n';
  std::exit(2);
}

double log_error(const Run& run, const MemoryCalibration& calibration) {
  return std::log(predicted_peak(run.wanted, calibration).value / run.measured_bytes);
}

double huber(double error) {
  const double size = std::abs(error);
  return size <= kHuber ? 0.5 * error * error : kHuber * (size - 0.5 * kHuber);
}

/// Weight of the pull, in runs that stand alone in their source.
constexpr double kPull = 0.5;

double pull(const MemoryConstants& constants) {
  double sum = 0;
  for (const Fitted& fitted : kFitted) {
    for (const ConstantName& known : kMemoryConstantNames) {
      if (known.name != fitted.name) continue;
      const double off = (constants.*known.member - fitted.expected) / (fitted.high - fitted.low);
      sum += off * off;
    }
  }
  return kPull * sum;
}

/// Over the runs outside `held_out`; -1 holds none out.
double loss(const std::vector<Run>& runs, const MemoryCalibration& calibration, int held_out) {
  double sum = pull(calibration.value);
  for (const Run& run : runs) {
    if (run.fold != held_out) sum += run.weight * huber(log_error(run, calibration));
  }
  return sum;
}

/// Least loss along one constant: a grid, then golden section around its best point.
double best_value(const std::vector<Run>& runs, MemoryCalibration calibration, const Fitted& fitted, int held_out) {
  double& value = constant(calibration.value, fitted.name);
  const auto at = [&](double x) {
    value = x;
    return loss(runs, calibration, held_out);
  };
  constexpr int kGrid = 8;
  const double step = (fitted.high - fitted.low) / kGrid;
  double best = fitted.low;
  double least = at(best);
  for (int i = 1; i <= kGrid; ++i) {
    const double here = at(fitted.low + i * step);
    if (here < least) least = here, best = fitted.low + i * step;
  }
  double low = std::max(fitted.low, best - step);
  double high = std::min(fitted.high, best + step);
  for (int i = 0; i < 14; ++i) {
    const double a = high - 0.618 * (high - low);
    const double b = low + 0.618 * (high - low);
    if (at(a) <= at(b))
      high = b;
    else
      low = a;
  }
  const double middle = (low + high) / 2;
  return at(middle) <= least ? middle : best;
}

MemoryCalibration fit(const std::vector<Run>& runs, MemoryCalibration calibration, int held_out) {
  // From the expected values, so that the result does not hang on what the catalog holds already.
  for (const Fitted& fitted : kFitted) constant(calibration.value, fitted.name) = fitted.expected;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (const Fitted& fitted : kFitted) constant(calibration.value, fitted.name) = best_value(runs, calibration, fitted, held_out);
  }
  return calibration;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

struct Reach {
  double below = 0, above = 0;
};

/// The shortest reach, in standard deviations to either side, that holds a share of the distances. No wider than it must be:
/// equal tails would let the few runs that lie far above stretch every band.
/// Nor shorter than `least`, which a few lucky rows might suggest.
Reach shortest_reach(const std::vector<double>& distances, double held, double least) {
  constexpr int kSteps = 50;
  Reach best{1e9, 1e9};
  for (int i = 0; i <= kSteps; ++i) {
    const double tail = (1 - held) * i / kSteps;
    const Reach reach{std::max(least, -quantile(distances, tail)), std::max(least, quantile(distances, tail + held))};
    if (reach.below + reach.above < best.below + best.above) best = reach;
  }
  return best;
}

/// Three significant digits: more would claim a precision that no fit has, and would differ between machines.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return std::strtod(text, nullptr);
}

Json summary(const std::vector<double>& errors_pct) {
  std::vector<double> sizes;
  double sum = 0;
  for (const double error : errors_pct) sizes.push_back(std::abs(error)), sum += error;
  return {{"n", errors_pct.size()},
          {"median_abs_pct", rounded(quantile(sizes, 0.5))},
          {"p90_abs_pct", rounded(quantile(sizes, 0.9))},
          {"bias_pct", rounded(errors_pct.empty() ? 0 : sum / static_cast<double>(errors_pct.size()))}};
}

std::vector<Row> read_rows(const char* path) {
  std::ifstream file{path};
  std::vector<Row> rows;
  for (const Json& row : Json::parse(file)) rows.emplace_back(row.get<Row::Cells>());
  return rows;
}

void print_serving(const Catalog& catalog, const Row& row) {
  for (const Comparison& one : compare_serving(catalog, row)) {
    std::printf("%s\t%s\t%s\t%s\t%.3f\t", one.id.c_str(), one.source.c_str(), one.kind.c_str(), one.confidence.c_str(), one.measured);
    if (one.predicted)
      std::printf("%.3f\t%.3f\t%.3f\t%.1f\t%s\t\n", one.predicted->value, one.predicted->low, one.predicted->high, one.error_pct(),
                  one.metric.c_str());
    else
      std::printf("\t\t\t%s\t%s\t%s\n", one.ours ? "ours" : "row", one.metric.c_str(), one.skipped.c_str());
  }
}

int print_rows(const Catalog& catalog, const std::vector<Row>& rows) {
  std::printf("id\tsource\tkind\tconfidence\tmeasured\tpredicted\tlow\thigh\terror_pct\tmoment or metric\tlines or why not\n");
  for (const Row& row : rows) {
    if (row.has("engine")) {
      print_serving(catalog, row);
      continue;
    }
    for (const Comparison& one : compare_training(catalog, row)) {
      std::printf("%s\t%s\t%s\t%s\t%.3f\t", one.id.c_str(), one.source.c_str(), one.kind.c_str(), one.confidence.c_str(), one.measured);
      if (!one.predicted) {
        std::printf("\t\t\t\t%s\t%s\n", one.ours ? "ours" : "row", one.skipped.c_str());
        continue;
      }
      std::printf("%.3f\t%.3f\t%.3f\t%.1f\t", one.predicted->value, one.predicted->low, one.predicted->high, one.error_pct());
      const Result<TrainingCase> wanted = training_case(catalog, row);
      const TrainingMemory memory = training_memory(wanted->sizes, wanted->task, wanted->job, wanted->layout, catalog.memory);
      std::printf("%d\t", static_cast<int>(memory.moment));
      for (std::size_t i = 0; i < kLineCount; ++i) {
        const double gib = memory.lines.value.bytes.at(i) / kGib;
        if (gib > 0.005) std::printf("%s %.2f ", std::string{kLineNames.at(i)}.c_str(), gib);
      }
      std::printf("\n");
    }
  }
  return 0;
}

std::vector<Run> runs_of(const Catalog& catalog, const std::vector<Row>& rows) {
  std::vector<Run> runs;
  std::map<std::string, int> of_source;
  for (const Row& row : rows) {
    const auto measured = row.number("measured_peak_mem_gib");
    if (!measured || row.text("confidence") != "high") continue;
    Result<TrainingCase> wanted = training_case(catalog, row);
    if (!wanted) continue;
    runs.push_back({.wanted = *wanted, .id = row.text("id"), .source = row.text("source_key"), .measured_bytes = *measured * kGib});
    ++of_source[runs.back().source];
  }
  // Sources are dealt to the folds from the largest to the smallest, each to the emptiest fold.
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [source, count] : of_source) order.emplace_back(-count, source);
  std::sort(order.begin(), order.end());
  std::array<int, kFolds> held{};
  std::map<std::string, int> fold_of;
  for (const auto& [negative, source] : order) {
    const auto emptiest = std::min_element(held.begin(), held.end()) - held.begin();
    held.at(static_cast<std::size_t>(emptiest)) -= negative;
    fold_of[source] = static_cast<int>(emptiest);
  }
  for (Run& run : runs) {
    run.weight = 1 / std::sqrt(static_cast<double>(of_source[run.source]));
    run.fold = fold_of[run.source];
  }
  return runs;
}

/// Standard deviations that a held-out run lies from its prediction.
double deviations(const Run& run, MemoryCalibration calibration) {
  Certainty& certainty = calibration.certainty.at(static_cast<std::size_t>(training_kind(run.wanted.task)));
  certainty.reach_below = certainty.reach_above = 1;
  const Band peak = predicted_peak(run.wanted, calibration);
  const double above = run.measured_bytes - peak.value;
  const double one = above > 0 ? peak.high - peak.value : peak.value - peak.low;
  return one > 0 ? above / one : 0;
}

struct Residuals {
  std::vector<double> errors_pct, distances;
};

/// Of serving rows, in standard deviations of what a band is built from. Bytes of cached values are definitions, so those of
/// llama.cpp, which reserves just them, say nothing of certainty; a pool is what is left, so its errors lie the other way.
std::map<EstimateKind, Residuals> serving_residuals(Catalog catalog, const std::vector<Row>& rows) {
  for (const EstimateKind kind : {EstimateKind::serve_paged, EstimateKind::serve_llama_cpp, EstimateKind::serve_plain}) {
    Certainty& certainty = catalog.memory.certainty.at(static_cast<std::size_t>(kind));
    certainty.reach_below = certainty.reach_above = 1;
  }
  std::map<EstimateKind, Residuals> all;
  for (const Row& row : rows) {
    for (const Comparison& one : compare_serving(catalog, row)) {
      if (!one.predicted || one.confidence != "high" || one.predicted->high <= one.predicted->value) continue;
      const auto named = std::find(kEstimateKindNames.begin(), kEstimateKindNames.end(), one.kind);
      const auto kind = static_cast<EstimateKind>(named - kEstimateKindNames.begin());
      const bool of_cache = one.metric.rfind("kv_", 0) == 0;
      if (one.metric == "weights_gib" || (kind == EstimateKind::serve_llama_cpp && of_cache)) continue;
      const double above = one.measured - one.predicted->value;
      const double distance = above / (above > 0 ? one.predicted->high - one.predicted->value : one.predicted->value - one.predicted->low);
      all[kind].errors_pct.push_back(one.error_pct());
      all[kind].distances.push_back(of_cache ? -distance : distance);
    }
  }
  return all;
}

int print_fit(const Catalog& catalog, const std::vector<Row>& rows, const std::vector<Row>& serving_rows) {
  const std::vector<Run> runs = runs_of(catalog, rows);
  std::map<EstimateKind, std::vector<double>> errors, distances;
  for (int fold = 0; fold < kFolds; ++fold) {
    const MemoryCalibration without = fit(runs, catalog.memory, fold);
    for (const Run& run : runs) {
      if (run.fold != fold) continue;
      const EstimateKind kind = training_kind(run.wanted.task);
      errors[kind].push_back(100 * (std::exp(log_error(run, without)) - 1));
      distances[kind].push_back(deviations(run, without));
    }
  }
  MemoryCalibration fitted = fit(runs, catalog.memory, -1);
  Json out;
  for (const Fitted& one : kFitted) {
    out["constants"][one.name] = rounded(constant(fitted.value, one.name));
    out["bounds"][one.name] = {{"low", one.low}, {"high", one.high}};
  }
  std::vector<double> all;
  for (const auto& [kind, distance] : distances) {
    const std::string name{kEstimateKindNames.at(static_cast<std::size_t>(kind))};
    out["held_out"][name] = summary(errors[kind]);
    const Reach reach = shortest_reach(distance, kHeld, kLeastReach);
    out["reach"][name] = {{"below", rounded(reach.below)}, {"above", rounded(reach.above)}};
    all.insert(all.end(), errors[kind].begin(), errors[kind].end());
  }
  out["held_out"]["all"] = summary(all);
  for (const auto& [kind, residuals] : serving_residuals(catalog, serving_rows)) {
    const std::string name{kEstimateKindNames.at(static_cast<std::size_t>(kind))};
    out["serving"][name] = summary(residuals.errors_pct);
    const Reach reach = shortest_reach(residuals.distances, kHeld, kLeastServingReach);
    out["reach"][name] = {{"below", rounded(reach.below)}, {"above", rounded(reach.above)}};
  }
  std::vector<double> inside;
  for (const Run& run : runs) inside.push_back(100 * (std::exp(log_error(run, fitted)) - 1));
  out["fitted_on"] = summary(inside);
  std::cout << out.dump(2) << '\n';
  return 0;
}

int main(int count, char** arguments) {
  if (count < 4) {
    std::cerr << "usage: rigsizer_calibrate CATALOG.json TRAIN.json INFER.json | CATALOG.json ROWS.json --rows\n";
    return 2;
  }
  std::ifstream file{arguments[1]};
  std::stringstream text;
  text << file.rdbuf();
  const Result<Catalog> catalog = parse_catalog(text.str());
  if (!catalog) {
    std::cerr << catalog.failure().message << '\n';
    return 1;
  }
  const std::vector<Row> rows = read_rows(arguments[2]);
  return std::string_view{arguments[3]} == "--rows" ? print_rows(*catalog, rows) : print_fit(*catalog, rows, read_rows(arguments[3]));
}

}  // namespace
}  // namespace rigsizer

int main(int count, char** arguments) { return rigsizer::main(count, arguments); }
