// The block types of GGUF files: how many weights share a block and how many bytes a block takes. Definitions.
//
//   Q4_K: 256 weights in 144 bytes, 4.5 bits each. A row of 4096 weights takes 16 blocks, 2304 bytes.
//
// Source: block structures of ggml (ggml-common.h) and, from id 137 on, of the fork ik_llama.cpp, some of whose types
// also store one scale per row. Types repacked for a CPU (Q4_0_4_4, IQ4_K_R4, ...) take the bytes of what they repack.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rigsizer {

/// Values are the ids that GGUF files store.
enum class GgmlType : std::uint8_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q8_1 = 9,
  q2_k = 10,
  q3_k = 11,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  q8_k = 15,
  iq2_xxs = 16,
  iq2_xs = 17,
  iq3_xxs = 18,
  iq1_s = 19,
  iq4_nl = 20,
  iq3_s = 21,
  iq2_s = 22,
  iq4_xs = 23,
  i8 = 24,
  i16 = 25,
  i32 = 26,
  i64 = 27,
  f64 = 28,
  iq1_m = 29,
  bf16 = 30,
  tq1_0 = 34,
  tq2_0 = 35,
  mxfp4 = 39,
  nvfp4 = 40,
  q1_0 = 41,
  q2_0 = 42,
  iq2_k = 137,
  iq3_k = 138,
  iq4_k = 139,
  iq5_k = 140,
  iq6_k = 141,
  iq4_ks = 144,
  iq2_ks = 145,
  iq4_kss = 146,
  iq5_ks = 152,
  iq3_ks = 156,
};

struct GgmlTypeInfo {
  GgmlType type = GgmlType::f32;
  std::string_view name;  ///< as files and logs write it, in upper case
  int block_weights = 1;
  int block_bytes = 4;
  int row_bytes = 0;  ///< once per row, beside the blocks

  [[nodiscard]] constexpr double bits_per_weight() const { return 8.0 * block_bytes / block_weights; }
};

const GgmlTypeInfo& info(GgmlType type);

/// None for ids of removed types and of forks that are not known.
std::optional<GgmlType> ggml_type_of_id(std::uint32_t id);
/// "Q4_K", "q4_k"; a suffix "_R4" or "_R8" of repacked types is read past. None for other words.
std::optional<GgmlType> ggml_type_named(std::string_view name);

/// Rows are padded to nothing: a row must be whole blocks, which `fits_rows_of` says.
constexpr bool fits_rows_of(const GgmlTypeInfo& type, std::int64_t row_length) { return row_length % type.block_weights == 0; }

/// Bytes of `rows` rows of `row_length` weights. In double: a fuzzed header may multiply to more than 63 bits.
double ggml_bytes(GgmlType type, double row_length, double rows);

}  // namespace rigsizer
