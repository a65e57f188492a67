#include "model/tower.h"

namespace rigsizer {
namespace {

/// Tensors of one tower; every sum below is in its function's comment.
class Tower {
 public:
  Tower(Architecture& model, FieldReader& fields, Part part = Part::vision)
      : fields_{fields}, tensors_{model.model_tensors}, text_{model.hidden}, part_{part} {}

  void matrix(std::int64_t inputs, std::int64_t outputs, std::int64_t copies = 1) {
    tensors_.push_back({.part = part_, .role = Role::tower, .inputs = inputs, .outputs = outputs, .copies = copies});
  }
  void vector(std::int64_t length, std::int64_t copies = 1) { matrix(length, 1, copies); }
  void biased(std::int64_t inputs, std::int64_t outputs, std::int64_t copies = 1) {
    matrix(inputs, outputs, copies);
    vector(outputs, copies);
  }
  /// Pre-norm ViT block with biases: 4 (h^2 + h) + 2 h I + I + h + 4 h.
  void vit_blocks(std::int64_t layers, std::int64_t h, std::int64_t width) {
    biased(h, h, 4 * layers);
    biased(h, width, layers);
    biased(width, h, layers);
    vector(4 * h, layers);
  }
  std::int64_t field(std::initializer_list<std::string_view> spellings) { return fields_.required(spellings, range::width); }
  std::int64_t field_or(std::string_view name, std::int64_t fallback) { return fields_.integer_or({name}, fallback, range::width); }
  /// Patches of the square image the tower is built for.
  std::int64_t patches() {
    const std::int64_t side = field({"image_size"}) / field({"patch_size"});
    return side * side;
  }
  std::int64_t patch_values() {
    const std::int64_t side = field({"patch_size"});
    return 3 * side * side;
  }
  [[nodiscard]] std::int64_t text_width() const { return text_; }

 private:
  FieldReader& fields_;
  std::vector<Tensor>& tensors_;
  std::int64_t text_;
  Part part_;
};

/// CLIP: patch 3 p^2 h, class h, positions (n + 1) h, norms before and after 4 h; projector h t + t + t^2 + t.
void add_clip(Tower& tower) {
  const std::int64_t h = tower.field({"hidden_size"});
  tower.matrix(tower.patch_values(), h);
  tower.vector(h);
  tower.matrix(tower.patches() + 1, h);
  tower.vector(4 * h);
  tower.vit_blocks(tower.field({"num_hidden_layers"}), h, tower.field({"intermediate_size"}));
  tower.biased(h, tower.text_width());
  tower.biased(tower.text_width(), tower.text_width());
}

/// Pixtral: patch, one norm, blocks 4 h^2 + 3 h I + 2 h without biases; a merger of m x m patches where there is one.
void add_pixtral(Tower& tower, std::int64_t merge, bool bias) {
  const std::int64_t h = tower.field({"hidden_size"});
  const std::int64_t width = tower.field({"intermediate_size"});
  const std::int64_t layers = tower.field({"num_hidden_layers"});
  const std::int64_t text = tower.text_width();
  tower.matrix(tower.patch_values(), h);
  tower.vector(h);
  tower.matrix(h, h, 4 * layers);
  tower.matrix(h, width, 3 * layers);
  tower.vector(2 * h, layers);
  if (merge > 0) {
    tower.matrix(merge * merge * h, h);
    tower.vector(h);
  }
  tower.matrix(h, text);
  tower.matrix(text, text);
  if (bias) tower.vector(2 * text);
}

/// Merger of Qwen towers: a norm of `norm` weights, then 4h (4h + 1) + (4h + 1) out.
void add_qwen_merger(Tower& tower, std::int64_t h, std::int64_t norm, std::int64_t out, std::int64_t copies = 1) {
  tower.vector(norm, copies);
  tower.biased(4 * h, 4 * h, copies);
  tower.biased(4 * h, out, copies);
}

/// Patch 3 x 2 x p^2 x h, ViT blocks of width mlp_ratio x h, merger.
void add_qwen2(Tower& tower) {
  const std::int64_t h = tower.field({"embed_dim"});
  tower.matrix(tower.patch_values() * tower.field_or("temporal_patch_size", 2), h);
  tower.vit_blocks(tower.field({"depth"}), h, h * tower.field_or("mlp_ratio", 4));
  add_qwen_merger(tower, h, 2 * h, tower.field({"hidden_size"}));
}

/// As Qwen2 with RMS norms and a gated MLP with biases: 4 (h^2 + h) + 3 h I + 2 I + h + 2 h.
void add_qwen2_5(Tower& tower) {
  const std::int64_t h = tower.field({"hidden_size"});
  const std::int64_t width = tower.field({"intermediate_size"});
  const std::int64_t layers = tower.field({"depth"});
  tower.matrix(tower.patch_values() * tower.field_or("temporal_patch_size", 2), h);
  tower.biased(h, h, 4 * layers);
  tower.biased(h, width, 2 * layers);
  tower.biased(width, h, layers);
  tower.vector(2 * h, layers);
  add_qwen_merger(tower, h, h, tower.field({"out_hidden_size"}));
}

/// As Qwen2 with a patch bias, a position table, and deepstack mergers whose norm is 4h wide.
void add_qwen3(Tower& tower, std::int64_t deepstack) {
  const std::int64_t h = tower.field({"hidden_size"});
  const std::int64_t out = tower.field({"out_hidden_size"});
  tower.biased(tower.patch_values() * tower.field_or("temporal_patch_size", 2), h);
  tower.matrix(tower.field({"num_position_embeddings"}), h);
  tower.vit_blocks(tower.field({"depth"}), h, tower.field({"intermediate_size"}));
  add_qwen_merger(tower, h, 2 * h, out);
  if (deepstack > 0) add_qwen_merger(tower, h, 8 * h, out, deepstack);
}

/// SigLIP without head: patch with bias, positions n h, blocks, last norm; projection h t with one norm of h.
void add_siglip(Tower& tower) {
  const std::int64_t h = tower.field({"hidden_size"});
  tower.biased(tower.patch_values(), h);
  tower.matrix(tower.patches(), h);
  tower.vit_blocks(tower.field({"num_hidden_layers"}), h, tower.field({"intermediate_size"}));
  tower.vector(2 * h);
  tower.matrix(h, tower.text_width());
  tower.vector(h);
}

/// CLIP-like tower, pixel-shuffle MLP I x a + a x b, projector out x t.
void add_llama4(Tower& tower) {
  const std::int64_t h = tower.field({"hidden_size"});
  const std::int64_t width = tower.field({"intermediate_size"});
  const std::int64_t inner = tower.field({"projector_input_dim"});
  tower.matrix(tower.patch_values(), h);
  tower.vector(h);
  tower.matrix(tower.patches() + 1, h);
  tower.vector(4 * h);
  tower.vit_blocks(tower.field({"num_hidden_layers"}), h, width);
  tower.matrix(width, inner);
  tower.matrix(inner, tower.field({"projector_output_dim"}));
  tower.matrix(tower.field({"vision_output_dim"}), tower.text_width());
}

/// Local and gated global layers without attention biases, tile and position tables for each aspect ratio, projector.
void add_mllama(Tower& tower) {
  const std::int64_t h = tower.field({"hidden_size"});
  const std::int64_t width = tower.field({"intermediate_size"});
  const std::int64_t global = tower.field({"num_global_layers"});
  const std::int64_t layers = tower.field({"num_hidden_layers"}) + global;
  const std::int64_t tiles = tower.field({"max_num_tiles"});
  const std::int64_t ratios = tower.field({"max_aspect_ratio_id"}) + 1;
  const std::int64_t positions = tower.patches() + 1;
  tower.matrix(tower.patch_values(), h);
  tower.vector(h);
  tower.matrix(positions, h);
  tower.matrix(ratios, tiles * positions * h);
  tower.matrix(ratios, tiles * h, 2);
  tower.vector(3 + 2 * global);  // gates
  tower.vector(4 * h);
  tower.matrix(h, h, 4 * layers);
  tower.biased(h, width, layers);
  tower.biased(width, h, layers);
  tower.vector(4 * h, layers);
  tower.biased(tower.field({"vision_output_dim"}), tower.text_width());
}

/// MoonViT: patch with bias, a learned position grid, ViT blocks, last norm; projector of 2 x 2 patches.
void add_moonvit(Tower& tower) {
  const std::int64_t h = tower.field({"vt_hidden_size"});
  tower.biased(tower.patch_values(), h);
  tower.matrix(tower.field({"init_pos_emb_height"}) * tower.field({"init_pos_emb_width"}), h);
  tower.vit_blocks(tower.field({"vt_num_hidden_layers"}), h, tower.field({"vt_intermediate_size"}));
  tower.vector(2 * h);
  add_qwen_merger(tower, h, 2 * h, tower.text_width());
}

/// Patch without bias, positions for two axes, blocks 4 h^2 + 3 h I + 4 h + 2 d, output scale and shift, projection h t.
void add_gemma4(Tower& tower, bool standardize) {
  const std::int64_t h = tower.field({"hidden_size"});
  const std::int64_t layers = tower.field({"num_hidden_layers"});
  tower.matrix(tower.patch_values(), h);
  tower.matrix(2 * tower.field({"position_embedding_size"}), h);
  tower.matrix(h, h, 4 * layers);
  tower.matrix(h, tower.field({"intermediate_size"}), 3 * layers);
  tower.vector(4 * h + 2 * tower.field({"head_dim"}), layers);
  if (standardize) tower.vector(2 * h);
  tower.matrix(h, tower.text_width());
}

/// MobileNetV5-300M, whose 294,284,096 weights no config field tells, then an embedder: table, two norms, projection.
void add_mobilenet(Tower& tower) {
  const std::int64_t h = tower.field({"hidden_size"});
  tower.vector(294284096);
  tower.matrix(tower.field({"vocab_size"}), h);
  tower.vector(2 * h);
  tower.matrix(h, tower.text_width());
}

/// Conformer: two convolutions and a projection in front; per layer two half-step MLPs of 4h, attention with relative
/// positions and a gated depthwise convolution: 24 h^2 + (9 + kernel) h + d.
void add_conformer(Tower& tower, std::int64_t h, std::int64_t layers, std::int64_t heads, std::int64_t kernel) {
  constexpr std::int64_t kFirst = 128, kSecond = 32, kTaps = 9;  // channels and 3 x 3 kernels of the two convolutions
  constexpr std::int64_t kMelBands = 128;                        // halved twice
  tower.matrix(kTaps, kFirst);
  tower.matrix(kTaps * kFirst, kSecond);
  tower.vector(kFirst + kSecond);
  tower.matrix(kSecond * kMelBands / 4, h);
  tower.matrix(h, 4 * h, 4 * layers);
  tower.matrix(h, h, 8 * layers);
  tower.vector((9 + kernel) * h + h / heads, layers);
}

}  // namespace

bool add_audio_tower(Architecture& model, FieldReader& audio, const std::string& outer_type) {
  Tower tower{model, audio, Part::audio};
  const std::int64_t h = tower.field({"hidden_size"});
  if (outer_type == "gemma3n") {
    add_conformer(tower, h, tower.field({"conf_num_hidden_layers"}), tower.field({"conf_num_attention_heads"}),
                  tower.field({"conf_conv_kernel_size"}));
    tower.matrix(tower.field({"vocab_size"}), h);
    tower.vector(2 * h);
    tower.matrix(h, tower.text_width());
  } else if (outer_type == "gemma4") {
    add_conformer(tower, h, tower.field({"num_hidden_layers"}), tower.field({"num_attention_heads"}), tower.field({"conv_kernel_size"}));
    const std::int64_t out = tower.field({"output_proj_dims"});
    tower.biased(h, out);
    tower.matrix(out, tower.text_width());
  } else {
    return false;
  }
  return true;
}

bool add_vision_tower(Architecture& model, FieldReader& root, FieldReader& vision, const std::string& outer_type) {
  Tower tower{model, vision};
  const std::string type = vision.text_or("model_type", "");
  const bool llava = outer_type == "llava" || outer_type == "llava_pixtral";
  if (llava && type == "clip_vision_model") {
    add_clip(tower);
  } else if (llava && type == "pixtral") {
    add_pixtral(tower, 0, root.flag_or("multimodal_projector_bias", true));
  } else if (outer_type == "mistral3" && type == "pixtral") {
    add_pixtral(tower, root.integer_or({"spatial_merge_size"}, 2, Range{1, 16}), root.flag_or("multimodal_projector_bias", false));
  } else if (outer_type == "qwen2_vl") {
    add_qwen2(tower);
  } else if (outer_type == "qwen2_5_vl") {
    add_qwen2_5(tower);
  } else if (outer_type == "qwen3_vl" || outer_type == "qwen3_vl_moe" || outer_type == "qwen3_5" || outer_type == "qwen3_5_moe") {
    add_qwen3(tower, static_cast<std::int64_t>(vision.numbers("deepstack_visual_indexes").size()));
  } else if (outer_type == "gemma3") {
    add_siglip(tower);
  } else if (outer_type == "llama4") {
    add_llama4(tower);
  } else if (outer_type == "mllama") {
    add_mllama(tower);
  } else if (outer_type == "gemma4") {
    add_gemma4(tower, vision.flag_or("standardize", false));
  } else if (outer_type == "gemma3n" && vision.text_or("architecture", "") == "mobilenetv5_300m_enc") {
    add_mobilenet(tower);
  } else if (outer_type == "kimi_k25") {
    add_moonvit(tower);
  } else {
    return false;
  }
  return true;
}

}  // namespace rigsizer
