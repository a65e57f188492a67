#include "reference/random_jobs.h"

#include <sstream>

#include "api/names.h"

namespace rigsizer::test {
namespace {

template <class T, std::size_t N>
T one_of(Random& random, const names::Choices<T, N>& choices) {
  return choices.at(random.below(N)).second;
}

std::string to_text(const Layout& layout) {
  std::ostringstream text;
  text << " on " << layout.accelerators << " (tensor " << layout.tensor_parallel << ", data " << layout.data_parallel << ", "
       << names::of(names::shards, layout.shards) << ")";
  return text.str();
}

}  // namespace

WeightFormat random_weight_format(Random& random) { return *parse_weight_format(random.of(weight_format_names())); }

ServingJob random_serving(Random& random) {
  return {.kv_format = one_of(random, names::kv_format),
          .context_tokens = random.of<double>({1, 15, 16, 17, 512, 1000, 2048, 4096, 8192, 32768, 100'000, 131'072, 1'000'000}),
          .concurrency = random.of<double>({1, 2, 3, 8, 100, 256, 257, 1000})};
}

TrainingJob random_training(Random& random) {
  return {.precision = one_of(random, names::precision),
          .optimizer = one_of(random, names::optimizer),
          .micro_batch = random.of<double>({1, 2, 3, 8, 32}),
          .sequence_tokens = random.of<double>({1, 128, 512, 2048, 4096, 16'384, 131'072}),
          .accumulation_steps = random.of<double>({1, 2, 8}),
          .recompute = one_of(random, names::recompute),
          .loss = one_of(random, names::loss),
          .sharding = one_of(random, names::sharding),
          .lora_rank = random.of<double>({1, 8, 16, 64, 256}),
          .lora_targets = one_of(random, names::lora_targets)};
}

Task random_training_task(Random& random) { return random.of<Task>({Task::full, Task::lora, Task::qlora}); }

Layout random_serving_layout(Random& random) {
  const int tensor = random.of<int>({1, 2, 4, 8, 16});
  const int data = random.of<int>({1, 2, 3, 4});
  return {.accelerators = tensor * data, .tensor_parallel = tensor, .data_parallel = data};
}

Layout random_training_layout(Random& random) {
  const int count = random.of<int>({1, 2, 4, 8, 16});
  Layout layout{.accelerators = count, .data_parallel = count};
  if (count > 1) layout.shards = random.coin() ? Layout::Shards::ddp : Layout::Shards::full;
  return layout;
}

std::string to_text(const ModelSizes& sizes, const ServingJob& job, const Layout& layout) {
  std::ostringstream text;
  text << "serve " << name_of(sizes.weights.format) << ", cache " << names::of(names::kv_format, job.kv_format) << ", " << job.context_tokens
       << " tokens x " << job.concurrency << to_text(layout);
  return text.str();
}

std::string to_text(Task task, const TrainingJob& job, const Layout& layout) {
  std::ostringstream text;
  text << names::of(names::task, task) << " " << names::of(names::precision, job.precision) << ", " << names::of(names::optimizer, job.optimizer)
       << ", " << job.micro_batch << " x " << job.sequence_tokens << " tokens, " << job.accumulation_steps << " steps, recompute "
       << names::of(names::recompute, job.recompute) << ", loss " << names::of(names::loss, job.loss) << ", rank " << job.lora_rank << " on "
       << names::of(names::lora_targets, job.lora_targets) << to_text(layout);
  return text.str();
}

}  // namespace rigsizer::test
