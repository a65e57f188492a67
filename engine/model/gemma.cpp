#include "model/gemma.h"

namespace rigsizer {
namespace {

std::int64_t input_width(FieldReader& config) { return config.integer_or({"hidden_size_per_layer_input"}, 0, Range{0, range::width.high}); }
std::int64_t altup_inputs(FieldReader& config) { return config.integer_or({"altup_num_inputs"}, 0, Range{0, 64}); }

}  // namespace

void shape_gemma_attention(AttentionShape& shape, FieldReader& config, const LayerKind& kind, const std::string& model_type) {
  if (kind.shares_cache) shape.caches = false;
  if (model_type != "gemma4_text") return;
  if (kind.shares_cache) {
    shape.holds_keys_values = false;
    shape.query_norm_only = true;
  }
  if (kind.window > 0) return;
  shape.head_dim = shape.value_dim = config.integer_or({"global_head_dim"}, shape.head_dim, range::width);
  shape.kv_heads = config.integer_or({"num_global_key_value_heads"}, shape.kv_heads, range::heads);
  shape.keys_are_values = config.flag_or("attention_k_eq_v", false);
}

void add_gemma_extras(Layer& layer, FieldReader& config, std::int64_t hidden, const std::string& model_type) {
  auto& tensors = layer.tensors;
  if (const std::int64_t inputs = altup_inputs(config); inputs > 0) {
    tensors.push_back(vector_of(Part::altup, 2 * hidden + inputs * inputs + inputs * inputs * inputs));
    tensors.push_back(linear_of(Part::altup, Matrix::low_rank, hidden, inputs));
  }
  if (const std::int64_t rank = config.integer_or({"laurel_rank"}, 0, Range{0, range::width.high}); rank > 0) {
    tensors.push_back(linear_of(Part::laurel, Matrix::low_rank, hidden, rank));
    tensors.push_back(linear_of(Part::laurel, Matrix::low_rank, rank, hidden));
    tensors.push_back(vector_of(Part::laurel, hidden));
  }
  if (const std::int64_t width = input_width(config); width > 0) {
    tensors.push_back(linear_of(Part::per_layer_input, Matrix::other, hidden, width));
    tensors.push_back(linear_of(Part::per_layer_input, Matrix::other, width, hidden));
    tensors.push_back(vector_of(Part::per_layer_input, hidden));
  }
  if (model_type == "gemma4_text") tensors.push_back(vector_of(Part::norm, 1));
}

void add_gemma_tables(Architecture& model, FieldReader& config) {
  auto& tensors = model.model_tensors;
  if (const std::int64_t width = input_width(config); width > 0) {
    const std::int64_t rows = config.integer_or({"vocab_size_per_layer_input"}, model.vocabulary, range::vocabulary);
    tensors.push_back({.part = Part::per_layer_embed,
                       .role = Role::table,
                       .matrix = Matrix::per_layer_table,
                       .inputs = rows,
                       .outputs = width,
                       .copies = model.layers});
    tensors.push_back(linear_of(Part::per_layer_input, Matrix::low_rank, model.hidden, width * model.layers));
    tensors.push_back(vector_of(Part::per_layer_input, width));
  }
  if (const std::int64_t inputs = altup_inputs(config); inputs > 1) {
    tensors.push_back({.part = Part::altup,
                       .role = Role::linear,
                       .matrix = Matrix::low_rank,
                       .inputs = model.hidden,
                       .outputs = model.hidden,
                       .copies = 2 * (inputs - 1)});
  }
}

}  // namespace rigsizer
