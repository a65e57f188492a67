#include "validate/stated_format.h"

#include <array>
#include <string>
#include <utility>

namespace rigsizer {
namespace {

/// Left: as written, in lower case. Right: the name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 21> kSpellings{{
    {"tf32", "fp32"},
    {"float32", "fp32"},
    {"amp fp16", "fp32"},  // mixed precision keeps fp32 weights
    {"bfloat16", "bf16"},
    {"float16", "fp16"},
    {"fp8:block128", "fp8"},
    {"bf16+fp8-layerwise-upcast", "fp8-cast"},
    {"int8-wo", "int8"},
    {"int8-dynamic", "int8"},
    {"w8a8", "int8"},
    {"4-bit", "int4"},
    {"4bit", "int4"},
    {"bnb-nf4", "nf4"},
    {"bnb-4bit", "nf4"},
    {"bnb-fp4", "nf4"},
    {"bnb-nf4-dq", "nf4-dq"},
    {"fp4-dq", "nf4-dq"},
    {"fp4", "nvfp4"},
    {"int4 (qat experts)", "int4:experts"},
    {"int4-wo:g32", "int4:g32"},
    {"exl2/gptq4", "gptq"},
}};

}  // namespace

std::optional<WeightFormat> stated_format(std::string_view text) {
  std::string word;
  for (const char c : text) word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  while (!word.empty()) {
    if (const auto format = parse_weight_format(word)) return format;
    for (const auto& [spelling, name] : kSpellings) {
      if (spelling == word) return parse_weight_format(name);
    }
    const std::size_t rest = word.find_last_of("+/( ");
    if (rest == std::string::npos) break;
    word.resize(rest);
  }
  return std::nullopt;
}

}  // namespace rigsizer
