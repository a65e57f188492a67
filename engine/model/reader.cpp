#include "model/reader.h"

#include <string>
#include <utility>

#include "model/blocks.h"
#include "model/census.h"
#include "model/family.h"
#include "model/gemma.h"
#include "model/layer_plan.h"
#include "model/recurrent.h"
#include "model/tower.h"

namespace rigsizer {
namespace {

/// What every layer of one model shares.
struct Shape {
  const Family* family = nullptr;
  std::string model_type;
  std::int64_t hidden = 0, layers = 0, heads = 0, kv_heads = 0, head_dim = 0, value_dim = 0;
  std::int64_t mlp_width = 0, dense_width = 0;
  std::int64_t experts = 0, experts_per_token = 0, expert_width = 0, shared_width = 0;
  std::int64_t max_context = 0;
  bool qkv_bias = false, out_bias = false, mlp_bias = false;
  Norm norm = Norm::rms;
  int norms_per_layer = 2;
  QkNorm qk_norm = QkNorm::none;
};

void read_attention(FieldReader& config, Shape& s) {
  const Family& family = *s.family;
  s.heads = config.required({"num_attention_heads", "n_head", "n_heads"}, range::heads);
  s.kv_heads = config.integer_or({"num_key_value_heads", "attn_config.kv_n_heads"}, s.heads, range::heads);
  if (config.flag_or("multi_query", false)) s.kv_heads = 1;
  if (config.flag_or("new_decoder_architecture", false) || s.model_type != "falcon") {
    s.kv_heads = config.integer_or({"num_kv_heads"}, s.kv_heads, range::heads);
  }
  if (config.flag_or("multi_query_attention", false)) {
    s.kv_heads = config.integer_or({"multi_query_group_num"}, 1, range::heads);
  }
  s.head_dim = config.integer_or({"head_dim", "kv_channels", "attention_head_dim"}, std::max<std::int64_t>(1, s.hidden / s.heads), range::width);
  s.value_dim = config.integer_or({"v_head_dim"}, s.head_dim, range::width);
  if (s.heads % s.kv_heads != 0) {
    config.fail({.code = "config_inconsistent",
                 .path = "/model/config/num_key_value_heads",
                 .message = std::to_string(s.heads) + " query heads cannot share " + std::to_string(s.kv_heads) + " key/value heads evenly.",
                 .hint = "num_attention_heads must be a multiple of num_key_value_heads.",
                 .values = {{"field", std::string{"num_key_value_heads"}}}});
  }

  s.qkv_bias = config.flag_or("attention_bias", family.qkv_bias);
  s.out_bias = s.qkv_bias == family.qkv_bias ? family.out_bias : s.qkv_bias && family.bias_covers_out;
  s.qkv_bias = config.flag_or("use_qkv_bias", config.flag_or("add_qkv_bias", config.flag_or("qkv_bias", s.qkv_bias)));
  s.out_bias = config.flag_or("attention_out_bias", s.out_bias);
  s.mlp_bias = config.flag_or("mlp_bias", family.mlp_bias);
  for (const auto& [name, present_means] : {std::pair{"bias", true}, std::pair{"use_bias", true}, std::pair{"no_bias", false}}) {
    if (s.model_type == "qwen" || !config.has(name)) continue;
    const bool biased = config.flag_or(name, false) == present_means;
    s.qkv_bias = s.out_bias = biased;
    if (s.model_type != "internlm") s.mlp_bias = biased;
  }
  s.qk_norm = config.flag_or("use_qk_norm", !family.qk_norm_needs_flag) ? family.qk_norm : QkNorm::none;
  if (config.flag_or("qk_layernorm", false)) s.qk_norm = QkNorm::per_head;
}

void read_feed_forward(FieldReader& config, Shape& s) {
  const Family& family = *s.family;
  const std::int64_t ratio = config.integer_or({"expansion_ratio"}, 4, range::small);
  s.mlp_width = config.integer_or({"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "ffn_config.ffn_hidden_size"},
                                  family.gated ? 0 : ratio * s.hidden, Range{0, range::width.high});
  if (s.model_type == "qwen") s.mlp_width /= 2;  // the field is the width of gate and up together
  s.experts =
      config.integer_or({"num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts", "ffn_config.moe_num_experts"}, 0, range::experts);
  if (s.experts > 1) {
    s.experts_per_token = config.required(
        {"num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k", "top_k_experts", "ffn_config.moe_top_k"}, Range{1, s.experts});
    s.expert_width = config.integer_or({"moe_intermediate_size"}, s.mlp_width, Range{0, range::width.high});
    const std::int64_t shared =
        config.integer_or({"n_shared_experts", "num_shared_expert", "moe_num_shared_experts", "num_shared_experts"}, 0, range::experts);
    s.shared_width =
        config.integer_or({"shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "share_expert_dim", "shared_intermediate_size"},
                          shared * s.expert_width, Range{0, range::width.high});
    if (s.model_type == "llama4_text") s.shared_width = s.expert_width;
  }
  s.dense_width = config.integer_or({"intermediate_size_mlp", "dense_intermediate_size"}, s.mlp_width, Range{0, range::width.high});
}

void read_norms(FieldReader& config, Shape& s) {
  s.norm = s.family->norm;
  s.norms_per_layer = s.family->norms_per_layer;
  if (s.model_type == "falcon" && config.flag_or("parallel_attn", true) && !config.flag_or("new_decoder_architecture", false)) {
    s.norms_per_layer = 1;
  }
  if (s.model_type == "stablelm" && config.flag_or("use_parallel_residual", false)) s.norms_per_layer = 1;
  if (s.model_type == "mpt" && !config.flag_or("no_bias", true)) s.norm = Norm::layer_norm;
}

Failure unknown_part_of(const std::string& part, std::string message, std::string hint) {
  return {.code = "unsupported_part",
          .path = "/model/config/" + part,
          .message = std::move(message),
          .hint = std::move(hint),
          .values = {{"part", part}}};
}

std::int64_t mamba_rank(FieldReader& config, std::int64_t hidden) {
  return config.integer_or({"time_step_rank", "mamba_dt_rank"}, (hidden + 15) / 16, range::width);
}

void add_recurrent(Layer& layer, FieldReader& config, const Shape& s) {
  switch (s.family->block) {
    case Block::gated_delta:
      add_gated_delta(layer, {.hidden = s.hidden,
                              .key_heads = config.required({"linear_num_key_heads"}, range::heads),
                              .key_dim = config.required({"linear_key_head_dim"}, range::width),
                              .value_heads = config.required({"linear_num_value_heads"}, range::heads),
                              .value_dim = config.required({"linear_value_head_dim"}, range::width),
                              .kernel = config.integer_or({"linear_conv_kernel_dim"}, 4, range::small)});
      break;
    case Block::lightning: add_lightning(layer, s.hidden, s.heads, s.head_dim); break;
    case Block::delta_latent:
      if (!config.flag_or("linear_attn_config.use_full_rank_gate", false)) {
        config.fail(unknown_part_of("linear_attn_config", "Kimi's linear attention with a low-rank gate is not known to this version.",
                                    "Known is the full-rank gate of Kimi K3 (use_full_rank_gate)."));
      }
      add_kda(layer, s.hidden, config.required({"linear_attn_config.num_heads"}, range::heads),
              config.required({"linear_attn_config.head_dim"}, range::width),
              config.integer_or({"linear_attn_config.short_conv_kernel_size"}, 4, range::small));
      break;
    case Block::jamba:
    case Block::mamba1: {
      const std::int64_t inner = config.integer_or({"mamba_expand", "expand"}, 2, range::small) * s.hidden;
      add_mamba1(layer, {.hidden = s.hidden,
                         .inner = s.family->block == Block::mamba1 ? config.integer_or({"intermediate_size"}, inner, range::width) : inner,
                         .state = config.integer_or({"state_size", "mamba_d_state"}, 16, range::small),
                         .rank = mamba_rank(config, s.hidden),
                         .kernel = config.integer_or({"conv_kernel", "mamba_d_conv"}, 4, range::small),
                         .inner_norms = s.family->block == Block::jamba});
      break;
    }
    case Block::nemotron_h:
    case Block::mamba2: {
      const std::int64_t heads = config.required({"mamba_num_heads", "num_heads"}, range::heads);
      const std::int64_t dim =
          s.family->block == Block::mamba2 ? config.integer_or({"head_dim"}, 64, range::width) : config.required({"mamba_head_dim"}, range::width);
      add_mamba2(layer, {.hidden = s.hidden,
                         .inner = heads * dim,
                         .state = config.integer_or({"ssm_state_size", "state_size"}, 128, range::small),
                         .kernel = config.integer_or({"conv_kernel"}, 4, range::small),
                         .heads = heads,
                         .groups = config.integer_or({"n_groups"}, 1, range::small)});
      break;
    }
    default: break;
  }
}

void add_mixer(Layer& layer, FieldReader& config, const Shape& s, const LayerKind& kind) {
  if (kind.recurrent || s.family->block == Block::mamba1 || s.family->block == Block::mamba2) {
    add_recurrent(layer, config, s);
    return;
  }
  switch (s.family->block) {
    case Block::latent:
    case Block::delta_latent:
      add_latent_attention(layer, {.hidden = s.hidden,
                                   .heads = s.heads,
                                   .kv_rank = config.required({"kv_lora_rank"}, range::width),
                                   .query_rank = config.integer_or({"q_lora_rank"}, 0, Range{0, range::width.high}),
                                   .nope_dim = config.required({"qk_nope_head_dim"}, range::width),
                                   .rope_dim = config.required({"qk_rope_head_dim"}, range::width),
                                   .value_dim = config.required({"v_head_dim"}, range::width),
                                   .output_gate = config.flag_or("mla_use_output_gate", false),
                                   .index_heads = config.integer_or({"index_n_heads"}, 0, range::heads),
                                   .index_dim = config.integer_or({"index_head_dim"}, 0, range::width)});
      return;
    case Block::compressed:
      add_compressed_attention(layer, {.hidden = s.hidden,
                                       .heads = s.heads,
                                       .head_dim = s.head_dim,
                                       .query_rank = config.required({"q_lora_rank"}, range::width),
                                       .output_rank = config.required({"o_lora_rank"}, range::width),
                                       .output_groups = config.required({"o_groups"}, range::small),
                                       .window = kind.window,
                                       .ratio = kind.pool_ratio,
                                       .index_heads = config.integer_or({"index_n_heads"}, 0, range::heads),
                                       .index_dim = config.integer_or({"index_head_dim"}, 0, range::width),
                                       .streams = config.required({"hc_mult"}, Range{1, 64})});
      return;
    default: break;
  }
  AttentionShape shape{.hidden = s.hidden,
                       .heads = s.heads,
                       .kv_heads = s.kv_heads,
                       .head_dim = s.head_dim,
                       .value_dim = s.value_dim,
                       .window = kind.window,
                       .qkv_bias = s.qkv_bias,
                       .out_bias = s.out_bias,
                       .qk_norm = s.qk_norm,
                       .qk_norm_per_head_weights = s.model_type == "stablelm",
                       .query_gate = s.family->block == Block::gated_delta,
                       .sinks = s.model_type == "gpt_oss",
                       .holds_keys_values = kind.holds_keys_values};
  if (kind.window > 0) {  // some families shape their windowed layers differently
    shape.heads = config.integer_or({"swa_num_attention_heads", "attention_other_setting.num_attention_heads"}, shape.heads, range::heads);
    shape.kv_heads = config.integer_or({"swa_num_key_value_heads", "attention_other_setting.num_attention_groups"}, shape.kv_heads, range::heads);
    shape.head_dim = config.integer_or({"swa_head_dim"}, shape.head_dim, range::width);
    shape.value_dim = config.integer_or({"swa_v_head_dim"}, shape.value_dim, range::width);
    shape.sinks = shape.sinks || config.flag_or("add_swa_attention_sink_bias", false);
  }
  if (config.flag_or("use_head_wise_attn_gate", false)) shape.head_gates = shape.heads;
  if (s.family->model_type.starts_with("gemma")) shape_gemma_attention(shape, config, kind, s.model_type);
  if (kind.indexed) {
    shape.index_heads = config.required({"sparse_attention_config.sparse_num_index_heads"}, range::heads);
    shape.index_dim = config.required({"sparse_attention_config.sparse_index_dim"}, range::width);
  }
  add_attention(layer, shape);
}

void add_feed_forward(Layer& layer, FieldReader& config, const Shape& s, const LayerKind& kind) {
  const bool beside_experts = kind.moe && config.flag_or("enable_moe_block", false);  // Gemma 4: a dense MLP next to the experts
  if (beside_experts) add_mlp(layer, {.hidden = s.hidden, .width = s.dense_width, .gated = s.family->gated}, Part::moe);
  if (!kind.moe) {
    if (s.dense_width == 0) config.required({"intermediate_size"}, range::width);
    const bool wide = kind.shares_cache && config.flag_or("use_double_wide_mlp", false);
    add_mlp(layer, {.hidden = s.hidden, .width = wide ? 2 * s.dense_width : s.dense_width, .gated = s.family->gated, .bias = s.mlp_bias});
    return;
  }
  if (s.expert_width == 0) config.required({"moe_intermediate_size"}, range::width);
  add_moe(layer, {.hidden = s.hidden,
                  .experts = s.experts,
                  .experts_per_token = s.experts_per_token,
                  .width = s.expert_width,
                  .shared_width = s.shared_width,
                  .gated = s.family->gated,
                  .correction_bias = s.family->correction_bias && !kind.hashed,
                  .shared_gate = s.family->shared_expert_gate,
                  .expert_bias = s.model_type == "gpt_oss",
                  .latent = config.integer_or({"moe_latent_size", "routed_expert_hidden_size"}, 0, Range{0, range::width.high}),
                  .latent_norm = config.flag_or("latent_moe_use_norm", false)});
  // Router scale, one scale per expert, three norms around the two paths.
  if (beside_experts) layer.tensors.push_back(vector_of(Part::moe, 4 * s.hidden + s.experts));
}

/// Llama 3.2 Vision: a whole layer that reads the image: attention with per-head norms, MLP, two norms, two gates.
/// Its keys and values are those of the image, held once per sequence, so it adds nothing per token.
void add_cross_layer(Layer& layer, const Shape& s) {
  add_attention(
      layer,
      {.hidden = s.hidden, .heads = s.heads, .kv_heads = s.kv_heads, .head_dim = s.head_dim, .value_dim = s.value_dim, .qk_norm = QkNorm::per_head});
  layer.kv.clear();
  layer.flops_per_token_pair = 0;
  add_mlp(layer, {.hidden = s.hidden, .width = s.dense_width});
  layer.tensors.push_back(vector_of(Part::norm, 2 * s.hidden + 2));
  for (Tensor& tensor : layer.tensors) tensor.part = Part::cross_attention;
}

Layer make_layer(FieldReader& config, const Shape& s, const LayerKind& kind) {
  Layer layer;
  layer.mixer = Mixer::none;
  if (s.family->block >= Block::rwkv4) {
    add_rwkv(layer, {.version = s.family->block,
                     .hidden = s.hidden,
                     .width = config.required({"intermediate_size"}, range::width),
                     .head_size = config.integer_or({"head_size"}, 64, range::small),
                     .mix_rank = config.integer_or({"time_mix_extra_dim"}, 32, range::small),
                     .decay_rank = config.integer_or({"time_decay_extra_dim", "decay_low_rank_dim"}, 64, range::small),
                     .a_rank = config.integer_or({"a_low_rank_dim"}, 64, range::small),
                     .v_rank = config.integer_or({"v_low_rank_dim"}, 32, range::small),
                     .gate_rank = config.integer_or({"gate_low_rank_dim"}, 128, range::small),
                     .first_layer = kind.first});
    return layer;
  }
  if (kind.cross) {
    add_cross_layer(layer, s);
    return layer;
  }
  if (kind.mixer) add_mixer(layer, config, s, kind);
  const bool mlp = kind.feed_forward && s.family->block != Block::mamba1 && s.family->block != Block::mamba2;
  if (mlp) add_feed_forward(layer, config, s, kind);
  add_norms(layer, s.norm, s.hidden, s.norms_per_layer);
  add_gemma_extras(layer, config, s.hidden, s.model_type);
  if (const std::int64_t block = config.integer_or({"attn_res_block_size"}, 0, range::small); block > 0) {
    // Kimi K3: two learned residual mixes per layer, a norm and a projection to one weight each.
    layer.tensors.push_back(vector_of(Part::norm, 2 * s.hidden, 2));
  }
  return layer;
}

std::vector<LayerGroup> group_layers(FieldReader& config, const Shape& s) {
  std::vector<LayerGroup> groups;
  std::vector<LayerKind> kinds;
  for (const LayerKind& kind : plan_layers(config, *s.family, s.layers, s.experts, s.max_context)) {
    std::size_t i = 0;
    while (i < kinds.size() && !(kinds[i] == kind)) ++i;
    if (i == kinds.size()) {
      kinds.push_back(kind);
      groups.push_back({.count = 0, .layer = make_layer(config, s, kind)});
    }
    ++groups[i].count;
  }
  return groups;
}

void add_model_tensors(Architecture& model, FieldReader& config, const Shape& s, bool tied) {
  auto& tensors = model.model_tensors;
  const bool rwkv = s.family->block >= Block::rwkv4;
  model.table_width = config.integer_or({"word_embed_proj_dim"}, s.hidden, range::width);
  tensors.push_back({.part = Part::embed, .role = Role::table, .inputs = model.vocabulary, .outputs = model.table_width});
  if (s.model_type == "mllama_text_model") {  // eight rows for image placeholders
    tensors.push_back({.part = Part::embed, .role = Role::vector, .inputs = 8 * s.hidden});
  }
  if (model.table_width != s.hidden) {
    tensors.push_back({.part = Part::embed_projection, .role = Role::linear, .inputs = model.table_width, .outputs = s.hidden, .copies = 2});
  }
  if (s.family->learned_positions || config.flag_or("learned_pos_emb", false)) {
    const std::int64_t offset = s.model_type == "opt" ? 2 : 0;
    tensors.push_back({.part = Part::position, .role = Role::table, .inputs = s.max_context + offset, .outputs = s.hidden});
  }
  add_gemma_tables(model, config);
  if (s.model_type == "bloom") tensors.push_back(vector_of(Part::embed_norm, 2 * s.hidden));
  if (rwkv) tensors.push_back(vector_of(Part::rwkv, 2 * s.hidden));  // a LayerNorm before the first layer
  const bool final_norm = config.flag_or("do_layer_norm_before", true);
  if (final_norm) tensors.push_back(vector_of(Part::norm, norm_size(s.norm, s.hidden)));
  if (s.family->block == Block::compressed) {
    const std::int64_t m = config.required({"hc_mult"}, Range{1, 64});
    tensors.push_back({.part = Part::hyper_connection, .role = Role::router, .inputs = m * m, .outputs = s.hidden});
    tensors.push_back(vector_of(Part::hyper_connection, m + 1));
  }
  if (config.has("attn_res_block_size")) tensors.push_back(vector_of(Part::norm, 2 * s.hidden));
  if (!tied) {
    tensors.push_back({.part = rwkv ? Part::embed : Part::lm_head, .role = Role::head, .inputs = model.table_width, .outputs = model.vocabulary});
    if (config.flag_or("lm_head_bias", s.family->head_bias)) tensors.push_back(vector_of(Part::lm_head, model.vocabulary));
  }
}

/// DeepSeek-style multi-token prediction: one more layer, a 2h x h projection, three norms; tables of its own.
void add_prediction_layer(Architecture& model, FieldReader& config, const Shape& s) {
  const bool published_beside = s.family->correction_bias && (s.family->block == Block::latent || s.model_type == "glm4_moe");
  if (!published_beside || config.integer_or({"num_nextn_predict_layers"}, 0, Range{0, 64}) == 0) return;
  LayerKind kind;
  kind.moe = s.experts > 1;
  const Layer layer = make_layer(config, s, kind);
  Count layer_parameters{};
  for (const Tensor& tensor : layer.tensors) layer_parameters += tensor.size();
  model.extra.push_back({"mtp", layer_parameters + Count{2} * s.hidden * s.hidden + Count{3} * s.hidden});
  model.extra.push_back({"mtp_embed_head_copy", Count{2} * model.vocabulary * s.hidden});
}

std::string published_format(FieldReader& root, FieldReader& config) {
  for (FieldReader* reader : {&root, &config}) {
    const std::string method = reader->text_or("quantization_config.quant_method", "");
    if (!method.empty()) return method;
  }
  const std::string type = config.text_or("torch_dtype", config.text_or("dtype", root.text_or("torch_dtype", root.text_or("dtype", ""))));
  if (type == "bfloat16") return "bf16";
  if (type == "float16") return "fp16";
  if (type == "float32") return "fp32";
  return type;
}

Failure unknown_architecture(const std::string& model_type) {
  return {.code = "unsupported_architecture",
          .path = "/model/config/model_type",
          .message = "The architecture \"" + model_type + "\" is not known to this version.",
          .hint = "Its layers would have to be guessed, so nothing is computed. Known are " + std::to_string(families().size()) +
                  " families of decoder-only language models, such as llama, qwen3_moe, deepseek_v3 and gemma3_text.",
          .values = {{"model_type", model_type}}};
}

Failure unknown_tower(const std::string& part, const std::string& model_type) {
  return unknown_part_of(part, "The language part (" + model_type + ") is known, the part in " + part + " is not yet.",
                         "Paste only the text_config to size the language part alone; the tower comes on top of it.");
}

}  // namespace

Result<Architecture> read_architecture(const Fields& fields) {
  FieldReader root{fields};
  const std::string outer_type = root.text_or("model_type", "");
  if (root.failure()) return *root.failure();
  if (outer_type.empty()) {
    return Failure{.code = "config_no_model_type",
                   .path = "/model/config/model_type",
                   .message = "The config has no model_type, so its architecture is unknown.",
                   .hint = "Paste the config.json of a transformers model; it names its model_type.",
                   .values = {}};
  }
  const bool nested = fields.contains("text_config.model_type") || fields.contains("text_config.hidden_size");
  FieldReader config{fields, nested ? "text_config." : ""};
  // LLaVA's text part is a Llama unless it says otherwise; nobody else's default is known.
  const std::string unstated = outer_type == "llava" ? "llama" : outer_type;
  const std::string model_type{family_name(nested ? config.text_or("model_type", unstated) : outer_type)};

  Shape s{.family = family_of(model_type), .model_type = model_type};
  if (s.family == nullptr) return unknown_architecture(model_type);

  Architecture model;
  model.model_type = model_type;
  s.hidden = config.required({"hidden_size", "n_embd", "d_model"}, range::width);
  const auto listed = static_cast<std::int64_t>(config.words("layers_block_type").size());
  s.layers = listed > 0 ? listed : config.required({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, range::layers);
  s.max_context =
      config.integer_or({"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "context_length"}, 0, Range{0, range::tokens.high});
  model.vocabulary = config.required({"padded_vocab_size", "vocab_size"}, range::vocabulary);
  const bool attends = s.family->block != Block::mamba1 && s.family->block != Block::mamba2 && s.family->block < Block::rwkv4;
  if (attends) read_attention(config, s);
  if (s.family->block < Block::rwkv4) read_feed_forward(config, s);
  read_norms(config, s);
  if (config.failure()) return *config.failure();

  model.hidden = s.hidden;
  model.layers = s.layers;
  model.heads = s.heads;
  model.kv_heads = s.kv_heads;
  model.max_context_tokens = s.max_context;
  model.norm_upcasts = s.norm == Norm::rms;
  model.tied = config.flag_or("tie_word_embeddings", root.flag_or("tie_word_embeddings", s.family->tied));
  model.published_format = published_format(root, config);
  model.groups = group_layers(config, s);
  add_model_tensors(model, config, s, model.tied);
  add_prediction_layer(model, config, s);
  if (config.failure()) return *config.failure();
  if (root.failure()) return *root.failure();

  for (const std::string part : {"vision_config", "audio_config"}) {
    const auto first = fields.lower_bound(part + ".");
    if (first == fields.end() || !first->first.starts_with(part + ".")) continue;
    FieldReader tower{fields, part + "."};
    const bool known = part == "vision_config" ? add_vision_tower(model, root, tower, outer_type) : add_audio_tower(model, tower, outer_type);
    if (!known) return unknown_tower(part, model_type);
    if (tower.failure()) return *tower.failure();
    model.has_tower = true;
  }
  // "…ForConditionalGeneration" around a text_config: there is a tower, and the config leaves its sizes to a default.
  model.tower_unstated = nested && !model.has_tower;

  const Count total = census_of(model).total;
  if (total.overflowed() || total.as_double() > kMostParameters) {
    return Failure{.code = "model_too_large",
                   .path = "/model/config",
                   .message = "These sizes multiply to more than 2e14 parameters, a hundred times any published model.",
                   .hint = "Check hidden_size, num_hidden_layers, intermediate_size and the number of experts for a stray digit.",
                   .values = {{"parameters", total.as_double()}}};
  }
  return model;
}

}  // namespace rigsizer
