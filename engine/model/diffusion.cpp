#include "model/diffusion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "model/census.h"
#include "model/reader.h"
#include "model/transformer.h"

namespace rigsizer {
namespace {

/// Width of the sinusoidal embedding of a time step.
constexpr std::int64_t kTimeWidth = 256;

// ---- convolutional networks -----------------------------------------------------------------------------------------

/// Weights of a UNet or a VAE, and how many values its layers put out per pixel of the finest level.
class ConvNet {
 public:
  ConvNet(std::vector<Tensor>& tensors, std::int64_t time_width) : weights_{tensors, Part::denoiser}, time_width_{time_width} {}

  [[gnu::noinline]] void conv(std::int64_t inputs, std::int64_t outputs) {
    constexpr std::int64_t kTaps = 9;
    weights_.biased(kTaps * inputs, outputs);
    put_out(outputs);
  }
  [[gnu::noinline]] void norm(std::int64_t width) {
    weights_.vector(2 * width);
    put_out(2 * width);  // and the activation behind it
  }
  [[gnu::noinline]] void resnet(std::int64_t inputs, std::int64_t outputs) {
    norm(inputs);
    conv(inputs, outputs);
    if (time_width_ > 0) weights_.biased(time_width_, outputs);
    norm(outputs);
    conv(outputs, outputs);
    if (inputs != outputs) weights_.biased(inputs, outputs);
  }
  /// One head over all positions, as VAEs have it.
  void attention(std::int64_t width) {
    norm(width);
    weights_.biased(width, width, 4);
    put_out(4 * width);
  }
  void transformers(std::int64_t width, std::int64_t text_width, std::int64_t blocks) {
    if (blocks == 0) return;
    norm(width);
    weights_.biased(width, width, 2);
    put_out(2 * width);
    for (std::int64_t i = 0; i < blocks; ++i) {
      weights_.vector(6 * width);
      weights_.adaptable(width, width, AdapterTarget::attention, 6);  // both attentions but for the text's keys and values
      weights_.adaptable(text_width, width, AdapterTarget::attention, 2);
      weights_.vector(2 * width);
      weights_.adaptable(width, 8 * width, AdapterTarget::mlp);
      weights_.adaptable(4 * width, width, AdapterTarget::mlp);
      weights_.vector(8 * width + width);
      put_out((3 + 3 + 1 + 2 + 1 + 8 + 4 + 1) * width);
    }
  }
  /// Half as many pixels each way.
  void finer(int levels) { scale_ *= std::pow(4.0, levels); }
  Weights& weights() { return weights_; }
  [[nodiscard]] double values() const { return values_; }

 private:
  void put_out(std::int64_t channels) { values_ += scale_ * static_cast<double>(channels); }

  Weights weights_;
  std::int64_t time_width_;
  double scale_ = 1;
  double values_ = 0;
};

/// Transformer blocks of each level: one number for all levels, or one per level.
std::vector<std::int64_t> depths_of(FieldReader& part, std::size_t levels) {
  constexpr std::string_view kName = "transformer_layers_per_block";
  const Range depth{0, 64};
  if (part.is_list(kName)) return part.stages(kName, depth, levels);
  return std::vector<std::int64_t>(levels, part.whole_or("transformer_layers_per_block", 1, depth));
}

void read_unet(Architecture& model, FieldReader& part) {
  const std::vector<std::int64_t> widths = part.stages("block_out_channels", range::width);
  const std::vector<std::string> down = part.words("down_block_types");
  if (down.size() != widths.size()) part.need("down_block_types", range::layers);
  const std::int64_t resnets = part.need("layers_per_block", Range{1, 64});
  const std::int64_t text = part.need("cross_attention_dim", range::width);
  const std::size_t levels = widths.size();
  const std::vector<std::int64_t> depths = depths_of(part, levels);
  if (part.failure()) return;
  const auto depth = [&](std::size_t level) { return down[level].starts_with("CrossAttn") ? depths[level] : 0; };
  const std::int64_t first = widths.front();
  const std::int64_t time = 4 * first;
  std::vector<Tensor>& tensors = model.model_tensors;
  ConvNet net{tensors, time};
  net.weights().two_layers(first, time, time);
  if (part.says("addition_embed_type", "text_time")) {
    net.weights().two_layers(part.need("projection_class_embeddings_input_dim", range::width), time, time);
  }
  net.conv(part.need("in_channels", range::small), first);
  std::vector<std::int64_t> skips{first};
  std::int64_t width = first;
  for (std::size_t level = 0; level < levels; ++level) {
    for (std::int64_t i = 0; i < resnets; ++i) {
      net.resnet(width, widths[level]);
      net.transformers(widths[level], text, depth(level));
      skips.push_back(width = widths[level]);
    }
    if (level + 1 == levels) break;
    net.finer(-1);
    net.conv(width, width);
    skips.push_back(width);
  }
  net.resnet(width, width);
  net.transformers(width, text, depths.back());
  net.resnet(width, width);
  for (std::size_t level = levels; level-- > 0;) {
    for (std::int64_t i = 0; i <= resnets; ++i) {
      net.resnet(width + skips.back(), widths[level]);
      skips.pop_back();
      net.transformers(width = widths[level], text, depth(level));
    }
    if (level == 0) break;
    net.finer(1);
    net.conv(width, width);
  }
  net.norm(width);
  net.conv(width, part.need("out_channels", range::small));
  model.hidden = first;
  model.diffusion.unet_values_per_pixel = net.values();
}

Count vae_parameters(Architecture& model, FieldReader& part) {
  const std::vector<std::int64_t> widths = part.stages("block_out_channels", range::width);
  const std::int64_t resnets = part.need("layers_per_block", Range{1, 64});
  const std::int64_t latent = part.need("latent_channels", range::small);
  if (part.failure()) return {};
  std::vector<Tensor> tensors;
  ConvNet net{tensors, 0};
  const auto middle = [&net](std::int64_t width) {
    net.resnet(width, width);
    net.attention(width);
    net.resnet(width, width);
  };
  std::int64_t width = widths.front();
  net.conv(part.need("in_channels", range::small), width);
  for (std::size_t level = 0; level < widths.size(); ++level) {
    for (std::int64_t i = 0; i < resnets; ++i) {
      net.resnet(width, widths[level]);
      width = widths[level];
    }
    if (level + 1 < widths.size()) net.conv(width, width);
  }
  middle(width);
  net.norm(width);
  net.conv(width, 2 * latent);
  if (part.flag_or("use_quant_conv", true)) {
    net.weights().biased(2 * latent, 2 * latent);
    net.weights().biased(latent, latent);
  }
  net.conv(latent, width);
  middle(width);
  for (std::size_t level = widths.size(); level-- > 0;) {
    for (std::int64_t i = 0; i <= resnets; ++i) {
      net.resnet(width, widths[level]);
      width = widths[level];
    }
    if (level > 0) net.conv(width, width);
  }
  net.norm(width);
  net.conv(width, part.need("out_channels", range::small));
  model.diffusion.vae_width = widths.front();
  model.diffusion.vae_upper_width = widths.size() > 1 ? widths[1] : widths.front();
  model.diffusion.pixels = std::int64_t{1} << std::min<std::size_t>(widths.size() - 1, 6);
  Count total{};
  for (const Tensor& tensor : tensors) total += tensor.size();
  return total;
}

// ---- transformers ---------------------------------------------------------------------------------------------------

struct BlockSum {
  std::int64_t attention = 4;          ///< matrices d x d with bias
  std::int64_t modulation = 0;         ///< outputs of the time step's linear, over d
  std::int64_t modulation_inputs = 0;  ///< 0: d
  std::int64_t mlps = 1;
  std::int64_t mlp = 0;    ///< 0: 4 d
  std::int64_t fused = 0;  ///< inputs of the MLP's second matrix beside its own width
  std::int64_t vectors = 0;
};

struct Transformer {
  std::int64_t d = 0, heads = 0, head_dim = 0;
  Architecture* model = nullptr;

  [[nodiscard]] Weights weights() const { return {model->model_tensors, Part::denoiser}; }
  [[gnu::noinline]] void add(std::int64_t count, const BlockSum& s) const {
    Layer layer;
    const std::int64_t mlp = s.mlp > 0 ? s.mlp : 4 * d;
    Weights block{layer.tensors, Part::denoiser};
    block.adaptable(d, d, AdapterTarget::attention, s.attention);
    block.vector(d, s.attention);
    for (std::int64_t i = 0; i < s.mlps; ++i) {
      block.adaptable(d, mlp, AdapterTarget::mlp);
      block.adaptable(mlp + s.fused, d, AdapterTarget::mlp);
      block.vector(mlp + d);
    }
    if (s.modulation > 0) block.biased(s.modulation_inputs > 0 ? s.modulation_inputs : d, s.modulation * d);
    if (s.vectors > 0) block.vector(s.vectors);
    layer.mixer = Mixer::attention;
    layer.hidden = d;
    layer.heads = heads;
    layer.query_width = layer.key_width = layer.value_width = d;
    layer.mlp_width = mlp;
    layer.gated = false;
    layer.flops_per_token_pair = 4 * d;
    add_layers(*model, count, std::move(layer));
  }
  [[gnu::noinline]] void time_step() const { weights().two_layers(kTimeWidth, d, d); }
};

/// A patch's sides: (time,) height and width, or one number for both.
std::vector<std::int64_t> patch_sides(FieldReader& part) {
  const Range side{1, 64};
  if (part.is_list("patch_size")) return part.stages("patch_size", side);
  const std::int64_t one = part.need("patch_size", side);
  return {part.whole_or("patch_size_t", 1, side), one, one};
}

/// Values of one token: channels x patch volume.
[[gnu::noinline]] std::int64_t patch_values(FieldReader& part, std::int64_t channels) {
  const std::vector<std::int64_t> sides = patch_sides(part);
  for (std::size_t i = 0; i < sides.size() && i < 3; ++i) channels *= sides[i];
  return channels;
}

/// Where every transformer begins and ends: patches to width, the last modulation, width to patches.
[[gnu::noinline]] void add_patches(const Transformer& t, FieldReader& part) {
  t.weights().biased(patch_values(part, part.need("in_channels", range::small)), t.d);
}
[[gnu::noinline]] void add_last(const Transformer& t, FieldReader& part, bool modulated) {
  if (modulated) t.weights().biased(t.d, 2 * t.d);
  const std::int64_t in = part.whole_or("in_channels", 0, range::small);
  t.weights().biased(t.d, patch_values(part, part.whole_or("out_channels", in, range::small)));
}
[[gnu::noinline]] void add_pooled_text(const Transformer& t, FieldReader& part) {
  t.weights().two_layers(part.need("pooled_projection_dim", range::width), t.d, t.d);
}

constexpr std::int64_t kJointTextTokens = 512;  // what pipelines cut or pad a prompt to

void read_sd3(const Transformer& t, FieldReader& part) {
  const std::int64_t text = part.need("joint_attention_dim", range::width);
  const std::int64_t layers = part.need("num_layers", range::layers);
  const bool norms = part.says("qk_norm", "rms_norm");
  const auto dual = static_cast<std::int64_t>(part.numbers("dual_attention_layers").size());
  const std::int64_t head = norms ? t.head_dim : 0;
  Weights w = t.weights();
  add_patches(t, part);
  t.time_step();
  add_pooled_text(t, part);
  w.biased(text, part.need("caption_projection_dim", range::width));
  t.add(dual, {.attention = 12, .modulation = 15, .mlps = 2, .vectors = 6 * head});
  t.add(layers - dual - 1, {.attention = 8, .modulation = 12, .mlps = 2, .vectors = 4 * head});
  t.add(1, {.attention = 7, .modulation = 8, .vectors = 4 * head});  // the text's part ends here
  add_last(t, part, true);
  t.model->diffusion.text_tokens = 77 + 256;
}

/// FLUX and HunyuanVideo: blocks with weights of their own for text and image, then blocks that share them.
void add_double_and_single(const Transformer& t, FieldReader& part) {
  t.add(part.need("num_layers", range::layers), {.attention = 8, .modulation = 12, .mlps = 2, .vectors = 4 * t.head_dim});
  t.add(part.need("num_single_layers", range::layers), {.attention = 3, .modulation = 3, .fused = t.d, .vectors = 2 * t.head_dim});
}

void read_flux(const Transformer& t, FieldReader& part) {
  const std::int64_t d = t.d;
  const std::int64_t in = part.need("in_channels", range::small);
  Weights w = t.weights();
  w.biased(in, d);
  w.biased(part.need("joint_attention_dim", range::width), d);
  t.time_step();
  if (part.flag_or("guidance_embeds", false)) t.time_step();
  add_pooled_text(t, part);
  add_double_and_single(t, part);
  w.biased(d, 2 * d);
  w.biased(d, in);
  t.model->diffusion.patch = 2;  // packed before it is counted as channels
  t.model->diffusion.text_tokens = kJointTextTokens;
}

void read_hunyuan_video(const Transformer& t, FieldReader& part) {
  const std::int64_t d = t.d;
  const std::int64_t text = part.need("text_embed_dim", range::width);
  Weights w = t.weights();
  add_patches(t, part);
  t.time_step();  // text refiner
  w.two_layers(text, d, d);
  w.biased(text, d);
  t.add(part.need("num_refiner_layers", range::layers), {.attention = 4, .modulation = 2, .vectors = 4 * d});
  t.time_step();
  if (part.flag_or("guidance_embeds", false)) t.time_step();
  add_pooled_text(t, part);
  add_double_and_single(t, part);
  add_last(t, part, true);
  t.model->diffusion.text_tokens = 256;
  t.model->diffusion.frames = 4;
}

void read_qwen_image(const Transformer& t, FieldReader& part) {
  const std::int64_t d = t.d;
  const std::int64_t text = part.need("joint_attention_dim", range::width);
  Weights w = t.weights();
  w.biased(part.need("in_channels", range::small), d);  // packed patches
  w.vector(text);
  w.biased(text, d);
  t.time_step();
  t.add(part.need("num_layers", range::layers), {.attention = 8, .modulation = 12, .mlps = 2, .vectors = 4 * t.head_dim});
  add_last(t, part, true);
  t.model->diffusion.text_tokens = kJointTextTokens;
}

void read_wan(const Transformer& t, FieldReader& part) {
  const std::int64_t d = t.d;
  Weights w = t.weights();
  add_patches(t, part);
  t.time_step();
  w.biased(d, 6 * d);
  w.two_layers(part.need("text_dim", range::width), d, d);
  if (part.has("image_dim")) {
    const std::int64_t image = part.need("image_dim", range::width);
    w.vector(2 * image);
    w.two_layers(image, image, d);
    w.vector(2 * d);
  }
  const bool norms = part.says("qk_norm", "rms_norm_across_heads");
  const std::int64_t image = part.has("added_kv_proj_dim") ? 1 : 0;
  const std::int64_t vectors = 6 + (norms ? 4 + image : 0) + (part.flag_or("cross_attn_norm", true) ? 2 : 0);
  t.add(part.need("num_layers", range::layers), {.attention = 8 + 2 * image, .mlp = part.need("ffn_dim", range::width), .vectors = vectors * d});
  w.vector(2 * d);
  add_last(t, part, false);
  t.model->diffusion.frames = 4;
}

void read_pixart(const Transformer& t, FieldReader& part) {
  const std::int64_t d = t.d;
  Weights w = t.weights();
  add_patches(t, part);
  t.time_step();
  if (part.flag_or("use_additional_conditions", false)) {  // resolution and aspect ratio
    w.two_layers(kTimeWidth, d / 3, d / 3);
    w.two_layers(kTimeWidth, d / 3, d / 3);
  }
  w.biased(d, 6 * d);
  w.two_layers(part.need("caption_channels", range::width), d, d);
  t.add(part.need("num_layers", range::layers), {.attention = 8, .vectors = 6 * d});
  w.vector(2 * d);
  add_last(t, part, false);
}

void read_dit(const Transformer& t, FieldReader& part) {
  const std::int64_t d = t.d;
  Weights w = t.weights();
  add_patches(t, part);
  t.time_step();
  w.matrix(part.need("num_classes", range::vocabulary) + 1, d);
  t.add(part.need("num_layers", range::layers), {.modulation = 6});
  add_last(t, part, true);
}

void read_cogvideox(const Transformer& t, FieldReader& part) {
  const std::int64_t d = t.d;
  const std::int64_t time = part.need("time_embed_dim", range::width);
  Weights w = t.weights();
  add_patches(t, part);
  w.biased(part.need("text_embed_dim", range::width), d);
  w.two_layers(d, time, time);
  t.add(part.need("num_layers", range::layers), {.modulation = 12, .modulation_inputs = time, .vectors = 4 * d + 4 * t.head_dim});
  w.vector(2 * d);
  w.biased(time, 2 * d);
  w.vector(2 * d);
  add_last(t, part, false);
  t.model->diffusion.text_tokens = part.need("max_text_seq_length", range::tokens);
  t.model->diffusion.frames = 4;
}

struct DenoiserClass {
  std::string_view name;
  void (*read)(const Transformer&, FieldReader&);
};
constexpr std::array<DenoiserClass, 8> kTransformers{{{"SD3Transformer2DModel", read_sd3},
                                                      {"FluxTransformer2DModel", read_flux},
                                                      {"HunyuanVideoTransformer3DModel", read_hunyuan_video},
                                                      {"QwenImageTransformer2DModel", read_qwen_image},
                                                      {"WanTransformer3DModel", read_wan},
                                                      {"PixArtTransformer2DModel", read_pixart},
                                                      {"DiTTransformer2DModel", read_dit},
                                                      {"CogVideoXTransformer3DModel", read_cogvideox}}};

void read_denoiser(Architecture& model, FieldReader& config, FieldReader& part) {
  const std::string name = part.text_or("_class_name", "");
  if (name == "UNet2DConditionModel") return read_unet(model, part);
  for (const DenoiserClass& known : kTransformers) {
    if (known.name != name) continue;
    model.heads = model.kv_heads = part.need("num_attention_heads", range::heads);
    const std::int64_t head_dim = part.need("attention_head_dim", range::width);
    model.hidden = model.heads * head_dim;
    if (const std::vector<std::int64_t> sides = patch_sides(part); !sides.empty()) model.diffusion.patch = sides.back();
    return known.read({.d = model.hidden, .heads = model.heads, .head_dim = head_dim, .model = &model}, part);
  }
  config.fail(unsupported_part(
      "denoiser", "The denoiser \"" + name + "\" is not known to this version.",
      "Known are UNet2DConditionModel and the transformers of SD3, FLUX, HunyuanVideo, Qwen-Image, Wan, PixArt, DiT and CogVideoX."));
}

/// Of a T5 only the encoder is loaded; other text encoders are whole models.
void add_text_encoders(Architecture& model, const Fields& fields, FieldReader& config) {
  for (int i = 0;; ++i) {
    const std::string prefix = "text_encoders." + std::to_string(i) + ".";
    Fields part = fields_under(fields, prefix);
    if (part.empty()) return;
    part.insert_or_assign("architectures", std::vector<std::string>{"EncoderModel"});
    const Result<Architecture> read = read_architecture(part);
    if (!read) {
      Failure failure = read.failure();
      failure.path = "/model/config/text_encoders/" + std::to_string(i);
      return config.fail(std::move(failure));
    }
    model.extra.push_back({"text_encoder_" + std::to_string(i + 1), census_of(*read).total});
  }
}

}  // namespace

void read_diffusion(Architecture& model, const Fields& fields, FieldReader& config) {
  model.kind = Architecture::Kind::diffusion;
  model.norm_upcasts = false;
  FieldReader denoiser{fields, "denoiser."};
  read_denoiser(model, config, denoiser);
  model.diffusion.twin_parameters = Count{config.whole_or("beyond_config.parameters_outside_config", 0, Range{0, std::int64_t{1} << 47})};
  if (fields.contains("vae._class_name")) {
    FieldReader vae{fields, "vae."};
    if (!vae.says("_class_name", "AutoencoderKL")) {
      refuse_part(config, "vae", "A VAE other than AutoencoderKL");
    }
    model.extra.push_back({"vae", vae_parameters(model, vae)});
    if (vae.failure()) config.fail(*vae.failure());
  }
  if (denoiser.failure()) config.fail(*denoiser.failure());
  add_text_encoders(model, fields, config);
}

}  // namespace rigsizer
