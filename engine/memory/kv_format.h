// Bytes of a cached key or value by format. Keys and values may differ (llama.cpp's -ctk and -ctv).
//
//   q8_0: 32 values in 34 bytes, 1.0625 each; q4_0: 18 bytes, 0.5625 each.
//
// fp8 and int8 caches of paged engines keep their scales per tensor or per head: their bytes do not show.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rigsizer {

enum class KvFormat : std::uint8_t { bf16, fp16, fp8, int8, f32, q8_0, q5_1, q5_0, q4_1, q4_0, iq4_nl };

struct KvFormatInfo {
  KvFormat format;
  std::string_view name;
  double bytes;
};
inline constexpr std::array<KvFormatInfo, 11> kKvFormats{{
    {KvFormat::bf16, "bf16", 2},
    {KvFormat::fp16, "fp16", 2},
    {KvFormat::fp8, "fp8", 1},
    {KvFormat::int8, "int8", 1},
    {KvFormat::f32, "f32", 4},
    {KvFormat::q8_0, "q8_0", 34.0 / 32},
    {KvFormat::q5_1, "q5_1", 24.0 / 32},
    {KvFormat::q5_0, "q5_0", 22.0 / 32},
    {KvFormat::q4_1, "q4_1", 20.0 / 32},
    {KvFormat::q4_0, "q4_0", 18.0 / 32},
    {KvFormat::iq4_nl, "iq4_nl", 18.0 / 32},
}};

constexpr const KvFormatInfo& info(KvFormat format) { return kKvFormats[static_cast<std::size_t>(format)]; }

struct KvFormats {
  KvFormat keys = KvFormat::bf16;
  KvFormat values = KvFormat::bf16;
  friend bool operator==(const KvFormats&, const KvFormats&) = default;

  [[nodiscard]] constexpr double bytes(double key_elements, double value_elements) const {
    return key_elements * info(keys).bytes + value_elements * info(values).bytes;
  }
  /// Where keys and values are equally wide.
  [[nodiscard]] constexpr double bytes_per_element() const { return bytes(0.5, 0.5); }
};

/// "q8_0", "f16", "fp16", "bf16", "fp8", "fp8_e4m3", "fp8_e5m2", "int8", "f32"; keys and values apart as "q8_0/q4_0".
std::optional<KvFormats> parse_kv_format(std::string_view text);

}  // namespace rigsizer
