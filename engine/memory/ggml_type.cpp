#include "memory/ggml_type.h"

#include <array>
#include <cmath>

namespace rigsizer {
namespace {

using enum GgmlType;

constexpr std::array kTypes{
    GgmlTypeInfo{f32, "F32", 1, 4},
    GgmlTypeInfo{f16, "F16", 1, 2},
    GgmlTypeInfo{q4_0, "Q4_0", 32, 18},
    GgmlTypeInfo{q4_1, "Q4_1", 32, 20},
    GgmlTypeInfo{q5_0, "Q5_0", 32, 22},
    GgmlTypeInfo{q5_1, "Q5_1", 32, 24},
    GgmlTypeInfo{q8_0, "Q8_0", 32, 34},
    GgmlTypeInfo{q8_1, "Q8_1", 32, 36},
    GgmlTypeInfo{q2_k, "Q2_K", 256, 84},
    GgmlTypeInfo{q3_k, "Q3_K", 256, 110},
    GgmlTypeInfo{q4_k, "Q4_K", 256, 144},
    GgmlTypeInfo{q5_k, "Q5_K", 256, 176},
    GgmlTypeInfo{q6_k, "Q6_K", 256, 210},
    GgmlTypeInfo{q8_k, "Q8_K", 256, 292},
    GgmlTypeInfo{iq2_xxs, "IQ2_XXS", 256, 66},
    GgmlTypeInfo{iq2_xs, "IQ2_XS", 256, 74},
    GgmlTypeInfo{iq3_xxs, "IQ3_XXS", 256, 98},
    GgmlTypeInfo{iq1_s, "IQ1_S", 256, 50},
    GgmlTypeInfo{iq4_nl, "IQ4_NL", 32, 18},
    GgmlTypeInfo{iq3_s, "IQ3_S", 256, 110},
    GgmlTypeInfo{iq2_s, "IQ2_S", 256, 82},
    GgmlTypeInfo{iq4_xs, "IQ4_XS", 256, 136},
    GgmlTypeInfo{i8, "I8", 1, 1},
    GgmlTypeInfo{i16, "I16", 1, 2},
    GgmlTypeInfo{i32, "I32", 1, 4},
    GgmlTypeInfo{i64, "I64", 1, 8},
    GgmlTypeInfo{f64, "F64", 1, 8},
    GgmlTypeInfo{iq1_m, "IQ1_M", 256, 56},
    GgmlTypeInfo{bf16, "BF16", 1, 2},
    GgmlTypeInfo{tq1_0, "TQ1_0", 256, 54},
    GgmlTypeInfo{tq2_0, "TQ2_0", 256, 66},
    GgmlTypeInfo{mxfp4, "MXFP4", 32, 17},
    GgmlTypeInfo{nvfp4, "NVFP4", 64, 36},
    GgmlTypeInfo{q1_0, "Q1_0", 128, 18},
    GgmlTypeInfo{q2_0, "Q2_0", 64, 18},
    GgmlTypeInfo{iq2_k, "IQ2_K", 256, 76},
    GgmlTypeInfo{iq3_k, "IQ3_K", 256, 110},
    GgmlTypeInfo{iq4_k, "IQ4_K", 256, 144},
    GgmlTypeInfo{iq5_k, "IQ5_K", 256, 176},
    GgmlTypeInfo{iq6_k, "IQ6_K", 256, 212},
    GgmlTypeInfo{iq4_ks, "IQ4_KS", 256, 136, 4},
    GgmlTypeInfo{iq2_ks, "IQ2_KS", 256, 70, 2},
    GgmlTypeInfo{iq4_kss, "IQ4_KSS", 256, 128, 4},
    GgmlTypeInfo{iq5_ks, "IQ5_KS", 256, 168, 4},
    GgmlTypeInfo{iq3_ks, "IQ3_KS", 256, 102, 2},
};

constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (upper(a[i]) != upper(b[i])) return false;
  }
  return true;
}

}  // namespace

const GgmlTypeInfo& info(GgmlType type) {
  for (const GgmlTypeInfo& one : kTypes) {
    if (one.type == type) return one;
  }
  return kTypes[0];
}

std::optional<GgmlType> ggml_type_of_id(std::uint32_t id) {
  for (const GgmlTypeInfo& one : kTypes) {
    if (static_cast<std::uint32_t>(one.type) == id) return one.type;
  }
  return std::nullopt;
}

std::optional<GgmlType> ggml_type_named(std::string_view name) {
  if (name.size() > 3 && (same_word(name.substr(name.size() - 3), "_R4") || same_word(name.substr(name.size() - 3), "_R8"))) {
    name.remove_suffix(3);
  }
  for (const GgmlTypeInfo& one : kTypes) {
    if (same_word(one.name, name)) return one.type;
  }
  return std::nullopt;
}

double ggml_bytes(GgmlType type, double row_length, double rows) {
  const GgmlTypeInfo& one = info(type);
  return rows * (std::ceil(row_length / one.block_weights) * one.block_bytes + one.row_bytes);
}

}  // namespace rigsizer
