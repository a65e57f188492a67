// The engine's formulas against the slow reference, on thousands of generated jobs over real models.
#include <gtest/gtest.h>

#include <cmath>

#include "explain/memory_lines.h"
#include "memory/serving.h"
#include "memory/training.h"
#include "reference/memory_reference.h"
#include "reference/random_jobs.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

constexpr int kJobsPerModel = 16;
constexpr double kSame = 1e-12;

const MemoryCalibration& calibration() { return test::catalog().memory; }

/// False, with a message, at the first line that differs.
bool same_lines(const MemoryLines& engine, const MemoryLines& reference, const std::string& job) {
  for (std::size_t i = 0; i < kLineCount; ++i) {
    const auto line = static_cast<Line>(i);
    if (std::abs(engine[line] - reference[line]) <= kSame * std::abs(reference[line])) continue;
    ADD_FAILURE() << name_of(line) << " is " << engine[line] << ", the reference says " << reference[line] << " for " << job;
    return false;
  }
  return true;
}

WeightFormat any_but_gguf(test::Random& random) {
  WeightFormat format = test::random_weight_format(random);
  while (format.scheme == WeightScheme::gguf) format = test::random_weight_format(random);
  return format;
}

TEST(MemoryReference, ServingAgreesOnEveryModel) {
  test::Random random{20'261'201};
  int jobs = 0;
  int wrong = 0;
  for (const std::string& id : test::supported_models()) {
    const Architecture model = test::model(id);
    for (int i = 0; i < kJobsPerModel && wrong < 10; ++i, ++jobs) {
      const ModelSizes sizes = sizes_of(model, any_but_gguf(random));
      const ServingJob job = test::random_serving(random);
      const Layout layout = test::random_serving_layout(random);
      const BandedLines banded = serving_memory(sizes, job, layout, calibration());
      wrong += same_lines(banded.value, reference::serving(model, name_of(sizes.weights.format), job, layout, calibration().value),
                          id + ": " + test::to_text(sizes, job, layout))
                   ? 0
                   : 1;
    }
  }
  EXPECT_GT(jobs, 4000);
}

TEST(MemoryReference, TrainingAgreesOnEveryModel) {
  test::Random random{20'261'202};
  int jobs = 0;
  int wrong = 0;
  for (const std::string& id : test::supported_models()) {
    const Architecture model = test::model(id);
    const ModelSizes sizes = sizes_of(model);
    for (int i = 0; i < kJobsPerModel && wrong < 10; ++i, ++jobs) {
      const TrainingJob job = test::random_training(random);
      const Task task = test::random_training_task(random);
      const Layout layout = test::random_training_layout(random);
      const TrainingMemory memory = training_memory(sizes, task, job, layout, calibration());
      wrong += same_lines(memory.lines.value, reference::training(model, task, job, layout, calibration().value),
                          id + ": " + test::to_text(task, job, layout))
                   ? 0
                   : 1;
    }
  }
  EXPECT_GT(jobs, 4000);
}

TEST(MemoryReference, BandsEncloseTheirValues) {
  test::Random random{20'261'203};
  for (const std::string& id : test::supported_models()) {
    const ModelSizes sizes = test::sizes(id);
    const Band serving = serving_memory(sizes, test::random_serving(random), test::random_serving_layout(random), calibration()).total();
    EXPECT_TRUE(serving.low <= serving.value && serving.value <= serving.high) << id;
    const Band training =
        training_memory(sizes, test::random_training_task(random), test::random_training(random), test::random_training_layout(random), calibration())
            .lines.total();
    EXPECT_TRUE(training.low <= training.value && training.value <= training.high) << id;
  }
}

}  // namespace
}  // namespace rigsizer
