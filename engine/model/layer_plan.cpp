#include "model/layer_plan.h"

#include <algorithm>
#include <string>

namespace rigsizer {
namespace {

void inconsistent(FieldReader& config, std::string field, std::string message) {
  config.fail({.code = "config_inconsistent",
               .path = "/model/config/" + field,
               .message = std::move(message),
               .hint = "Paste the config.json as published; one of the two fields was edited.",
               .values = {{"field", field}}});
}

void wrong_length(FieldReader& config, const std::string& field, std::size_t listed, std::size_t layers) {
  inconsistent(config, field, field + " lists " + std::to_string(listed) + " layers, num_hidden_layers says " + std::to_string(layers) + ".");
}

/// One entry per layer from `layer_types`; false when the field is absent.
bool apply_layer_types(FieldReader& config, std::vector<LayerKind>& plan, std::int64_t window) {
  const std::vector<std::string> types = config.words("layer_types");
  if (types.empty()) return false;
  if (types.size() != plan.size()) {
    wrong_length(config, "layer_types", types.size(), plan.size());
    return true;
  }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    // Sparse attention reads a part of the cache but keeps all of it.
    if (types[i] == "full_attention" || types[i] == "deepseek_sparse_attention") continue;
    if (types[i] == "sliding_attention") {
      plan[i].window = window;
    } else if (types[i] == "chunked_attention") {
      plan[i].window = config.integer_or({"attention_chunk_size"}, window, range::tokens);
    } else if (types[i] == "linear_attention") {
      plan[i].recurrent = true;
    } else {
      config.fail(unsupported_part("layer_types", "The layer type \"" + types[i] + "\" is not known to this version.",
                                   "Known: full_attention, sliding_attention, chunked_attention, linear_attention."));
      return true;
    }
  }
  return true;
}

/// One number per layer, `marks` those that differ: attn_type_list, hybrid_layer_pattern, no_rope_layers. False without it.
template <class Mark>
bool apply_numbers(FieldReader& config, std::string_view field, std::vector<LayerKind>& plan, Mark mark) {
  const std::vector<double> list = config.numbers(field);
  if (list.empty()) return false;
  if (list.size() != plan.size()) {
    wrong_length(config, std::string{field}, list.size(), plan.size());
    return true;
  }
  for (std::size_t i = 0; i < plan.size(); ++i) mark(plan[i], list[i]);
  return true;
}

/// A list of layer numbers, counted from `base`.
template <class Mark>
void apply_layer_numbers(FieldReader& config, std::string_view field, int base, std::vector<LayerKind>& plan, Mark mark) {
  for (const double layer : config.numbers(field)) {
    if (layer < base || layer >= static_cast<double>(plan.size()) + base) {
      inconsistent(config, std::string{field}, std::string{field} + " names a layer that num_hidden_layers does not have.");
      return;
    }
    mark(plan[static_cast<std::size_t>(layer) - static_cast<std::size_t>(base)]);
  }
}

void apply_windows(FieldReader& config, const Family& family, std::vector<LayerKind>& plan, std::int64_t max_context) {
  if (family.windows == Windows::never) return;
  const bool chunked = family.model_type == "llama4_text";
  std::int64_t window = chunked ? config.integer_or({"attention_chunk_size"}, 8192, Range{0, range::tokens.high})
                                : config.integer_or({"sliding_window"}, 0, Range{0, range::tokens.high});
  if (max_context > 0 && window >= max_context) window = 0;
  apply_layer_numbers(config, "linear_attn_config.kda_layers", 1, plan, [](LayerKind& kind) { kind.recurrent = true; });
  if (apply_layer_types(config, plan, window)) return;
  // MiniMax: 1 softmax, 0 lightning. MiMo: 1 windowed. Llama 4: 1 rotates and is chunked, 0 does neither.
  if (apply_numbers(config, "attn_type_list", plan, [](LayerKind& kind, double type) { kind.recurrent = type == 0; })) return;
  if (apply_numbers(config, "hybrid_layer_pattern", plan, [&](LayerKind& kind, double type) { kind.window = type == 0 ? 0 : window; })) return;
  if (apply_numbers(config, "no_rope_layers", plan, [&](LayerKind& kind, double type) { kind.window = type == 0 ? 0 : window; })) return;
  if (const std::int64_t interval = config.integer_or({"full_attention_interval"}, 0, range::layers); interval > 0) {
    for (std::size_t i = 0; i < plan.size(); ++i) plan[i].recurrent = (static_cast<std::int64_t>(i) + 1) % interval != 0;
    return;
  }
  if (window == 0 || !config.flag_or("use_sliding_window", family.windows != Windows::opt_in)) return;
  const std::int64_t period = config.integer_or({"sliding_window_pattern", "no_rope_layer_interval"}, family.window_period, range::layers);
  const std::int64_t from = family.windows == Windows::opt_in ? config.integer_or({"max_window_layers"}, 0, Range{0, range::layers.high}) : 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto layer = static_cast<std::int64_t>(i);
    const bool full = period > 0 ? (layer + 1) % period == 0 : layer < from;
    if (!full) plan[i].window = window;
  }
}

void apply_experts(FieldReader& config, const Family& family, std::vector<LayerKind>& plan, std::int64_t experts) {
  if (experts <= 1) return;
  const auto layers = static_cast<std::int64_t>(plan.size());
  // DeepSeek and its kin begin with dense layers, how many differs by model.
  const bool begins_dense =
      family.block == Block::latent || family.block == Block::delta_latent || family.model_type == "deepseek" || family.model_type == "glm4_moe";
  const Range count{0, range::layers.high};
  const std::int64_t first = begins_dense ? config.required({"first_k_dense_replace"}, count)
                                          : config.integer_or({"first_k_dense_replace", "moe_layer_start_index"}, 0, count);
  const std::int64_t last = config.integer_or({"moe_layer_end_index"}, layers - 1, Range{0, range::layers.high});
  const std::int64_t step = config.integer_or({"interleave_moe_layer_step", "decoder_sparse_step", "moe_layer_interval", "moe_layer_freq"}, 1,
                                              Range{0, range::layers.high});
  const bool jamba = family.block == Block::jamba;  // whose configuration class fills these in
  const std::int64_t period = config.integer_or({"expert_layer_period"}, jamba ? 2 : 0, range::layers);
  const std::int64_t offset = config.integer_or({"expert_layer_offset"}, jamba ? 1 : 0, count);
  const auto dense = config.numbers("mlp_only_layers");
  for (std::int64_t i = 0; i < layers; ++i) {
    bool moe = i >= first && i <= last;
    // "Every step-th layer" counts from one: with a step of 2, layers 1, 3, 5, ... have experts.
    if (step > 1) moe = moe && (i + 1) % step == 0;
    if (step == 0) moe = false;
    if (period > 0) moe = i % period == offset;
    for (const double layer : dense) moe = moe && static_cast<double>(i) != layer;
    plan[static_cast<std::size_t>(i)].moe = moe;
  }
}

/// Nemotron-H: a letter or a word per layer.
void apply_pattern(FieldReader& config, std::vector<LayerKind>& plan) {
  std::string letters = config.text_or("hybrid_override_pattern", "");
  for (const std::string& word : config.words("layers_block_type")) {
    letters += word == "mamba" ? 'M' : word == "attention" ? '*' : word == "moe" ? 'E' : word == "mlp" ? '-' : '?';
  }
  if (letters.size() != plan.size()) {
    inconsistent(config, "hybrid_override_pattern",
                 "The layer pattern has " + std::to_string(letters.size()) + " layers, num_hidden_layers says " + std::to_string(plan.size()) + ".");
    return;
  }
  for (std::size_t i = 0; i < plan.size(); ++i) {
    LayerKind& kind = plan[i];
    kind.recurrent = letters[i] == 'M';
    kind.mixer = letters[i] == 'M' || letters[i] == '*';
    kind.feed_forward = !kind.mixer;
    kind.moe = letters[i] == 'E';
    if (kind.feed_forward && !kind.moe && letters[i] != '-') {
      inconsistent(config, "hybrid_override_pattern", "The layer pattern has a layer of unknown kind; known are mamba, attention, mlp and moe.");
      return;
    }
  }
}

/// Sparse-attention indexers that several layers share are not described anywhere we could check.
void refuse_shared_indexers(FieldReader& config) {
  for (const std::string& type : config.words("indexer_types")) {
    if (type == "full") continue;
    config.fail(unsupported_part("indexer_types", "Layers that share their sparse-attention indexer are not known to this version.",
                                 "The rest of the architecture is known; without indexer_types every layer is counted with an indexer of its own."));
    return;
  }
}

/// Families that mix attention with something else must say where: all attention would be another model.
void refuse_unplanned_hybrids(FieldReader& config, const Family& family, const std::vector<LayerKind>& plan) {
  const bool hybrid = family.block == Block::gated_delta || family.block == Block::lightning || family.block == Block::delta_latent;
  const bool planned = std::any_of(plan.begin(), plan.end(), [](const LayerKind& kind) { return kind.recurrent; });
  if (hybrid && !planned && !config.has("layer_types")) config.required({"layer_types"}, range::layers);
}

}  // namespace

std::vector<LayerKind> plan_layers(FieldReader& config, const Family& family, std::int64_t layers, std::int64_t experts, std::int64_t max_context) {
  std::vector<LayerKind> plan(static_cast<std::size_t>(layers));
  if (family.block == Block::nemotron_h) {
    apply_pattern(config, plan);
    return plan;
  }
  apply_windows(config, family, plan, max_context);
  refuse_shared_indexers(config);

  // A list of 0 and 1 per layer wins over counting rules.
  const bool listed = config.is_list("moe_layer_freq") &&
                      apply_numbers(config, "moe_layer_freq", plan, [](LayerKind& kind, double experts_here) { kind.moe = experts_here != 0; });
  if (!listed) apply_experts(config, family, plan, experts);

  if (family.block == Block::jamba) {
    const std::int64_t period = config.integer_or({"attn_layer_period"}, 8, range::layers);
    const std::int64_t offset = config.integer_or({"attn_layer_offset"}, 4, Range{0, range::layers.high});
    for (std::int64_t i = 0; i < layers; ++i) plan[static_cast<std::size_t>(i)].recurrent = i % period != offset;
  }
  if (family.block == Block::compressed) {
    const auto ratios = config.numbers("compress_ratios");
    if (ratios.size() < plan.size()) wrong_length(config, "compress_ratios", ratios.size(), plan.size());
    const std::int64_t hashed = config.integer_or({"num_hash_layers"}, 0, Range{0, range::layers.high});
    const std::int64_t window = config.integer_or({"sliding_window"}, 0, Range{0, range::tokens.high});
    for (std::size_t i = 0; i < plan.size(); ++i) {
      plan[i].pool_ratio = i < ratios.size() ? static_cast<std::int64_t>(ratios[i]) : 0;
      plan[i].hashed = static_cast<std::int64_t>(i) < hashed;
      plan[i].window = window;
    }
  }
  apply_numbers(config, "sparse_attention_config.sparse_attention_freq", plan, [](LayerKind& kind, double sparse) { kind.indexed = sparse != 0; });
  const std::int64_t sharing = config.integer_or({"num_kv_shared_layers"}, 0, Range{0, layers});
  for (std::int64_t i = layers - sharing; i < layers; ++i) plan[static_cast<std::size_t>(i)].shares_cache = true;
  apply_layer_numbers(config, "cross_attention_layers", 0, plan, [](LayerKind& kind) { kind.cross = true; });
  if (config.flag_or("use_cla", false)) {
    const std::int64_t share = config.integer_or({"cla_share_factor"}, 2, range::layers);
    for (std::int64_t i = 0; i < layers; ++i) plan[static_cast<std::size_t>(i)].holds_keys_values = i % share == 0;
  }
  if (family.block == Block::rwkv7 && !plan.empty()) plan.front().first = true;
  refuse_unplanned_hybrids(config, family, plan);
  return plan;
}

}  // namespace rigsizer
