#include "memory/states.h"

namespace rigsizer {

StateBytes state_bytes(Precision precision, bool fully_sharded) {
  switch (precision) {
    case Precision::bf16_mixed:
    case Precision::fp16_mixed:
      if (fully_sharded) return {.weight = 4, .gradient = 4, .moment = 4};
      return {.weight = 2, .gradient = precision == Precision::bf16_mixed ? 4.0 : 2.0, .master = 4, .moment = 4};
    case Precision::bf16_pure: return {.weight = 2, .gradient = 2, .moment = 2};
    case Precision::bf16_autocast:
    case Precision::fp16_autocast: return {.weight = 4, .cast = fully_sharded ? 0.0 : 2.0, .gradient = 4, .moment = 4};
    case Precision::fp32: return {.weight = 4, .gradient = 4, .moment = 4};
  }
  return {};
}

OptimizerBytes optimizer_bytes(Optimizer optimizer, double moment_bytes, double factored_elements) {
  switch (optimizer) {
    case Optimizer::adamw: return {2 * moment_bytes, 2 * moment_bytes, 0};
    // Two 8-bit moments and one fp32 scale per block of 256 values each.
    case Optimizer::adamw_8bit: return {2 * (1 + 4.0 / 256), 2 * (1 + 4.0 / 256), 0};
    case Optimizer::adafactor: return {0, 0, 4 * factored_elements};
    case Optimizer::lion:
    case Optimizer::sgd_momentum: return {moment_bytes, moment_bytes, 0};
    case Optimizer::sgd: return {};
    case Optimizer::muon: return {moment_bytes, 2 * moment_bytes, 0};
  }
  return {};
}

double base_bits(BaseFormat format) {
  switch (format) {
    case BaseFormat::bf16: return 16;
    case BaseFormat::fp32: return 32;
    case BaseFormat::int8: return 8;
    case BaseFormat::nf4: return linear_bits(WeightFormat::nf4);
    case BaseFormat::nf4_double: return linear_bits(WeightFormat::nf4_double);
    case BaseFormat::gptq4: return linear_bits(WeightFormat::int4);
    case BaseFormat::gptq8: return linear_bits(WeightFormat::gptq8);
  }
  return 16;
}

ShardDegrees shard_degrees(const Layout& layout) {
  const double n = layout.shard_degree();
  switch (layout.shards) {
    case Layout::Shards::none:
    case Layout::Shards::ddp: return {};
    case Layout::Shards::zero1: return {1, 1, n};
    case Layout::Shards::zero2: return {1, n, n};
    case Layout::Shards::full: return {n, n, n};
  }
  return {};
}

}  // namespace rigsizer
