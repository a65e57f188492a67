// Rates of the formats that requests name: a weight format's average bits, for sums over roles.
//
// Exact bytes, matrix by matrix, are in weight_format.h; this is what the serving formulas show.
#pragma once

#include <array>
#include <string_view>

#include "memory/kv_format.h"
#include "memory/weight_format.h"

namespace rigsizer {

struct WeightFormatInfo {
  WeightFormat format;
  std::string_view name;
  double linear_bits;  ///< per weight of linears, scales included
  double expert_bits;  ///< per weight of routed experts
  double kept_bytes;   ///< per weight of what is not quantised: tables, head, norms, biases, routers
  bool unties;         ///< a tied head gets a 16-bit copy of its own when the linears are quantised
};

/// int4: groups of 128, 4 + 16/128 (scale) + 4/128 (zero point) bits, as AWQ and GPTQ store it. int8: 8 + 16/128.
/// fp8: one scale per 128 x 128 block. nf4: one fp32 scale per 64 weights (bitsandbytes, no double quantisation).
/// mxfp4: 32 values and one 8-bit scale, experts only (gpt-oss); the rest stays bf16.
inline constexpr std::array<WeightFormatInfo, 8> kWeightFormats{{
    {WeightFormat::fp32, "fp32", 32, 32, 4, false},
    {WeightFormat::bf16, "bf16", 16, 16, 2, false},
    {WeightFormat::fp16, "fp16", 16, 16, 2, false},
    {WeightFormat::fp8, "fp8", 8.002, 8.002, 2, true},
    {WeightFormat::int8, "int8", 8.125, 8.125, 2, true},
    {WeightFormat::int4, "int4", 4.15625, 4.15625, 2, true},
    {WeightFormat::nf4, "nf4", 4.5, 4.5, 2, false},
    {WeightFormat::mxfp4, "mxfp4", 16, 4.25, 2, false},
}};

/// NF4 with its scales quantised again (QLoRA): 4 + 8/64 + 32/(64 x 256) bits.
inline constexpr double kNf4DoubleQuantBits = 4.127;

/// Of the eight named formats; bf16's for any other.
inline const WeightFormatInfo& info(const WeightFormat& format) {
  for (const WeightFormatInfo& one : kWeightFormats) {
    if (one.format == format) return one;
  }
  return kWeightFormats[1];
}

}  // namespace rigsizer
