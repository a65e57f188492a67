#include "memory/weight_format.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "quantity/decimal.h"

namespace rigsizer {
namespace {

constexpr double kExl2HeadBits = 6;  // exllamav2's default (-hb)

WeightFormat grouped(WeightScheme scheme, int bits, int group, bool act_order = false) {
  return {.scheme = scheme, .act_order = act_order, .unties = true, .bits = bits, .group = group};
}

bool is_mlp(const Tensor& tensor) { return tensor.part == Part::mlp || tensor.part == Part::moe; }

bool in_scope(WeightScope scope, const Tensor& tensor, bool inner_layer) {
  switch (scope) {
    case WeightScope::linears: return true;
    case WeightScope::experts: return tensor.role == Role::expert;
    case WeightScope::mlp: return is_mlp(tensor);
    case WeightScope::inner_mlp: return inner_layer && is_mlp(tensor);
  }
  return true;
}

double tensor_bytes(const WeightFormat& format, const Tensor& tensor, bool inner_layer) {
  if (tensor.role != Role::linear && tensor.role != Role::expert) return tensor.size().as_double() * format.kept_bytes();
  const WeightScheme scheme = in_scope(format.scope, tensor, inner_layer) ? format.scheme : format.others;
  return static_cast<double>(tensor.copies) * matrix_bytes(format, scheme, static_cast<double>(tensor.inputs), static_cast<double>(tensor.outputs));
}

void add_to_layer(LayerWeightBytes& layer, Matrix matrix, Role role, double bytes) {
  switch (matrix) {
    case Matrix::key:
    case Matrix::value: layer.key_value += bytes; return;
    case Matrix::latent_query_down:
    case Matrix::latent_kv_down:
    case Matrix::indexer:
    case Matrix::low_rank: layer.copied += bytes; return;
    default: break;
  }
  if (role == Role::expert || role == Role::expert_vector) {
    layer.expert += bytes;
  } else if (role == Role::linear) {
    layer.linear += bytes;
  } else {
    layer.copied += bytes;
  }
}

void add_to_model(WeightBytes& sums, Role role, double bytes) {
  switch (role) {
    case Role::table: sums.table += bytes; break;
    case Role::head: sums.head += bytes; break;
    case Role::linear: sums.linear += bytes; break;
    case Role::tower: sums.tower += bytes; break;
    default: sums.copied += bytes; break;
  }
}

void add_gguf(WeightBytes& sums, const Architecture& model, const WeightFormat& format) {
  for (const GgufTensor& tensor : gguf_tensors(model, format.gguf, {.importance_matrix = format.importance_matrix, .untied = format.unties})) {
    const double bytes = tensor.bytes();
    if (tensor.layer < 0) {
      add_to_model(sums, tensor.role, bytes);
      if (model.tied && !format.unties && tensor.matrix == Matrix::token_table) sums.shared_head = bytes;
    } else {
      add_to_layer(sums.layers[static_cast<std::size_t>(tensor.layer)], tensor.matrix, tensor.role, bytes);
    }
  }
  sums.tower += gguf_projector_bytes(model);
}

/// All digits, at most five.
std::optional<int> whole_number(std::string_view text) {
  if (text.empty() || text.size() > 5) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

/// Digits with a point among them or none, at most six.
std::optional<double> decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto whole = whole_number(text.substr(0, point));
  if (point == std::string_view::npos || !whole) return whole;
  const std::string_view digits = text.substr(point + 1);
  const auto fraction = whole_number(digits);
  if (!fraction) return std::nullopt;
  double unit = 1;
  for (std::size_t i = 0; i < digits.size(); ++i) unit *= 10;
  return (*whole * unit + *fraction) / unit;
}

struct Grouped {
  std::string_view name;
  WeightScheme scheme;
  int bits;
};
constexpr std::array kGrouped{
    Grouped{"awq", WeightScheme::awq, 4},         Grouped{"awq4", WeightScheme::awq, 4},        Grouped{"int4", WeightScheme::awq, 4},
    Grouped{"int8", WeightScheme::awq, 8},        Grouped{"gptq", WeightScheme::gptq, 4},       Grouped{"gptq2", WeightScheme::gptq, 2},
    Grouped{"gptq3", WeightScheme::gptq, 3},      Grouped{"gptq4", WeightScheme::gptq, 4},      Grouped{"gptq8", WeightScheme::gptq, 8},
    Grouped{"w4a16", WeightScheme::symmetric, 4}, Grouped{"w8a16", WeightScheme::symmetric, 8},
};

/// "gptq4:g32-act": a name, then the group or "nogroup", then act-order (GPTQ only).
std::optional<WeightFormat> grouped_format(std::string_view text) {
  const bool act_order = text.ends_with("-act");
  if (act_order) text.remove_suffix(4);
  const std::size_t colon = text.find(':');
  std::optional<int> group = 128;
  if (colon != std::string_view::npos) {
    const std::string_view stated = text.substr(colon + 1);
    group = stated == "nogroup" ? 0 : stated.starts_with("g") ? whole_number(stated.substr(1)) : std::nullopt;
    if (!group || (*group == 0 && stated != "nogroup")) return std::nullopt;
  }
  for (const Grouped& one : kGrouped) {
    if (one.name != text.substr(0, colon)) continue;
    if (act_order && one.scheme != WeightScheme::gptq) return std::nullopt;
    return grouped(one.scheme, one.bits, *group, act_order);
  }
  return std::nullopt;
}

struct Spelling {
  std::string_view name;
  WeightFormat format;
};

/// Names of formats without parameters of their own.
constexpr WeightFormat kFp8Tensor{.scheme = WeightScheme::fp8_tensor, .unties = true, .bits = 8};
constexpr WeightFormat kFp8Cast{.scheme = WeightScheme::fp8_tensor, .bits = 8};
constexpr WeightFormat kInt4Experts{.scheme = WeightScheme::symmetric, .scope = WeightScope::experts, .bits = 4, .group = 32};
constexpr std::array kNames{
    Spelling{"fp32", WeightFormat::fp32},
    Spelling{"bf16", WeightFormat::bf16},
    Spelling{"fp16", WeightFormat::fp16},
    Spelling{"fp8", WeightFormat::fp8},
    Spelling{"fp8:tensor", kFp8Tensor},
    Spelling{"int8", WeightFormat::int8},
    Spelling{"bnb-int8", {.scheme = WeightScheme::int8_row, .bits = 8}},
    Spelling{"gptq8", WeightFormat::gptq8},
    Spelling{"int4", WeightFormat::int4},
    Spelling{"gptq", WeightFormat::gptq4},
    Spelling{"w4a16", {.scheme = WeightScheme::symmetric, .unties = true, .bits = 4, .group = 128}},
    Spelling{"nf4", WeightFormat::nf4},
    Spelling{"nf4-dq", WeightFormat::nf4_double},
    Spelling{"mxfp4", WeightFormat::mxfp4},
    Spelling{"nvfp4", WeightFormat::nvfp4},
    Spelling{"int4:experts", kInt4Experts},
    Spelling{"fp8 (mixed)", {.scheme = WeightScheme::fp8_tensor, .scope = WeightScope::inner_mlp, .unties = true, .bits = 8}},
    Spelling{"fp8/fp4", {.scheme = WeightScheme::mxfp4, .scope = WeightScope::experts, .others = WeightScheme::fp8_block, .bits = 4, .group = 32}},
    Spelling{"nvfp4+fp8",
             {.scheme = WeightScheme::nvfp4, .scope = WeightScope::mlp, .others = WeightScheme::fp8_tensor, .unties = true, .bits = 4, .group = 16}},
    Spelling{"fp8-cast", kFp8Cast},
};

std::optional<WeightFormat> named_format(std::string_view text) {
  for (const Spelling& one : kNames) {
    if (one.name == text) return one.format;
  }
  return std::nullopt;
}

/// "gguf:", which may be left out, a file type, ":imatrix", ":untied".
std::optional<WeightFormat> gguf_format(std::string_view text) {
  WeightFormat format{.scheme = WeightScheme::gguf};
  if (text.starts_with("gguf:")) text.remove_prefix(5);
  format.unties = text.ends_with(":untied");
  if (format.unties) text.remove_suffix(7);
  format.importance_matrix = text.ends_with(":imatrix");
  if (format.importance_matrix) text.remove_suffix(8);
  const auto type = gguf_file_type_named(text);
  if (!type) return std::nullopt;
  format.gguf = *type;
  return format;
}

/// "exl2:4.25bpw", "exl2:4"
std::optional<WeightFormat> exl2_format(std::string_view text) {
  if (!text.starts_with("exl2:")) return std::nullopt;
  text.remove_prefix(5);
  if (text.ends_with("bpw")) text.remove_suffix(3);
  const auto bits = decimal(text);
  if (!bits || *bits < 1 || *bits > 16) return std::nullopt;
  return WeightFormat{.scheme = WeightScheme::exl2, .unties = true, .bits = 4, .bits_per_weight = *bits};
}

std::string grouped_name(const WeightFormat& format) {
  std::string name = format.scheme == WeightScheme::awq ? (format.bits == 8 ? "int8" : "awq4") : "gptq" + std::to_string(format.bits);
  if (format.scheme == WeightScheme::symmetric) name = "w" + std::to_string(format.bits) + "a16";
  name += format.group == 0 ? ":nogroup" : ":g" + std::to_string(format.group);
  return name + (format.act_order ? "-act" : "");
}

}  // namespace

std::optional<WeightFormat> parse_weight_format(std::string_view text) {
  std::string word;
  for (const char c : text) word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (const auto format = named_format(word)) return format;
  if (const auto format = gguf_format(word)) return format;
  if (const auto format = exl2_format(word)) return format;
  return grouped_format(word);
}

std::string name_of(const WeightFormat& format) {
  for (const Spelling& one : kNames) {
    if (one.format == format) return std::string{one.name};
  }
  if (format.scheme == WeightScheme::gguf) {
    return "gguf:" + std::string{info(format.gguf).name} + (format.importance_matrix ? ":imatrix" : "") + (format.unties ? ":untied" : "");
  }
  if (format.scheme == WeightScheme::exl2) return "exl2:" + decimal_text(format.bits_per_weight) + "bpw";
  return grouped_name(format);
}

const std::vector<std::string>& weight_format_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Spelling& one : kNames) all.emplace_back(one.name);
    for (const GgufFileTypeInfo& type : gguf_file_types()) all.push_back("gguf:" + std::string{type.name});
    return all;
  }();
  return names;
}

double matrix_bytes(const WeightFormat& format, WeightScheme scheme, double inputs, double outputs) {
  const double weights = inputs * outputs;
  const double bits = format.bits;
  const double groups = format.group > 0 ? std::ceil(inputs / format.group) : 1;
  switch (scheme) {
    case WeightScheme::floats: return weights * format.kept_bytes();
    case WeightScheme::fp8_tensor: return weights + 4;
    case WeightScheme::fp8_block: return weights + 4 * std::ceil(inputs / 128) * std::ceil(outputs / 128);
    case WeightScheme::int8_row: return weights + 4 * outputs;
    case WeightScheme::gptq:
    case WeightScheme::awq: return weights * bits / 8 + groups * outputs * (2 + bits / 8) + (format.act_order ? 4 * inputs : 0);
    case WeightScheme::symmetric: return weights * bits / 8 + groups * outputs * 2;
    case WeightScheme::bnb4: return weights * (format.double_quantised ? 0.5 + 1.0 / 64 + 4.0 / (64 * 256) : 0.5 + 4.0 / 64);
    case WeightScheme::mxfp4: return outputs * std::ceil(inputs / 32) * 17;
    case WeightScheme::nvfp4: return outputs * std::ceil(inputs / 16) * 9 + 4;
    case WeightScheme::exl2: return weights * format.bits_per_weight / 8;
    case WeightScheme::gguf: return ggml_bytes(info(format.gguf).base, inputs, outputs);
  }
  return 0;
}

double linear_bits(const WeightFormat& format) {
  constexpr double kWidth = 8192;
  return matrix_bytes(format, format.scheme, kWidth, kWidth) * 8 / (kWidth * kWidth);
}

LayerWeightBytes WeightBytes::all_layers() const {
  LayerWeightBytes sum;
  for (const LayerWeightBytes& layer : layers) {
    sum.linear += layer.linear;
    sum.key_value += layer.key_value;
    sum.expert += layer.expert;
    sum.copied += layer.copied;
  }
  return sum;
}

double WeightBytes::total() const { return all_layers().total() + table + head + linear + copied + tower; }

WeightBytes weight_bytes(const Architecture& model, const WeightFormat& format) {
  WeightBytes sums{.format = format};
  sums.layers.resize(static_cast<std::size_t>(std::max<std::int64_t>(model.layers, 0)));
  sums.kv_heads = static_cast<int>(std::max<std::int64_t>(model.kv_heads, 1));
  if (format.scheme == WeightScheme::gguf) {
    add_gguf(sums, model, format);
    return sums;
  }
  for (const Tensor& tensor : model.model_tensors) {
    const bool short_head = tensor.role == Role::head && format.scheme == WeightScheme::exl2;
    add_to_model(sums, tensor.role, short_head ? tensor.size().as_double() * kExl2HeadBits / 8 : tensor_bytes(format, tensor, true));
  }
  if (model.tied) {
    const double table = static_cast<double>(model.vocabulary) * static_cast<double>(model.table_width) * format.kept_bytes();
    if (format.unties) {
      sums.head += format.scheme == WeightScheme::exl2 ? table / 2 * kExl2HeadBits / 8 : table;
    } else {
      sums.shared_head = table;
    }
  }
  const auto last = model.layers - 1;
  for (const LayerGroup& group : model.groups) {
    LayerWeightBytes inner, outer;
    for (const Tensor& tensor : group.layer.tensors) {
      add_to_layer(inner, tensor.matrix, tensor.role, tensor_bytes(format, tensor, true));
      add_to_layer(outer, tensor.matrix, tensor.role, tensor_bytes(format, tensor, false));
    }
    for (const std::int64_t position : group.positions) {
      const auto at = static_cast<std::size_t>(position);
      if (at < sums.layers.size()) sums.layers[at] = position == 0 || position == last ? outer : inner;
      if (group.shared) break;  // stored once
    }
  }
  return sums;
}

ShardParts shard_parts(const WeightBytes& bytes, const Shard& shard) {
  ShardParts parts;
  const double ranks = std::max(shard.tensor_parallel, 1);
  const double heads = bytes.kv_heads;
  parts.tensor_parallel = ranks;
  parts.key_value_share = std::ceil(heads / std::min(ranks, heads)) / heads;
  const auto all = static_cast<int>(bytes.layers.size());
  const int first = std::clamp(shard.first_layer, 0, all);
  const int end = first + std::clamp(shard.layers, 0, all - first);
  for (int i = first; i < end; ++i) {
    const LayerWeightBytes& layer = bytes.layers[static_cast<std::size_t>(i)];
    parts.linear += layer.linear;
    parts.expert += layer.expert;
    parts.key_value += layer.key_value;
    parts.copied += layer.copied;
  }
  if (shard.table) {
    parts.table_and_head += bytes.table;
    parts.linear += bytes.linear;
  }
  if (shard.head) {
    parts.table_and_head += bytes.head + (shard.table ? 0 : bytes.shared_head);
    parts.copied += bytes.copied;
  }
  if (shard.tower) parts.copied += bytes.tower;
  return parts;
}

}  // namespace rigsizer
