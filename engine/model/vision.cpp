#include "model/vision.h"

#include <utility>

#include "model/transformer.h"

namespace rigsizer {
namespace {

using Kind = Architecture::Kind;

std::int64_t channels_of(FieldReader& config) { return config.whole_or("num_channels", 3, range::small); }

/// Patches of the square image the network is built for.
std::int64_t patches_of(FieldReader& config) {
  const std::int64_t side = config.need("image_size", range::width) / config.need("patch_size", range::width);
  return side * side;
}

std::int64_t patch_values(FieldReader& config) {
  const std::int64_t side = config.need("patch_size", range::width);
  return channels_of(config) * side * side;
}

/// Stated, or as many as there are names for them; none: the network alone.
std::int64_t classes_of(const Fields& fields, FieldReader& config) {
  const auto named = static_cast<std::int64_t>(fields_under(fields, "id2label.").size());
  return config.whole_or("num_labels", named, Range{0, range::vocabulary.high});
}

void add_classifier(Architecture& model, const Fields& fields, FieldReader& config, std::int64_t width) {
  if (const std::int64_t classes = classes_of(fields, config); classes > 0) Weights{model.model_tensors, Part::classifier}.biased(width, classes);
}

struct TowerSize {
  std::int64_t hidden = 0, layers = 0, heads = 0, mlp = 0;
};

TowerSize read_tower(FieldReader& config) {
  return {.hidden = config.need("hidden_size", range::width),
          .layers = config.need("num_hidden_layers", range::layers),
          .heads = config.need("num_attention_heads", range::heads),
          .mlp = config.need("intermediate_size", range::width)};
}

void add_blocks(Architecture& model, const TowerSize& size, Part part) {
  add_layers(model, size.layers, block_of({.part = part, .hidden = size.hidden, .heads = size.heads, .mlp = size.mlp}));
}

/// `projection` 0: the tower alone.
void add_text_tower(Architecture& model, FieldReader& config, bool siglip, std::int64_t projection) {
  const TowerSize size = read_tower(config);
  model.hidden = size.hidden;
  model.heads = model.kv_heads = size.heads;
  model.max_context_tokens = config.need("max_position_embeddings", range::tokens);
  const std::int64_t vocabulary = config.need("vocab_size", range::vocabulary);
  Weights text{model.model_tensors, Part::text};
  text.table(vocabulary, size.hidden);
  text.matrix(model.max_context_tokens, size.hidden);
  add_blocks(model, size, Part::text);
  text.vector(2 * size.hidden);
  if (siglip) {
    text.biased(size.hidden, size.hidden);
  } else if (projection > 0) {
    text.matrix(size.hidden, projection);
  }
}

void add_image_tower(Architecture& model, FieldReader& config, bool siglip, std::int64_t projection) {
  const TowerSize size = read_tower(config);
  const std::int64_t h = size.hidden;
  Weights vision{model.model_tensors, Part::vision};
  vision.matrix(patch_values(config), h);
  vision.matrix(patches_of(config), h);
  add_blocks(model, size, Part::vision);
  vision.vector(2 * h);  // SigLIP: patch bias and the head's query; CLIP: class token and its position
  vision.vector(2 * h);  // last norm
  if (siglip) {
    vision.biased(h, h, 4);
    vision.vector(2 * h);
    vision.two_layers(h, size.mlp, h);
  } else {
    vision.vector(2 * h);  // a norm before the first block
    if (projection > 0) vision.matrix(h, projection);
  }
  if (model.hidden == 0) {
    model.hidden = h;
    model.heads = model.kv_heads = size.heads;
  }
}

}  // namespace

void read_vit(Architecture& model, const Fields& fields, FieldReader& config) {
  const bool dino = model.model_type == "dinov2";
  model.kind = Kind::vision;
  model.norm_upcasts = false;
  const std::int64_t h = model.hidden = config.need("hidden_size", range::width);
  model.heads = model.kv_heads = config.need("num_attention_heads", range::heads);
  const bool gated = config.flag_or("use_swiglu_ffn", false);
  std::int64_t mlp = dino ? config.whole_or("mlp_ratio", 4, range::small) * h : config.need("intermediate_size", range::width);
  if (gated) mlp = (mlp * 2 / 3 + 7) / 8 * 8;
  if (!config.flag_or("qkv_bias", true)) refuse_part(config, "qkv_bias", "A ViT without query, key and value biases");

  // ViT: a class token; DeiT a distillation token more; DINOv2 a mask token, which has no position.
  const std::int64_t tokens = model.model_type == "deit" ? 2 : 1;
  Weights vision{model.model_tensors, Part::vision};
  vision.biased(patch_values(config), h);
  vision.matrix(patches_of(config) + tokens, h);
  vision.vector((tokens + (dino ? 1 : 0)) * h);
  add_layers(model, config.need("num_hidden_layers", range::layers),
             block_of({.part = Part::vision, .hidden = h, .heads = model.heads, .mlp = mlp, .gated = gated, .norm_vectors = dino ? 6 : 4}));
  vision.vector(2 * h);
  if (!dino) add_classifier(model, fields, config, h);
}

void read_text_and_image(Architecture& model, const Fields& fields, FieldReader& config) {
  const bool siglip = model.model_type.starts_with("siglip");
  const bool both = model.model_type == "clip" || model.model_type == "siglip";
  const bool text_alone = model.model_type.ends_with("_text_model");
  model.kind = text_alone ? Kind::encoder : Kind::vision;
  model.norm_upcasts = false;
  bool projected = config.flag_or("with_projection", false);
  for (const std::string& name : config.words("architectures")) projected = projected || name.ends_with("WithProjection");
  const std::int64_t projection = !siglip && (both || projected) ? config.need("projection_dim", range::width) : 0;
  if (!both) {
    if (text_alone) return add_text_tower(model, config, siglip, projection);
    return add_image_tower(model, config, siglip, projection);
  }
  FieldReader text{fields, "text_config."};
  FieldReader image{fields, "vision_config."};
  add_text_tower(model, text, siglip, projection);
  add_image_tower(model, image, siglip, projection);
  Weights{model.model_tensors, Part::projection}.vector(siglip ? 2 : 1);  // the scale (and shift) of similarities
  for (const FieldReader* reader : {&text, &image}) {
    if (reader->failure()) config.fail(*reader->failure());
  }
}

void read_swin(Architecture& model, const Fields& fields, FieldReader& config) {
  model.kind = Kind::vision;
  model.norm_upcasts = false;
  std::int64_t width = config.need("embed_dim", range::width);
  const std::vector<std::int64_t> depths = config.stages("depths", range::layers);
  const std::vector<std::int64_t> heads = config.stages("num_heads", range::heads, depths.size());
  if (config.failure()) return;
  const std::int64_t window = config.need("window_size", range::small);
  const std::int64_t ratio = config.whole_or("mlp_ratio", 4, range::small);
  if (config.flag_or("use_absolute_embeddings", false)) {
    refuse_part(config, "use_absolute_embeddings", "A Swin with a position table");
  }
  Weights stem{model.model_tensors, Part::embed};
  stem.biased(patch_values(config), width);
  stem.vector(2 * width);
  Weights merge{model.model_tensors, Part::downsampling};
  for (std::size_t i = 0; i < depths.size(); ++i) {
    Layer layer = block_of({.hidden = width, .heads = heads[i], .mlp = ratio * width});
    Weights{layer.tensors, Part::attention}.vector((2 * window - 1) * (2 * window - 1) * heads[i]);
    add_layers(model, depths[i], std::move(layer));
    if (i + 1 == depths.size()) break;
    merge.vector(8 * width);
    merge.matrix(4 * width, 2 * width);
    width *= 2;
  }
  model.hidden = width;
  model.heads = model.kv_heads = heads.back();
  Weights{model.model_tensors, Part::classifier}.vector(2 * width);
  add_classifier(model, fields, config, width);
}

void read_convnext(Architecture& model, const Fields& fields, FieldReader& config) {
  model.kind = Kind::vision;
  model.norm_upcasts = false;
  const std::vector<std::int64_t> widths = config.stages("hidden_sizes", range::width);
  const std::vector<std::int64_t> depths = config.stages("depths", range::layers, widths.size());
  if (config.failure()) return;
  Weights down{model.model_tensors, Part::downsampling};
  std::int64_t before = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::int64_t h = widths[i];
    if (i == 0) {
      Weights stem{model.model_tensors, Part::embed};
      stem.biased(patch_values(config), h);
      stem.vector(2 * h);
    } else {
      down.vector(2 * before);
      down.biased(4 * before, h);
    }
    constexpr std::int64_t kTaps = 49;
    Layer layer;
    layer.mixer = Mixer::none;
    layer.hidden = h;
    layer.mlp_width = 4 * h;
    layer.gated = false;
    Weights block{layer.tensors, Part::mlp};
    block.vector((kTaps + 1 + 2 + 1) * h);  // depthwise taps and bias, norm, scale
    block.two_layers(h, 4 * h, h);
    add_layers(model, depths[i], std::move(layer));
    before = h;
  }
  model.hidden = before;
  Weights{model.model_tensors, Part::classifier}.vector(2 * before);
  add_classifier(model, fields, config, before);
}

}  // namespace rigsizer
