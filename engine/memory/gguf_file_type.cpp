#include "memory/gguf_file_type.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

namespace rigsizer {
namespace {

using File = GgufFileType;
using Type = GgmlType;

constexpr std::array kFileTypes{
    GgufFileTypeInfo{File::f32, "F32", 0, Type::f32},
    GgufFileTypeInfo{File::f16, "F16", 1, Type::f16},
    GgufFileTypeInfo{File::bf16, "BF16", 32, Type::bf16},
    GgufFileTypeInfo{File::q4_0, "Q4_0", 2, Type::q4_0},
    GgufFileTypeInfo{File::q4_1, "Q4_1", 3, Type::q4_1},
    GgufFileTypeInfo{File::q5_0, "Q5_0", 8, Type::q5_0},
    GgufFileTypeInfo{File::q5_1, "Q5_1", 9, Type::q5_1},
    GgufFileTypeInfo{File::q8_0, "Q8_0", 7, Type::q8_0},
    GgufFileTypeInfo{File::q1_0, "Q1_0", -1, Type::q1_0},
    GgufFileTypeInfo{File::q2_0, "Q2_0", -1, Type::q2_0},
    GgufFileTypeInfo{File::q2_k, "Q2_K", 10, Type::q2_k},
    GgufFileTypeInfo{File::q2_k_s, "Q2_K_S", 21, Type::q2_k},
    GgufFileTypeInfo{File::q3_k_s, "Q3_K_S", 11, Type::q3_k},
    GgufFileTypeInfo{File::q3_k_m, "Q3_K_M", 12, Type::q3_k},
    GgufFileTypeInfo{File::q3_k_l, "Q3_K_L", 13, Type::q3_k},
    GgufFileTypeInfo{File::q4_k_s, "Q4_K_S", 14, Type::q4_k},
    GgufFileTypeInfo{File::q4_k_m, "Q4_K_M", 15, Type::q4_k},
    GgufFileTypeInfo{File::q5_k_s, "Q5_K_S", 16, Type::q5_k},
    GgufFileTypeInfo{File::q5_k_m, "Q5_K_M", 17, Type::q5_k},
    GgufFileTypeInfo{File::q6_k, "Q6_K", 18, Type::q6_k},
    GgufFileTypeInfo{File::iq1_s, "IQ1_S", 24, Type::iq1_s},
    GgufFileTypeInfo{File::iq1_m, "IQ1_M", 31, Type::iq1_m},
    GgufFileTypeInfo{File::iq2_xxs, "IQ2_XXS", 19, Type::iq2_xxs},
    GgufFileTypeInfo{File::iq2_xs, "IQ2_XS", 20, Type::iq2_xs},
    GgufFileTypeInfo{File::iq2_s, "IQ2_S", 28, Type::iq2_xs},
    GgufFileTypeInfo{File::iq2_m, "IQ2_M", 29, Type::iq2_s},
    GgufFileTypeInfo{File::iq3_xxs, "IQ3_XXS", 23, Type::iq3_xxs},
    GgufFileTypeInfo{File::iq3_xs, "IQ3_XS", 22, Type::iq3_s},
    GgufFileTypeInfo{File::iq3_s, "IQ3_S", 26, Type::iq3_s},
    GgufFileTypeInfo{File::iq3_m, "IQ3_M", 27, Type::iq3_s},
    GgufFileTypeInfo{File::iq4_nl, "IQ4_NL", 25, Type::iq4_nl},
    GgufFileTypeInfo{File::iq4_xs, "IQ4_XS", 30, Type::iq4_xs},
    GgufFileTypeInfo{File::tq1_0, "TQ1_0", 36, Type::tq1_0},
    GgufFileTypeInfo{File::tq2_0, "TQ2_0", 37, Type::tq2_0},
    GgufFileTypeInfo{File::mxfp4_moe, "MXFP4_MOE", 38, Type::mxfp4},
    GgufFileTypeInfo{File::nvfp4, "NVFP4", -1, Type::nvfp4},
    GgufFileTypeInfo{File::iq2_k, "IQ2_K", -1, Type::iq2_k},
    GgufFileTypeInfo{File::iq3_k, "IQ3_K", -1, Type::iq3_k},
    GgufFileTypeInfo{File::iq4_k, "IQ4_K", -1, Type::iq4_k},
    GgufFileTypeInfo{File::iq5_k, "IQ5_K", -1, Type::iq5_k},
    GgufFileTypeInfo{File::iq6_k, "IQ6_K", -1, Type::iq6_k},
    GgufFileTypeInfo{File::iq2_ks, "IQ2_KS", -1, Type::iq2_ks},
    GgufFileTypeInfo{File::iq3_ks, "IQ3_KS", -1, Type::iq3_ks},
    GgufFileTypeInfo{File::iq4_ks, "IQ4_KS", -1, Type::iq4_ks},
    GgufFileTypeInfo{File::iq4_kss, "IQ4_KSS", -1, Type::iq4_kss},
    GgufFileTypeInfo{File::iq5_ks, "IQ5_KS", -1, Type::iq5_ks},
};

/// What the recipe tells apart.
enum class Category : std::uint8_t { plain, query, key, value, joint_qkv, output_projection, gate, up, down, kept };

bool is_one_of(File file, std::initializer_list<File> files) { return std::find(files.begin(), files.end(), file) != files.end(); }

bool is_float(File file) { return is_one_of(file, {File::f32, File::f16, File::bf16}); }

/// Mixes below three bits have rules of their own.
bool is_tiny(File file) { return is_one_of(file, {File::iq1_s, File::iq1_m, File::iq2_xxs, File::iq2_xs, File::iq2_s, File::iq2_m}); }
bool is_tiny_but_iq2_s_or_m(File file) { return is_tiny(file) && file != File::iq2_s && file != File::iq2_m; }

/// Families whose files hold queries, keys and values as one matrix.
bool joins_qkv(std::string_view family) {
  constexpr std::array<std::string_view, 11> kJoined{"bloom",    "chatglm", "dbrx", "falcon", "gpt2", "gpt_bigcode",
                                                     "gpt_neox", "mpt",     "phi",  "phi3",   "qwen"};
  return std::find(kJoined.begin(), kJoined.end(), family) != kJoined.end();
}

Category category_of(Matrix matrix, bool joined) {
  switch (matrix) {
    case Matrix::query: return joined ? Category::joint_qkv : Category::query;
    case Matrix::key: return joined ? Category::joint_qkv : Category::key;
    case Matrix::value: return joined ? Category::joint_qkv : Category::value;
    case Matrix::attention_output: return Category::output_projection;
    case Matrix::recurrent_input: return Category::joint_qkv;
    case Matrix::latent_kv_up: return Category::value;
    case Matrix::gate:
    case Matrix::shared_gate:
    case Matrix::expert_gate: return Category::gate;
    case Matrix::up:
    case Matrix::shared_up:
    case Matrix::expert_up: return Category::up;
    case Matrix::down:
    case Matrix::shared_down:
    case Matrix::expert_down: return Category::down;
    case Matrix::position_table:
    case Matrix::router:
    case Matrix::low_rank:
    case Matrix::norm:
    case Matrix::vector: return Category::kept;
    default: return Category::plain;
  }
}

/// Where a matrix stands: layers are counted among all, value projections and (in tiny mixes) down projections among
/// their own kind.
struct Place {
  std::int64_t layer = 0;
  std::int64_t value = 0;
  std::int64_t down = 0;
};

class Recipe {
 public:
  Recipe(const Architecture& model, File file, const GgufOptions& options)
      : file_{file},
        base_{info(file).base},
        layers_{model.layers},
        falcon_{model.model_type == "falcon"},
        tied_{model.tied && !options.untied},
        imatrix_{options.importance_matrix || is_tiny(file) || file == File::iq3_xxs} {
    for (const LayerGroup& group : model.groups) experts_ = std::max(experts_, group.layer.experts);
    bool latent = false;
    for (const LayerGroup& group : model.groups) latent = latent || group.layer.mixer == Mixer::latent_attention;
    // Latent attention is stored as one KV head unless its up projections are joined.
    const std::int64_t kv_heads = latent && options.latent_up != LatentUp::joint ? 1 : std::max<std::int64_t>(model.kv_heads, 1);
    gqa_ = model.heads / kv_heads;
    seventy_b_ = model.layers == 80 && gqa_ > 1 && (model.model_type == "llama" || model.model_type == "qwen2");
  }

  void count_values(std::int64_t values) { values_ = values; }

  /// Files of the fork's own types that hold experts.
  [[nodiscard]] bool keeps_all_but_experts() const { return experts_ > 0 && base_ >= Type::iq2_k; }

  [[nodiscard]] Type table(std::int64_t row) const {
    if (keeps_all_but_experts()) return fallback(Type::q8_0, row);
    if (tied_) return head(row);
    if (is_tiny_but_iq2_s_or_m(file_)) return fallback(Type::q2_k, row);
    if (is_one_of(file_, {File::iq2_s, File::iq2_m, File::iq3_xxs})) return fallback(Type::iq3_s, row);
    if (is_one_of(file_, {File::tq1_0, File::tq2_0, File::q2_0})) return fallback(Type::q4_k, row);
    if (file_ == File::mxfp4_moe) return Type::q8_0;
    return fallback(base_, row);
  }

  [[nodiscard]] Type head(std::int64_t row) const {
    if (is_float(file_)) return base_;
    if (keeps_all_but_experts()) return fallback(Type::q8_0, row);
    Type type = base_;
    if (file_ == File::mxfp4_moe || falcon_ || !fits_rows_of(info(base_), row)) {
      type = Type::q8_0;
    } else if (is_tiny(file_) || file_ == File::iq3_xxs) {
      type = Type::q5_k;
    } else if (base_ != Type::q8_0) {
      type = Type::q6_k;
    }
    return fallback(type, row);
  }

  [[nodiscard]] Type matrix(Category category, bool expert, const Place& at, std::int64_t row) const {
    if (is_float(file_)) return base_;
    if (file_ == File::mxfp4_moe) return fallback(expert ? Type::mxfp4 : Type::q8_0, row);
    if (keeps_all_but_experts()) {
      if (!expert) return fallback(Type::q8_0, row);
      return fallback(category == Category::down ? next_larger() : base_, row);
    }
    if (is_tiny(file_)) return fallback(tiny(category, at), row);
    switch (category) {
      case Category::value:
      case Category::joint_qkv: return fallback(value(at), row);
      case Category::key:
      case Category::query: return fallback(query_or_key(category), row);
      case Category::down: return fallback(down(at.layer), row);
      case Category::output_projection: return fallback(output_projection(), row);
      case Category::gate:
      case Category::up: return fallback(file_ == File::iq3_xs && at.layer >= layers_ / 8 && at.layer < 7 * layers_ / 8 ? Type::iq3_xxs : base_, row);
      default: return fallback(base_, row);
    }
  }

 private:
  [[nodiscard]] Type next_larger() const {
    switch (base_) {
      case Type::iq2_ks: return Type::iq3_ks;
      case Type::iq2_k: return Type::iq3_k;
      case Type::iq3_ks:
      case Type::iq3_k:
      case Type::iq4_kss: return Type::iq4_ks;
      case Type::iq4_ks: return Type::iq5_ks;
      case Type::iq4_k: return Type::iq5_k;
      case Type::iq5_ks:
      case Type::iq5_k: return Type::iq6_k;
      default: return Type::q8_0;
    }
  }

  static bool more_bits(std::int64_t i, std::int64_t n) { return i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2; }

  [[nodiscard]] Type tiny(Category category, const Place& at) const {
    const bool larger = file_ == File::iq2_s || file_ == File::iq2_m;
    const Type raised = larger ? Type::iq3_s : Type::q2_k;
    switch (category) {
      case Category::value:
      case Category::joint_qkv: return gqa_ >= 4 || experts_ >= 4 ? Type::q4_k : raised;
      case Category::key: return experts_ == 8 ? Type::q4_k : base_;
      case Category::down: return at.down < layers_ / 8 ? raised : base_;
      case Category::output_projection:
        if (experts_ == 8) return Type::q5_k;
        if (larger) return Type::iq3_s;
        return file_ == File::iq1_s || file_ == File::iq1_m ? Type::iq2_xxs : base_;
      default: return base_;
    }
  }

  [[nodiscard]] Type value(const Place& at) const {
    Type type = base_;
    switch (file_) {
      case File::q2_k: type = gqa_ >= 4 ? Type::q4_k : Type::q3_k; break;
      case File::q2_k_s:
      case File::iq3_xs:
      case File::iq3_s:
        if (gqa_ >= 4) type = Type::q4_k;
        break;
      case File::iq3_xxs: type = gqa_ >= 4 ? Type::q4_k : imatrix_ ? Type::iq3_xxs : Type::iq3_s; break;
      case File::iq3_m: type = Type::q4_k; break;
      case File::q3_k_m: type = at.value < 2 ? Type::q5_k : Type::q4_k; break;
      case File::q3_k_l: type = Type::q5_k; break;
      case File::iq4_nl:
      case File::iq4_xs:
        if (gqa_ >= 4) type = Type::q5_k;
        break;
      case File::q4_k_m:
      case File::q5_k_m:
        if (more_bits(at.value, values_)) type = Type::q6_k;
        break;
      case File::q4_k_s:
        if (at.value < 4) type = Type::q5_k;
        break;
      default: break;
    }
    if (seventy_b_ && (type == Type::q3_k || type == Type::q4_k)) type = Type::q5_k;
    return experts_ == 8 ? Type::q8_0 : type;
  }

  [[nodiscard]] Type query_or_key(Category category) const {
    if (category == Category::key && experts_ == 8) return Type::q8_0;
    if (file_ == File::iq3_xs) return Type::iq3_xxs;
    return file_ == File::iq3_xxs ? Type::iq2_s : base_;
  }

  [[nodiscard]] Type down(std::int64_t layer) const {
    const bool first_eighth = layer < layers_ / 8;
    switch (file_) {
      case File::q2_k: return Type::q3_k;
      case File::q2_k_s: return first_eighth ? Type::q4_k : base_;
      case File::iq3_xxs:
        if (imatrix_) return base_;
        return first_eighth ? Type::q4_k : Type::q3_k;
      case File::q3_k_m:
        if (layer < layers_ / 16) return Type::q5_k;
        return !falcon_ || more_bits(layer, layers_) ? Type::q4_k : Type::q3_k;
      case File::iq3_m: return first_eighth || (experts_ == 8 && more_bits(layer, layers_)) ? Type::q4_k : base_;
      case File::q3_k_l: return falcon_ ? Type::q4_k : Type::q5_k;
      case File::q4_k_m:
        if (!falcon_) return more_bits(layer, layers_) ? Type::q6_k : base_;
        if (layer < layers_ / 16) return Type::q6_k;
        return more_bits(layer, layers_) ? Type::q5_k : base_;
      case File::iq4_nl:
      case File::iq4_xs: return first_eighth && !imatrix_ ? Type::q5_k : base_;
      case File::q5_k_m: return more_bits(layer, layers_) ? Type::q6_k : base_;
      case File::q4_k_s: return first_eighth && !falcon_ ? Type::q5_k : base_;
      case File::q4_0: return first_eighth && imatrix_ ? Type::q4_1 : base_;
      case File::q5_0: return first_eighth && imatrix_ ? Type::q5_1 : base_;
      default: return base_;
    }
  }

  [[nodiscard]] Type output_projection() const {
    if (falcon_) return file_ == File::q3_k_l ? Type::q4_k : base_;
    if (experts_ == 8) {
      const bool raised = is_one_of(file_, {File::q2_k, File::iq3_xs, File::iq3_xxs, File::q3_k_s, File::q3_k_m, File::iq4_nl, File::q4_k_s,
                                            File::q4_k_m, File::iq3_s, File::iq3_m, File::iq4_xs});
      return raised ? Type::q5_k : base_;
    }
    switch (file_) {
      case File::q2_k: return Type::q3_k;
      case File::iq3_xxs: return Type::iq3_s;
      case File::q3_k_m:
      case File::iq3_m: return Type::q4_k;
      case File::q3_k_l: return Type::q5_k;
      default: return base_;
    }
  }

  /// A row that is not whole blocks: a near type of blocks of 32, and F16 where 32 does not divide it either.
  [[nodiscard]] static Type fallback(Type type, std::int64_t row) {
    if (fits_rows_of(info(type), row)) return type;
    Type near = Type::f16;
    switch (type) {
      case Type::iq1_s:
      case Type::iq1_m:
      case Type::iq2_xxs:
      case Type::iq2_xs:
      case Type::iq2_s:
      case Type::iq3_xxs:
      case Type::iq3_s:
      case Type::iq4_xs: near = Type::iq4_nl; break;
      case Type::q1_0:
      case Type::q2_0:
      case Type::q2_k:
      case Type::q3_k:
      case Type::tq1_0:
      case Type::tq2_0: near = Type::q4_0; break;
      case Type::q4_k: near = Type::q5_0; break;
      case Type::q5_k: near = Type::q5_1; break;
      case Type::q6_k: near = Type::q8_0; break;
      // The fork's types fall back to what their bits are nearest to.
      case Type::iq2_k:
      case Type::iq2_ks:
      case Type::iq3_k:
      case Type::iq3_ks:
      case Type::iq4_k:
      case Type::iq4_ks:
      case Type::iq4_kss: near = Type::iq4_nl; break;
      case Type::iq5_k:
      case Type::iq5_ks: near = Type::q6_k; break;
      case Type::iq6_k: near = Type::q8_0; break;
      default: break;
    }
    return fits_rows_of(info(near), row) ? near : Type::f16;
  }

  File file_;
  Type base_;
  std::int64_t layers_ = 0;
  std::int64_t experts_ = 0;
  std::int64_t gqa_ = 1;
  std::int64_t values_ = 0;
  bool falcon_ = false;
  bool tied_ = false;
  bool imatrix_ = false;
  bool seventy_b_ = false;
};

/// A matrix of the inventory as the file holds it: latent up projections apart, the gated delta's input in two.
std::vector<Tensor> as_stored(const Layer& layer, const Tensor& tensor, LatentUp latent_up) {
  if (tensor.matrix == Matrix::latent_kv_up && latent_up != LatentUp::joint && layer.heads > 0) {
    // r x H (n + d_v) becomes keys [n, r] and values [r, d_v] for each head.
    const std::int64_t values = layer.value_width;
    const std::int64_t nope = (tensor.outputs - values) / layer.heads;
    if (nope > 0) {
      Tensor keys = tensor;
      keys.matrix = Matrix::other;
      keys.inputs = nope;
      keys.outputs = tensor.inputs * layer.heads;
      Tensor rest = tensor;
      rest.matrix = Matrix::other;
      rest.outputs = values;
      if (latent_up == LatentUp::both) return {tensor, keys, rest};
      return {keys, rest};
    }
  }
  const std::int64_t mixed = 2 * layer.key_width + layer.value_width;
  if (tensor.matrix == Matrix::recurrent_input && tensor.outputs > mixed) {
    Tensor qkv = tensor;
    qkv.outputs = mixed;
    Tensor gate = tensor;
    gate.matrix = Matrix::attention_gate;
    gate.outputs = tensor.outputs - mixed;
    return {qkv, gate};
  }
  return {tensor};
}

bool is_table(const Tensor& tensor) { return tensor.matrix == Matrix::token_table || tensor.matrix == Matrix::per_layer_table; }

}  // namespace

std::span<const GgufFileTypeInfo> gguf_file_types() { return kFileTypes; }

const GgufFileTypeInfo& info(GgufFileType type) {
  for (const GgufFileTypeInfo& one : kFileTypes) {
    if (one.type == type) return one;
  }
  return kFileTypes[0];
}

std::optional<GgufFileType> gguf_file_type_named(std::string_view name) {
  std::string upper;
  for (const char c : name) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (upper == "MXFP4") return File::mxfp4_moe;
  if (upper == "FP16") return File::f16;
  if (upper == "FP32") return File::f32;
  if (upper.ends_with("_R4") || upper.ends_with("_R8")) upper.resize(upper.size() - 3);
  if (upper == "Q3_K" || upper == "Q4_K" || upper == "Q5_K") upper += "_M";
  for (const GgufFileTypeInfo& one : kFileTypes) {
    if (one.name == upper) return one.type;
  }
  return std::nullopt;
}

std::optional<GgufFileType> gguf_file_type_of_id(std::uint32_t id) {
  for (const GgufFileTypeInfo& one : kFileTypes) {
    if (one.id >= 0 && static_cast<std::uint32_t>(one.id) == id) return one.type;
  }
  return std::nullopt;
}

std::vector<GgufTensor> gguf_tensors(const Architecture& model, GgufFileType file, const GgufOptions& options) {
  Recipe recipe{model, file, options};
  const bool joined = joins_qkv(model.model_type);
  LatentUp latent_up = recipe.keeps_all_but_experts() ? LatentUp::both : options.latent_up;
  if (model.model_type == "minicpm3") latent_up = LatentUp::joint;

  std::vector<const Layer*> layers(static_cast<std::size_t>(std::max<std::int64_t>(model.layers, 0)), nullptr);
  for (const LayerGroup& group : model.groups) {
    for (const std::int64_t position : group.positions) {
      if (static_cast<std::size_t>(position) < layers.size()) layers[static_cast<std::size_t>(position)] = &group.layer;
      if (group.shared) break;  // written once
    }
  }
  // Value projections, or what stands for them, are counted among their own kind: not every layer has one.
  const auto has_value = [&](const Layer& layer) {
    for (const Tensor& tensor : layer.tensors) {
      const bool split_up = tensor.matrix == Matrix::latent_kv_up && latent_up != LatentUp::joint;
      const Category category = category_of(tensor.matrix, joined);
      if (!split_up && (category == Category::value || category == Category::joint_qkv)) return true;
    }
    return false;
  };
  std::int64_t values = 0;
  for (const Layer* layer : layers) values += layer != nullptr && has_value(*layer) ? 1 : 0;
  recipe.count_values(values);

  std::vector<GgufTensor> stored;
  const auto store = [&](const Tensor& tensor, std::int64_t layer, Type type, double row_length, double rows) {
    stored.push_back({.matrix = tensor.matrix,
                      .role = tensor.role,
                      .layer = layer,
                      .row_length = static_cast<std::int64_t>(row_length),
                      .rows = rows,
                      .type = type});
  };
  for (const Tensor& tensor : model.model_tensors) {
    if (tensor.role == Role::tower) continue;
    const auto copies = static_cast<double>(tensor.copies);
    if (is_table(tensor)) {  // a row per token, as wide as the embedding; Gemma's per-layer tables stand side by side
      const bool side_by_side = tensor.matrix == Matrix::per_layer_table;
      const std::int64_t row = side_by_side ? tensor.outputs * tensor.copies : tensor.outputs;
      store(tensor, -1, recipe.table(row), static_cast<double>(row), static_cast<double>(tensor.inputs));
    } else if (tensor.role == Role::head) {
      store(tensor, -1, recipe.head(tensor.inputs), static_cast<double>(tensor.inputs), static_cast<double>(tensor.outputs));
    } else if (tensor.role == Role::linear && tensor.matrix != Matrix::low_rank) {
      store(tensor, -1, recipe.matrix(Category::plain, false, {}, tensor.inputs), static_cast<double>(tensor.inputs),
            copies * static_cast<double>(tensor.outputs));
    } else {
      const Type kept = tensor.matrix == Matrix::low_rank && file != File::f32 ? Type::f16 : Type::f32;
      store(tensor, -1, kept, static_cast<double>(tensor.inputs), copies * static_cast<double>(tensor.outputs));
    }
  }

  if (model.tied && options.untied) {
    const Tensor head{.part = Part::lm_head, .role = Role::head, .matrix = Matrix::head, .inputs = model.table_width, .outputs = model.vocabulary};
    store(head, -1, recipe.head(head.inputs), static_cast<double>(head.inputs), static_cast<double>(head.outputs));
  }

  Place at;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i] == nullptr) continue;
    const Layer& layer = *layers[i];
    at.layer = static_cast<std::int64_t>(i);
    for (const Tensor& whole : layer.tensors) {
      for (const Tensor& tensor : as_stored(layer, whole, latent_up)) {
        const Category category = category_of(tensor.matrix, joined);
        const double rows = static_cast<double>(tensor.copies) * static_cast<double>(tensor.outputs);
        const bool matrix = category != Category::kept && (tensor.role == Role::linear || tensor.role == Role::expert);
        const Type type = matrix ? recipe.matrix(category, tensor.role == Role::expert, at, tensor.inputs) : Type::f32;
        store(tensor, at.layer, type, static_cast<double>(tensor.inputs), rows);
        if (category == Category::down) ++at.down;
      }
    }
    if (has_value(layer)) ++at.value;
  }
  return stored;
}

double gguf_bytes(const Architecture& model, GgufFileType type, const GgufOptions& options) {
  double bytes = 0;
  for (const GgufTensor& tensor : gguf_tensors(model, type, options)) bytes += tensor.bytes();
  return bytes;
}

double gguf_projector_bytes(const Architecture& model) {
  double bytes = 0;
  for (const Tensor& tensor : model.model_tensors) {
    if (tensor.role == Role::tower) bytes += tensor.size().as_double() * (tensor.outputs == 1 ? 4 : 2);
  }
  return bytes;
}

}  // namespace rigsizer
