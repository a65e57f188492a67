// Seeded jobs and layouts: the same ones on every machine and compiler (the generator's own arithmetic, no <random>
// distributions, whose results differ between standard libraries).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/job.h"
#include "memory/model_sizes.h"

namespace rigsizer::test {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_{seed} {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// 0 .. count - 1
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  bool coin() { return next() % 2 == 0; }
  template <class T>
  const T& of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

 private:
  std::uint64_t state_;
};

WeightFormat random_weight_format(Random& random);
ServingJob random_serving(Random& random);
TrainingJob random_training(Random& random);
Task random_training_task(Random& random);
Layout random_serving_layout(Random& random);
Layout random_training_layout(Random& random);

/// For failure messages.
std::string to_text(const ModelSizes& sizes, const ServingJob& job, const Layout& layout);
std::string to_text(Task task, const TrainingJob& job, const Layout& layout);

}  // namespace rigsizer::test
