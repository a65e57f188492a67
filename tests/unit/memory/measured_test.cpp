// Predictions beside published measurements (tests/measured/*.csv), each row mapped to a job by what it states.
//
// Figures are read from the CSV by row id, never copied. A row outside its tolerance is not left out: it stands in
// kKnownMisses with what the row leaves unsaid or the model does not describe, and must keep missing to stay there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

#include "memory/serving.h"
#include "memory/training.h"
#include "quantity/units.h"
#include "reference/test_data.h"
#include "validate/serving_row.h"
#include "validate/stated_format.h"
#include "validate/training_row.h"

namespace rigsizer {
namespace {

using Cells = std::map<std::string, std::string>;

const std::map<std::string, Cells>& rows() {
  static const std::map<std::string, Cells> all = [] {
    std::map<std::string, Cells> read;
    for (const char* const file : {"tests/measured/train.csv", "tests/measured/infer.csv"}) {
      std::istringstream lines{test::read_source(file)};
      std::string line;
      std::getline(lines, line);
      const std::vector<std::string> names = test::split_csv(line);
      while (std::getline(lines, line)) {
        const std::vector<std::string> cells = test::split_csv(line);
        Cells row;
        for (std::size_t i = 0; i < cells.size() && i < names.size(); ++i) row[names[i]] = cells[i];
        read[row["id"]] = row;
      }
    }
    return read;
  }();
  return all;
}

double figure(const std::string& id, const std::string& column) {
  const Cells& row = rows().at(id);
  const std::string& cell = row.at(column);
  EXPECT_NE(cell, "") << id << " has no " << column;
  return std::strtod(cell.c_str(), nullptr);
}

struct Compared {
  std::string id;
  double measured = 0;
  double predicted = 0;
  [[nodiscard]] double error_pct() const { return 100 * (predicted - measured) / measured; }
};

const std::map<std::string, std::string> kKnownMisses{
    {"training TRN0300", "the peak includes the moment before sharding, when each process holds the whole model"},
    {"weights INF1937", "Qwen's GPTQ files run 2 to 4 % above the format's definition; the table does not say what the rest is"},
    {"cache INF0005", "the pool is printed by one worker, the tokens are the least over all; the same model in SGLang (INF0006) agrees"},
    {"cache INF0251", "this version pads the ten global layers' pages to the size of a windowed layer's: 60 x 16,384 B"},
};

/// `kind` and row id together name a known miss: a row may miss in one figure and hit in another.
void report(const std::string& kind, std::vector<Compared> all, double tolerance_pct) {
  std::sort(all.begin(), all.end(), [](const Compared& a, const Compared& b) { return std::abs(a.error_pct()) < std::abs(b.error_pct()); });
  for (const Compared& one : all) {
    const bool known = kKnownMisses.contains(kind + " " + one.id);
    std::printf("  %-8s %-24s measured %9.3f  predicted %9.3f  %+6.1f %%%s\n", one.id.c_str(), rows().at(one.id).at("source_key").c_str(),
                one.measured, one.predicted, one.error_pct(), known ? "  (known miss)" : "");
    if (known) {
      EXPECT_GT(std::abs(one.error_pct()), tolerance_pct) << one.id << " no longer misses: take it off the list";
    } else {
      EXPECT_LE(std::abs(one.error_pct()), tolerance_pct) << one.id;
    }
  }
  std::printf("%s: %zu rows, median %.1f %%, worst %+.1f %% (%s)\n", kind.c_str(), all.size(), std::abs(all[all.size() / 2].error_pct()),
              all.back().error_pct(), all.back().id.c_str());
}

// ---- weights ----

MemoryLines serving(const std::string& id, double context_tokens) {
  const Cells& row = rows().at(id);
  const int tensor = row.at("tp").empty() ? 1 : std::stoi(row.at("tp"));
  const ModelSizes sizes = test::sizes(row.at("model_id"), stated_format(row.at("weight_format")).value());
  return serving_memory(sizes, {.context_tokens = context_tokens}, {.accelerators = tensor, .tensor_parallel = tensor}, test::catalog().memory).value;
}

// Weights of one GPU as vLLM logs them at start, and the bytes of a checkpoint.
TEST(MemoryMeasured, WeightsOfServersAreWithin3Percent) {
  std::vector<Compared> all;
  for (const std::string id : {"INF0004", "INF0009", "INF0010", "INF0012", "INF0083", "INF0089", "INF0251", "INF0255"}) {
    all.push_back({id, figure(id, "measured_weights_gib"), serving(id, 16)[Line::weights] / kGib});
  }
  report("weights", all, 3);
}

// Every row of high confidence that states weights, through the row reader: most are GGUF files.
TEST(MemoryMeasured, WeightsOfRows) {
  std::vector<double> errors_pct;
  std::vector<std::string> ours;
  std::size_t skipped = 0;
  for (const auto& [id, cells] : rows()) {
    const Row row{Row::Cells{cells.begin(), cells.end()}};
    if (row.text("confidence") != "high") continue;
    for (const Comparison& one : compare_serving(test::catalog(), row)) {
      if (one.metric != "weights_gib") continue;
      if (one.predicted) {
        errors_pct.push_back(std::abs(one.error_pct()));
      } else {
        ++skipped;
        if (one.ours) ours.push_back(id + ": " + one.skipped);
      }
    }
  }
  std::sort(errors_pct.begin(), errors_pct.end());
  std::printf("weights of rows: %zu predicted, %zu skipped, median %.2f %%, worst %.1f %%\n", errors_pct.size(), skipped,
              errors_pct[errors_pct.size() / 2], errors_pct.back());
  EXPECT_GE(errors_pct.size(), 177U);
  EXPECT_LE(errors_pct[errors_pct.size() / 2], 0.1);
  EXPECT_LE(errors_pct[errors_pct.size() * 9 / 10], 1);
  EXPECT_LE(errors_pct.back(), 6);
  EXPECT_EQ(ours, std::vector<std::string>{}) << "formats that are not known";
}

// Qwen's tables: transformers at a prompt of one token, peak at the end of generation, so the cache of all tokens is in it.
TEST(MemoryMeasured, WeightsOfQwenTablesAreWithin3Percent) {
  std::vector<Compared> all;
  for (const std::string id : {"INF1693", "INF1723", "INF1724", "INF1725", "INF1753", "INF1754", "INF1783", "INF1785", "INF1813", "INF1935",
                               "INF1936", "INF1937", "INF1938", "INF1975", "INF1977", "INF2015", "INF2018", "INF2057", "INF2058", "INF2182"}) {
    const MemoryLines lines = serving(id, figure(id, "input_len") + figure(id, "output_len"));
    all.push_back({id, figure(id, "measured_total_gib"), (lines[Line::weights] + lines[Line::kv_cache]) / kGib});
  }
  report("weights", all, 3);
}

// ---- cache ----

// Servers print a pool and the tokens it holds: bytes per token of one GPU.
TEST(MemoryMeasured, CacheBytesPerTokenAreWithin1Percent) {
  std::vector<Compared> all;
  const auto add = [&](const std::string& id, double bytes_per_token) {
    all.push_back({id, figure(id, "measured_kv_gib") * kGib / figure(id, "measured_kv_tokens"), bytes_per_token});
  };
  const auto of = [](const std::string& id) {
    const Cells& row = rows().at(id);
    const int tensor = row.at("tp").empty() ? 1 : std::stoi(row.at("tp"));
    return 2 * kv_elements_per_rank(test::sizes(row.at("model_id")), 1, tensor);
  };
  // INF0004's pool is one worker's and its tokens the least of all workers: not the same GPU, so it says nothing here.
  for (const std::string id : {"INF0005", "INF0006", "INF0032", "INF0109", "INF0110", "INF0112", "INF0113"}) add(id, of(id));
  // These versions charge windowed layers like full ones.
  for (const std::string id : {"INF0008", "INF0251"}) add(id, 2 * kv_elements_all_layers(test::sizes(rows().at(id).at("model_id")), 1, 1));
  report("cache", all, 1);
}

// ---- training ----

double share_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// Every row of high confidence, read as a job by what it states. Bounds are where the model stands, a little above.
TEST(MemoryMeasured, TrainingPeaksOfHighConfidence) {
  std::vector<double> errors;
  std::map<std::string, std::vector<double>> of_kind;
  int inside = 0;
  int skipped = 0;
  int ours = 0;
  for (const auto& [id, cells] : rows()) {
    if (!id.starts_with("TRN") || cells.at("confidence") != "high") continue;
    for (const Comparison& one : compare_training(test::catalog(), Row{{cells.begin(), cells.end()}})) {
      if (!one.predicted) {
        ++skipped;
        ours += one.ours ? 1 : 0;
        continue;
      }
      errors.push_back(std::abs(one.error_pct()));
      of_kind[one.kind].push_back(errors.back());
      inside += one.predicted->low <= one.measured && one.measured <= one.predicted->high ? 1 : 0;
    }
  }
  ASSERT_GT(errors.size(), 200U);
  const double held = 100.0 * inside / static_cast<double>(errors.size());
  for (const auto& [kind, some] : of_kind)
    std::printf("  %s: %zu rows, median %.1f %%, 90th percentile %.1f %%\n", kind.c_str(), some.size(), share_of(some, 0.5), share_of(some, 0.9));
  std::printf("training: %zu rows, median %.1f %%, 90th percentile %.1f %%, band holds %.0f %%, %d skipped (%d ours)\n", errors.size(),
              share_of(errors, 0.5), share_of(errors, 0.9), held, skipped, ours);
  EXPECT_LE(share_of(errors, 0.5), 8);
  EXPECT_LE(share_of(errors, 0.9), 25);
  EXPECT_GE(held, 85);
  EXPECT_LE(ours, static_cast<int>(errors.size()) / 10);
}

// One or more of each source, row by row: an average can hide that one kind of run went wrong.
TEST(MemoryMeasured, TrainingPeaksAreWithin25Percent) {
  std::vector<Compared> all;
  for (const char* const id :
       {"TRN0259", "TRN0261", "TRN0262", "TRN0263", "TRN0269", "TRN0271", "TRN0272", "TRN0274", "TRN0276", "TRN0300", "TRN0352",
        "TRN0353", "TRN0698", "TRN0700", "TRN0761", "TRN0766", "TRN0779", "TRN0785", "TRN0805", "TRN0854", "TRN0855", "TRN0857",
        "TRN0858", "TRN0859", "TRN0861", "TRN0862", "TRN0967", "TRN0977", "TRN0978", "TRN0979", "TRN1077", "TRN1079"}) {
    Cells cells = rows().at(id);
    // Hugging Face's trainer holds the shards of a model loaded in bf16 in fp32, which the cell does not say.
    if (cells.at("source_key") == "liger-hf-example") cells["weight_dtype"] = "fp32 master";
    const std::vector<Comparison> compared = compare_training(test::catalog(), Row{{cells.begin(), cells.end()}});
    ASSERT_EQ(compared.size(), 1U) << id;
    ASSERT_TRUE(compared[0].predicted) << id << ": " << compared[0].skipped;
    all.push_back({id, compared[0].measured, compared[0].predicted->value});
  }
  report("training", all, 25);
}

}  // namespace
}  // namespace rigsizer
