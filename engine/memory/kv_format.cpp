#include "memory/kv_format.h"

#include <utility>

namespace rigsizer {
namespace {

std::optional<KvFormat> one_format(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, KvFormat>, 6> kOther{{{"f16", KvFormat::fp16},
                                                                         {"fp32", KvFormat::f32},
                                                                         {"fp8_e4m3", KvFormat::fp8},
                                                                         {"fp8_e5m2", KvFormat::fp8},
                                                                         {"float16", KvFormat::fp16},
                                                                         {"bfloat16", KvFormat::bf16}}};
  for (const KvFormatInfo& one : kKvFormats) {
    if (one.name == text) return one.format;
  }
  for (const auto& spelling : kOther) {
    if (spelling.first == text) return spelling.second;
  }
  return std::nullopt;
}

}  // namespace

std::optional<KvFormats> parse_kv_format(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<KvFormat> keys = one_format(text.substr(0, slash));
  const std::optional<KvFormat> values = slash == std::string_view::npos ? keys : one_format(text.substr(slash + 1));
  if (!keys || !values) return std::nullopt;
  return KvFormats{*keys, *values};
}

}  // namespace rigsizer
