#include "model/reader.h"

#include <array>
#include <string>

#include "model/blocks.h"
#include "model/census.h"
#include "model/diffusion.h"
#include "model/encoders.h"
#include "model/gemma.h"
#include "model/layers.h"
#include "model/tower.h"
#include "model/vision.h"

namespace rigsizer {
namespace {

void add_model_tensors(Architecture& model, FieldReader& config, const Dimensions& s, bool tied) {
  auto& tensors = model.model_tensors;
  const bool rwkv = s.family->block >= Block::rwkv4;
  model.table_width = config.integer_or({"word_embed_proj_dim"}, s.hidden, range::width);
  tensors.push_back(
      {.part = Part::embed, .role = Role::table, .matrix = Matrix::token_table, .inputs = model.vocabulary, .outputs = model.table_width});
  if (s.model_type == "mllama_text_model") {  // eight rows for image placeholders
    tensors.push_back({.part = Part::embed, .role = Role::vector, .matrix = Matrix::vector, .inputs = 8 * s.hidden});
  }
  if (model.table_width != s.hidden) {
    tensors.push_back({.part = Part::embed_projection, .role = Role::linear, .inputs = model.table_width, .outputs = s.hidden, .copies = 2});
  }
  if (s.family->learned_positions || config.flag_or("learned_pos_emb", false)) {
    if (s.max_context == 0) config.required({"max_position_embeddings", "n_positions", "max_seq_len"}, range::tokens);
    const std::int64_t offset = s.model_type == "opt" ? 2 : 0;
    tensors.push_back(
        {.part = Part::position, .role = Role::table, .matrix = Matrix::position_table, .inputs = s.max_context + offset, .outputs = s.hidden});
  }
  add_gemma_tables(model, config);
  if (s.model_type == "bloom") tensors.push_back(vector_of(Part::embed_norm, 2 * s.hidden));
  if (rwkv) tensors.push_back(vector_of(Part::rwkv, 2 * s.hidden));  // a LayerNorm before the first layer
  const bool final_norm = config.flag_or("do_layer_norm_before", true);
  if (final_norm) tensors.push_back(vector_of(Part::norm, norm_size(s.norm, s.hidden)));
  if (s.family->block == Block::compressed) {
    const std::int64_t m = config.required({"hc_mult"}, Range{1, 64});
    tensors.push_back({.part = Part::hyper_connection, .role = Role::router, .matrix = Matrix::router, .inputs = m * m, .outputs = s.hidden});
    tensors.push_back(vector_of(Part::hyper_connection, m + 1));
  }
  if (config.has("attn_res_block_size")) tensors.push_back(vector_of(Part::norm, 2 * s.hidden));
  if (!tied) {
    tensors.push_back({.part = rwkv ? Part::embed : Part::lm_head,
                       .role = Role::head,
                       .matrix = Matrix::head,
                       .inputs = model.table_width,
                       .outputs = model.vocabulary});
    if (config.flag_or("lm_head_bias", s.family->head_bias)) tensors.push_back(vector_of(Part::lm_head, model.vocabulary));
  }
}

/// DeepSeek-style multi-token prediction: one more layer, a 2h x h projection, three norms; tables of its own.
void add_prediction_layer(Architecture& model, FieldReader& config, const Dimensions& s) {
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

/// Architectures that are no decoder-only language models, each with a reader of its own.
struct OtherKind {
  std::string_view model_type;
  void (*read)(Architecture&, const Fields&, FieldReader&);
};
constexpr std::array kOtherKinds{
    OtherKind{"bert", read_text_encoder},
    OtherKind{"roberta", read_text_encoder},
    OtherKind{"xlm-roberta", read_text_encoder},
    OtherKind{"albert", read_text_encoder},
    OtherKind{"electra", read_text_encoder},
    OtherKind{"distilbert", read_text_encoder},
    OtherKind{"mpnet", read_text_encoder},
    OtherKind{"deberta-v2", read_text_encoder},
    OtherKind{"modernbert", read_text_encoder},
    OtherKind{"t5", read_t5},
    OtherKind{"mt5", read_t5},
    OtherKind{"umt5", read_t5},
    OtherKind{"bart", read_bart},
    OtherKind{"whisper", read_whisper},
    OtherKind{"wav2vec2", read_wav2vec2},
    OtherKind{"vit", read_vit},
    OtherKind{"deit", read_vit},
    OtherKind{"dinov2", read_vit},
    OtherKind{"clip", read_text_and_image},
    OtherKind{"clip_text_model", read_text_and_image},
    OtherKind{"clip_vision_model", read_text_and_image},
    OtherKind{"siglip", read_text_and_image},
    OtherKind{"siglip_text_model", read_text_and_image},
    OtherKind{"siglip_vision_model", read_text_and_image},
    OtherKind{"swin", read_swin},
    OtherKind{"convnext", read_convnext},
    OtherKind{"diffusion", read_diffusion},
};

Failure unknown_architecture(const std::string& model_type) {
  return {.code = "unsupported_architecture",
          .path = "/model/config/model_type",
          .message = "The architecture \"" + model_type + "\" is not known to this version.",
          .hint = "Its layers would have to be guessed, so nothing is computed. Known are " + std::to_string(families().size()) +
                  " families of decoder-only language models, such as llama, qwen3_moe, deepseek_v3 and gemma3_text, and " +
                  std::to_string(kOtherKinds.size()) + " kinds of encoders, vision networks and diffusion pipelines.",
          .values = {{"model_type", model_type}}};
}

Failure unknown_tower(const std::string& part, const std::string& model_type) {
  return unsupported_part(part, "The language part (" + model_type + ") is known, the part in " + part + " is not yet.",
                          "Paste only the text_config to size the language part alone; the tower comes on top of it.");
}

Result<Architecture> within_size(Architecture model) {
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
  for (const OtherKind& kind : kOtherKinds) {
    if (kind.model_type != outer_type) continue;
    Architecture model;
    model.model_type = outer_type;
    kind.read(model, fields, root);
    model.published_format = published_format(root, root);
    if (root.failure()) return *root.failure();
    return within_size(std::move(model));
  }
  const bool nested = fields.contains("text_config.model_type") || fields.contains("text_config.hidden_size");
  FieldReader config{fields, nested ? "text_config." : ""};
  // LLaVA's text part is a Llama unless it says otherwise; nobody else's default is known.
  const std::string unstated = outer_type == "llava" ? "llama" : outer_type;
  const std::string model_type{family_name(nested ? config.text_or("model_type", unstated) : outer_type)};

  Dimensions s{.family = family_of(model_type), .model_type = model_type};
  if (s.family == nullptr) return unknown_architecture(model_type);

  Architecture model;
  model.model_type = model_type;
  s.hidden = config.required({"hidden_size", "n_embd", "d_model"}, range::width);
  const auto listed = static_cast<std::int64_t>(config.words("layers_block_type").size());
  s.layers = listed > 0 ? listed : config.required({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, range::layers);
  s.max_context =
      config.integer_or({"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "context_length"}, 0, Range{0, range::tokens.high});
  model.vocabulary = config.required({"vocab_size", "padded_vocab_size"}, range::vocabulary);
  read_dimensions(config, s);
  if (config.failure()) return *config.failure();

  model.hidden = s.hidden;
  model.layers = s.layers;
  model.heads = s.heads;
  model.kv_heads = s.kv_heads;
  model.max_context_tokens = s.max_context;
  model.norm_upcasts = s.norm == Norm::rms;
  model.tied = config.flag_or("tie_word_embeddings", root.flag_or("tie_word_embeddings", s.family->tied));
  model.published_format = published_format(root, config);
  model.groups = make_layers(config, s);
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

  return within_size(std::move(model));
}

}  // namespace rigsizer
