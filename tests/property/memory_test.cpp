// What must hold whatever the job: asking for more never needs less, splitting further never needs more.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "memory/serving.h"
#include "memory/training.h"
#include "model/reader.h"
#include "reference/random_jobs.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::Random;

constexpr double kRounding = 1e-12;

double serving_total(const ModelSizes& sizes, const ServingJob& job, const Layout& layout = {}) {
  return serving_memory(sizes, job, layout, test::catalog().memory).value.total();
}
double training_total(const ModelSizes& sizes, Task task, const TrainingJob& job, const Layout& layout = {}) {
  return training_memory(sizes, task, job, layout, test::catalog().memory).lines.value.total();
}

/// `greater` must need at least what `less` needs.
void expect_no_less(double greater, double less, const std::string& what) { EXPECT_GE(greater, less * (1 - kRounding)) << what; }

/// Calls `check` with every supported model and a fresh serving job.
void for_serving(std::uint64_t seed, const std::function<void(const std::string&, const ModelSizes&, ServingJob, Layout)>& check) {
  Random random{seed};
  for (const std::string& id : test::supported_models()) {
    const ServingJob job = test::random_serving(random);
    check(id, test::sizes(id, test::random_weight_format(random)), job, test::random_serving_layout(random));
  }
}
void for_training(std::uint64_t seed, const std::function<void(const std::string&, const ModelSizes&, Task, TrainingJob, Layout)>& check) {
  Random random{seed};
  for (const std::string& id : test::supported_models()) {
    const Task task = test::random_training_task(random);
    const TrainingJob job = test::random_training(random);
    check(id, test::sizes(id), task, job, test::random_training_layout(random));
  }
}

TEST(PropertyMemory, MoreContextNeverNeedsLess) {
  for_serving(1, [](const std::string& id, const ModelSizes& sizes, ServingJob job, const Layout& layout) {
    double before = 0;
    for (const double tokens : {1, 16, 17, 100, 127, 128, 129, 1023, 1024, 1025, 4096, 10'000, 131'072}) {
      job.context_tokens = tokens;
      const double now = serving_total(sizes, job, layout);
      expect_no_less(now, before, id + " " + test::to_text(sizes, job, layout));
      before = now;
    }
  });
}

TEST(PropertyMemory, MoreConcurrencyNeverNeedsLess) {
  for_serving(2, [](const std::string& id, const ModelSizes& sizes, ServingJob job, const Layout& layout) {
    double before = 0;
    for (double sequences = 1; sequences < 2000; sequences = sequences * 1.7 + 1) {
      job.concurrency = std::floor(sequences);
      const double now = serving_total(sizes, job, layout);
      expect_no_less(now, before, id + " " + test::to_text(sizes, job, layout));
      before = now;
    }
  });
}

TEST(PropertyMemory, MoreRanksNeverNeedMorePerAccelerator) {
  for_serving(3, [](const std::string& id, const ModelSizes& sizes, const ServingJob& job, Layout layout) {
    double before = 1e300;
    for (const int ranks : {1, 2, 4, 8, 16, 32}) {
      layout.tensor_parallel = ranks;
      const double now = serving_total(sizes, job, layout);
      expect_no_less(before, now, id + " " + test::to_text(sizes, job, layout));
      before = now;
    }
  });
}

TEST(PropertyMemory, MoreReplicasNeverNeedMorePerAccelerator) {
  for_serving(4, [](const std::string& id, const ModelSizes& sizes, const ServingJob& job, Layout layout) {
    double before = 1e300;
    for (const int replicas : {1, 2, 3, 4, 8, 100}) {
      layout.data_parallel = replicas;
      const double now = serving_total(sizes, job, layout);
      expect_no_less(before, now, id + " " + test::to_text(sizes, job, layout));
      before = now;
    }
  });
}

TEST(PropertyMemory, QuantisingNeverGrowsTheLinears) {
  for (const std::string& id : test::supported_models()) {
    const Architecture model = test::model(id);
    const LayerWeightBytes whole = weight_bytes(model, WeightFormat::bf16).all_layers();
    for (const std::string& name : weight_format_names()) {
      const WeightFormat format = *parse_weight_format(name);
      // Files hold vectors, routers and the like in 32 bits, so only what is quantised is compared.
      if (format == WeightFormat::fp32 || name == "gguf:F32") continue;
      const LayerWeightBytes bytes = weight_bytes(model, format).all_layers();
      expect_no_less(whole.linear * 1.001, bytes.linear, id + " " + name);
      expect_no_less(whole.key_value * 1.001, bytes.key_value, id + " " + name);
    }
  }
}

TEST(PropertyMemory, AHeadUntiedByQuantisingIsAllThatCanGrow) {
  for (const std::string& id : test::supported_models()) {
    const auto weights = [&](const WeightFormat& format) { return test::sizes(id, format).weights.total(); };
    const double whole = weights(WeightFormat::bf16);
    const double head = 2 * test::sizes(id).tied_head;
    for (const std::string& name : weight_format_names()) {
      const WeightFormat format = *parse_weight_format(name);
      if (format.scheme == WeightScheme::gguf || format == WeightFormat::fp32) continue;
      expect_no_less((whole + head) * 1.001, weights(format), id + " " + name);
    }
    expect_no_less(weights(WeightFormat::fp8), weights(WeightFormat::int4), id);
    expect_no_less(weights(WeightFormat::int8), weights(WeightFormat::int4), id);
    expect_no_less(weights(WeightFormat::fp32), whole, id);
  }
}

TEST(PropertyMemory, ASmallerCacheFormatNeverNeedsMore) {
  for_serving(6, [](const std::string& id, const ModelSizes& sizes, ServingJob job, const Layout& layout) {
    job.kv_format = KvFormat::bf16;
    const double wide = serving_total(sizes, job, layout);
    job.kv_format = KvFormat::fp8;
    expect_no_less(wide, serving_total(sizes, job, layout), id);
  });
}

TEST(PropertyMemory, WindowsNeverCacheMoreThanAllLayers) {
  for (const std::string& id : test::supported_models()) {
    const ModelSizes sizes = test::sizes(id);
    for (const double tokens : {1.0, 129.0, 5000.0, 131'072.0}) {
      for (const int ranks : {1, 4}) {
        expect_no_less(kv_elements_all_layers(sizes, tokens, ranks), kv_elements_per_rank(sizes, tokens, ranks), id);
      }
    }
  }
}

TEST(PropertyMemory, MoreTokensInTrainingNeverNeedLess) {
  for_training(7, [](const std::string& id, const ModelSizes& sizes, Task task, TrainingJob job, const Layout& layout) {
    double before = 0;
    for (const double batch : {1, 2, 3, 5, 8, 32}) {
      job.micro_batch = batch;
      const double now = training_total(sizes, task, job, layout);
      expect_no_less(now, before, id + " " + test::to_text(task, job, layout));
      before = now;
    }
    for (const double tokens : {4096.0, 8192.0, 100'000.0}) {
      TrainingJob longer = job;
      longer.sequence_tokens = tokens;
      TrainingJob shorter = job;
      shorter.sequence_tokens = tokens / 2;
      expect_no_less(training_total(sizes, task, longer, layout), training_total(sizes, task, shorter, layout), id);
    }
  });
}

TEST(PropertyMemory, BatchTimesSequenceIsAllThatMatters) {
  for_training(8, [](const std::string& id, const ModelSizes& sizes, Task task, TrainingJob job, const Layout& layout) {
    job.micro_batch = 4;
    job.sequence_tokens = 1024;
    const double wide = training_total(sizes, task, job, layout);
    job.micro_batch = 1;
    job.sequence_tokens = 4096;
    EXPECT_DOUBLE_EQ(wide, training_total(sizes, task, job, layout)) << id;
  });
}

TEST(PropertyMemory, MoreShardsNeverNeedMorePerAccelerator) {
  for_training(9, [](const std::string& id, const ModelSizes& sizes, Task task, const TrainingJob& job, Layout layout) {
    layout.shards = Layout::Shards::full;
    double before = 1e300;
    for (const int count : {2, 4, 8, 16, 64}) {
      layout.accelerators = layout.data_parallel = count;
      const double now = training_total(sizes, task, job, layout);
      expect_no_less(before, now, id + " " + test::to_text(task, job, layout));
      before = now;
    }
  });
}

TEST(PropertyMemory, RecomputingMoreNeverNeedsMore) {
  for_training(10, [](const std::string& id, const ModelSizes& sizes, Task task, TrainingJob job, const Layout& layout) {
    const auto with = [&](Recompute recompute) {
      job.recompute = recompute;
      return training_total(sizes, task, job, layout);
    };
    expect_no_less(with(Recompute::none), with(Recompute::selective), id + " " + test::to_text(task, job, layout));
    expect_no_less(with(Recompute::selective), with(Recompute::full), id + " " + test::to_text(task, job, layout));
  });
}

TEST(PropertyMemory, AFusedLossNeverNeedsMore) {
  for_training(11, [](const std::string& id, const ModelSizes& sizes, Task task, TrainingJob job, const Layout& layout) {
    job.loss = Loss::plain;
    const double plain = training_total(sizes, task, job, layout);
    job.loss = Loss::fused;
    if (sizes.vocabulary * 16 < sizes.hidden * 6) return;
    expect_no_less(plain, training_total(sizes, task, job, layout), id);
  });
}

TEST(PropertyMemory, AHigherRankNeverNeedsLess) {
  for_training(12, [](const std::string& id, const ModelSizes& sizes, Task task, TrainingJob job, const Layout& layout) {
    job.lora_rank = 8;
    const double low = training_total(sizes, task, job, layout);
    job.lora_rank = 64;
    expect_no_less(training_total(sizes, task, job, layout), low, id);
    job.lora_targets = LoraTargets::all_linear;
    expect_no_less(adapter_parameters(sizes, job), adapter_parameters(sizes, {.lora_rank = 64, .lora_targets = LoraTargets::attention}), id);
  });
}

TEST(PropertyMemory, LoraNeedsNoMoreThanFullAndQloraNoMoreWeightsThanLora) {
  for_training(13, [](const std::string& id, const ModelSizes& sizes, Task, TrainingJob job, const Layout& layout) {
    job.lora_rank = 8;
    job.precision = Precision::bf16_mixed;
    const auto weights = [&](Task task) { return training_memory(sizes, task, job, layout, test::catalog().memory).lines.value[Line::weights]; };
    expect_no_less(weights(Task::full), weights(Task::lora), id);
    expect_no_less(weights(Task::lora), weights(Task::qlora), id);
  });
}

/// The same config with one number raised step by step.
void expect_growth(const char* base, const char* field, const std::vector<double>& steps) {
  double serving = 0;
  double training = 0;
  for (const double step : steps) {
    nlohmann::json config = nlohmann::json::parse(base);
    config[field] = step;
    const ModelSizes sizes = sizes_of(test::architecture(config.dump()));
    const double serving_now = serving_total(sizes, {});
    const double training_now = training_total(sizes, Task::full, {});
    expect_no_less(serving_now, serving, field);
    expect_no_less(training_now, training, field);
    serving = serving_now;
    training = training_now;
  }
}

TEST(PropertyMemory, ALargerModelNeverNeedsLess) {
  const char* const base =
      R"({"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8,
                               "intermediate_size": 8192, "vocab_size": 32000, "max_position_embeddings": 131072})";
  expect_growth(base, "num_hidden_layers", {1, 2, 3, 16, 80, 1000});
  expect_growth(base, "vocab_size", {1, 1000, 32'000, 128'256, 262'144});
  expect_growth(base, "intermediate_size", {1, 1000, 8192, 28'672});
  expect_growth(base, "num_key_value_heads", {1, 2, 4, 8, 16, 32});
  expect_growth(base, "head_dim", {16, 64, 128, 256});
}

}  // namespace
}  // namespace rigsizer
