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

namespace rigsizer {
namespace {

using Row = std::map<std::string, std::string>;

const std::map<std::string, Row>& rows() {
  static const std::map<std::string, Row> all = [] {
    std::map<std::string, Row> read;
    for (const char* const file : {"tests/measured/train.csv", "tests/measured/infer.csv"}) {
      std::istringstream lines{test::read_source(file)};
      std::string line;
      std::getline(lines, line);
      const std::vector<std::string> names = test::split_csv(line);
      while (std::getline(lines, line)) {
        const std::vector<std::string> cells = test::split_csv(line);
        Row row;
        for (std::size_t i = 0; i < cells.size() && i < names.size(); ++i) row[names[i]] = cells[i];
        read[row["id"]] = row;
      }
    }
    return read;
  }();
  return all;
}

double figure(const std::string& id, const std::string& column) {
  const Row& row = rows().at(id);
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
    {"weights INF1937", "Qwen's GPTQ files run 2 to 4 % above the format's definition; the table does not say what the rest is"},
    {"cache INF0005", "the pool is printed by one worker, the tokens are the least over all; the same model in SGLang (INF0006) agrees"},
    {"cache INF0251", "this version pads the ten global layers' pages to the size of a windowed layer's: 60 x 16,384 B"},
    {"training TRN0261", "LoRA on attention only keeps less, but of the activation paths only the gated one is cut for it, not the LayerNorm one"},
    {"training TRN0263", "as TRN0261, at four sequences"},
    {"training TRN0300", "the peak includes the moment before sharding, when each process holds the whole model"},
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

/// What a table or a log calls its format, as the engine names it. GPTQ and AWQ with groups of 128 store alike.
WeightFormat format_named(const std::string& name) {
  if (name.starts_with("awq4") || name.starts_with("gptq4")) return WeightFormat::int4;
  if (name == "gptq8") return WeightFormat::int8;
  if (name == "fp8") return WeightFormat::fp8;
  if (name == "mxfp4") return WeightFormat::mxfp4;
  EXPECT_EQ(name, "bf16");
  return WeightFormat::bf16;
}

MemoryLines serving(const std::string& id, double context_tokens) {
  const Row& row = rows().at(id);
  const int tensor = row.at("tp").empty() ? 1 : std::stoi(row.at("tp"));
  const ServingJob job{.weight_format = format_named(row.at("weight_format")), .context_tokens = context_tokens};
  return serving_memory(test::sizes(row.at("model_id")), job, {.accelerators = tensor, .tensor_parallel = tensor}, test::catalog().memory).value;
}

// Weights of one GPU as vLLM logs them at start, and the bytes of a checkpoint.
TEST(MemoryMeasured, WeightsOfServersAreWithin3Percent) {
  std::vector<Compared> all;
  for (const std::string id : {"INF0004", "INF0009", "INF0010", "INF0012", "INF0083", "INF0089", "INF0251", "INF0255"}) {
    all.push_back({id, figure(id, "measured_weights_gib"), serving(id, 16)[Line::weights] / kGib});
  }
  report("weights", all, 3);
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
    const Row& row = rows().at(id);
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

struct TrainingRow {
  std::string id;
  Task task;
  TrainingJob job;  ///< what the columns do not hold as a number: precision, loss, targets, recomputation
};

/// Numbers come from the row; `reserved` includes the allocator's slack, `allocated` does not, neither the context.
Compared compare(const TrainingRow& wanted) {
  const Row& row = rows().at(wanted.id);
  TrainingJob job = wanted.job;
  job.micro_batch = figure(wanted.id, "micro_batch_per_gpu");
  job.sequence_tokens = figure(wanted.id, "seq_len");
  job.accumulation_steps = row.at("grad_accum").empty() ? 1 : figure(wanted.id, "grad_accum");
  if (wanted.task != Task::full) job.lora_rank = figure(wanted.id, "lora_rank");
  const std::string& recompute = row.at("grad_checkpointing");
  job.recompute = recompute == "full" ? Recompute::full : recompute == "selective" ? Recompute::selective : Recompute::none;
  const int count = std::stoi(row.at("gpu_count"));
  Layout layout{.accelerators = count, .data_parallel = count};
  if (count > 1) layout.shards = row.at("parallelism") == "ddp" ? Layout::Shards::ddp : Layout::Shards::full;

  const MemoryConstants& constants = test::catalog().memory.value;
  const MemoryLines lines = training_memory(test::sizes(row.at("model_id")), wanted.task, job, layout, test::catalog().memory).lines.value;
  const double allocated = lines.total() - lines[Line::overhead];
  const bool slack = row.at("mem_kind") != "allocated";
  return {wanted.id, figure(wanted.id, "measured_peak_mem_gib"), allocated * (slack ? 1 + constants.allocator_slack : 1) / kGib};
}

std::vector<TrainingRow> training_rows() {
  constexpr auto kMixed = Precision::bf16_mixed;
  constexpr auto kPure = Precision::bf16_pure;
  constexpr auto kAttention = LoraTargets::attention;
  std::vector<TrainingRow> all;
  // LitGPT, "bf16-true", LoRA on q and v, the first step forced to the longest sample. Its chunked loss splits the logits
  // but keeps every chunk, so it is plain here.
  for (const char* const id : {"TRN0259", "TRN0262", "TRN0263", "TRN0269", "TRN0272", "TRN0274"}) {
    all.push_back({id, Task::lora, {.precision = kPure, .lora_targets = kAttention}});
  }
  for (const char* const id : {"TRN0261", "TRN0271", "TRN0276"}) all.push_back({id, Task::qlora, {.precision = kPure, .lora_targets = kAttention}});
  all.push_back({"TRN0300", Task::lora, {.precision = kPure, .lora_targets = kAttention}});
  // PEFT's MetaMathQA comparison: 16-bit base, adapters in fp32; the full run is all bf16.
  all.push_back({"TRN0967", Task::full, {.precision = kPure}});
  for (const char* const id : {"TRN0977", "TRN0978", "TRN0979"}) all.push_back({id, Task::lora, {.precision = kMixed, .lora_targets = kAttention}});
  // torchtitan and torchao: fp32 master weights under FSDP2, per-op selective recomputation.
  for (const char* const id : {"TRN0352", "TRN0353", "TRN0805"}) all.push_back({id, Task::full, {.precision = kMixed}});
  // fsdp_qlora: everything in bf16, rank 64 on all linears.
  for (const char* const id : {"TRN0855", "TRN0859", "TRN0862"}) all.push_back({id, Task::lora, {.precision = kPure}});
  for (const char* const id : {"TRN0854", "TRN0857", "TRN0858", "TRN0861"}) all.push_back({id, Task::qlora, {.precision = kPure}});
  // ms-swift: where the cut-off lies far below the mean length, every sequence is full.
  for (const char* const id : {"TRN0761", "TRN0766"}) all.push_back({id, Task::full, {.precision = kPure}});
  all.push_back({"TRN0779", Task::lora, {.precision = kMixed, .lora_targets = kAttention}});
  all.push_back({"TRN0785", Task::lora, {.precision = kMixed, .lora_targets = kAttention}});
  // Qwen's README: LoRA over GPTQ weights in fp16, adapters in fp32.
  for (const char* const id : {"TRN0698", "TRN0700"}) all.push_back({id, Task::qlora, {.precision = Precision::fp16_mixed}});
  // Hugging Face trainer with FSDP over fp32 weights, with and without Liger's fused loss.
  all.push_back({"TRN1077", Task::full, {.precision = kMixed}});
  all.push_back({"TRN1079", Task::full, {.precision = kMixed, .loss = Loss::fused}});
  return all;
}

TEST(MemoryMeasured, TrainingPeaksAreWithin25Percent) {
  std::vector<Compared> all;
  for (const TrainingRow& row : training_rows()) all.push_back(compare(row));
  report("training", all, 25);
}

}  // namespace
}  // namespace rigsizer
