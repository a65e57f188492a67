#include "model/encoders.h"

#include <algorithm>
#include <array>

#include "model/transformer.h"

namespace rigsizer {
namespace {

using Kind = Architecture::Kind;

struct EncoderFamily {
  std::string_view model_type;
  bool positions = true;    ///< a learned table
  std::int64_t padded = 0;  ///< rows of that table which no token uses
  bool types = true;        ///< the config must say how many kinds of segment there are
  bool pooler = false;      ///< where nothing says otherwise, as most publish it
  bool projected = false;   ///< a table of embedding_size, projected
};
constexpr std::array kEncoderFamilies{
    EncoderFamily{.model_type = "bert", .pooler = true},
    EncoderFamily{.model_type = "roberta", .padded = 2},
    EncoderFamily{.model_type = "xlm-roberta", .padded = 2},
    EncoderFamily{.model_type = "albert", .pooler = true, .projected = true},
    EncoderFamily{.model_type = "electra", .projected = true},
    EncoderFamily{.model_type = "distilbert", .types = false},
    EncoderFamily{.model_type = "mpnet", .padded = 2, .types = false, .pooler = true},
    EncoderFamily{.model_type = "deberta-v2", .positions = false, .types = false},
    EncoderFamily{.model_type = "modernbert", .positions = false, .types = false},
};

const EncoderFamily& encoder_family(std::string_view model_type) {
  return *std::find_if(kEncoderFamilies.begin(), kEncoderFamilies.end() - 1,
                       [model_type](const EncoderFamily& family) { return family.model_type == model_type; });
}

void add_deberta_positions(Architecture& model, FieldReader& config) {
  if (config.flag_or("position_biased_input", true)) {
    Weights{model.model_tensors, Part::embed}.table(config.need("max_position_embeddings", range::tokens), model.hidden);
  }
  if (!config.flag_or("relative_attention", false)) return;
  if (!config.flag_or("share_att_key", false)) refuse_part(config, "share_att_key", "Projections of its own for relative positions");
  if (config.whole_or("conv_kernel_size", 0, range::small) > 0) refuse_part(config, "conv_kernel_size", "A convolution beside the first layer");
  Weights relative{model.model_tensors, Part::relative_position};
  relative.matrix(2 * config.need("position_buckets", Range{1, range::tokens.high}), model.hidden);
  if (config.says("norm_rel_ebd", "layer_norm")) relative.vector(2 * model.hidden);
}

void add_modernbert(Architecture& model, FieldReader& config, std::int64_t layers, std::int64_t mlp) {
  const std::int64_t h = model.hidden;
  const bool bias = config.flag_or("attention_bias", false);
  if (bias || config.flag_or("mlp_bias", false) || config.flag_or("norm_bias", false))
    refuse_part(config, "attention_bias", "ModernBERT with biases");
  Weights{model.model_tensors, Part::norm}.vector(h, 2);  // behind the table, behind the last layer
  BlockShape block{.hidden = h, .heads = model.heads, .mlp = mlp, .gated = true, .bias = false, .norm_vectors = 1};
  add_layers(model, 1, block_of(block));  // the table's norm is the first layer's
  block.norm_vectors = 2;
  add_layers(model, layers - 1, block_of(block));
  if (!config.flag_or("beyond_config.has_mlm_head", true)) return;
  Weights head{model.model_tensors, Part::mask_head};
  head.matrix(h, h);
  head.vector(h + model.vocabulary);
}

/// Where each pair of an encoder and a decoder differs.
struct Pair {
  std::int64_t encoder_layers = 0, decoder_layers = 0;
  BlockShape encoder, decoder;
};

void add_pair(Architecture& model, Pair pair) {
  model.kind = Kind::encoder_decoder;
  pair.encoder.part = Part::encoder;
  pair.decoder.part = Part::decoder;
  pair.decoder.cross = pair.decoder.caches = true;
  pair.encoder.hidden = pair.decoder.hidden = model.hidden;
  model.heads = model.kv_heads = pair.decoder.heads;
  add_layers(model, pair.encoder_layers, block_of(pair.encoder));
  add_layers(model, pair.decoder_layers, block_of(pair.decoder));
}

/// The fields BART and Whisper spell alike.
Pair read_pair(FieldReader& config) {
  const auto width = [&](const char* name) { return config.need(name, range::width); };
  const auto heads = [&](const char* name) { return config.need(name, range::heads); };
  Pair pair;
  pair.encoder_layers = config.need("encoder_layers", range::layers);
  pair.decoder_layers = config.need("decoder_layers", range::layers);
  pair.encoder.heads = heads("encoder_attention_heads");
  pair.decoder.heads = heads("decoder_attention_heads");
  pair.encoder.mlp = width("encoder_ffn_dim");
  pair.decoder.mlp = width("decoder_ffn_dim");
  pair.decoder.norm_vectors = 6;
  return pair;
}

void read_tables(Architecture& model, FieldReader& config, bool tied) {
  model.hidden = config.need("d_model", range::width);
  model.vocabulary = config.need("vocab_size", range::vocabulary);
  model.table_width = model.hidden;
  model.tied = config.flag_or("tie_word_embeddings", tied);
  Weights{model.model_tensors, Part::embed}.table(model.vocabulary, model.hidden);
}

void add_head(Architecture& model) {
  if (model.tied) return;
  model.model_tensors.push_back({.part = Part::lm_head, .role = Role::head, .inputs = model.hidden, .outputs = model.vocabulary});
}

}  // namespace

void read_text_encoder(Architecture& model, const Fields&, FieldReader& config) {
  const EncoderFamily& family = encoder_family(model.model_type);
  model.kind = Kind::encoder;
  model.norm_upcasts = false;
  if (config.flag_or("is_decoder", false)) refuse_part(config, "is_decoder", "An encoder used as a decoder");
  if (!config.says("position_embedding_type", "absolute", true)) refuse_part(config, "position_embedding_type", "Relative positions in this family");
  const std::int64_t h = model.hidden = config.required({"hidden_size", "dim"}, range::width);
  const std::int64_t layers = config.required({"num_hidden_layers", "n_layers"}, range::layers);
  const std::int64_t mlp = config.required({"intermediate_size", "hidden_dim"}, range::width);
  model.heads = model.kv_heads = config.required({"num_attention_heads", "n_heads"}, range::heads);
  model.vocabulary = config.need("vocab_size", range::vocabulary);
  model.table_width = family.projected ? config.need("embedding_size", range::width) : h;
  model.tied = true;  // the head that predicts masked tokens

  Weights embed{model.model_tensors, Part::embed};
  embed.table(model.vocabulary, model.table_width);
  const std::int64_t positions = config.whole_or("max_position_embeddings", 0, Range{0, range::tokens.high});
  model.max_context_tokens = std::max<std::int64_t>(0, positions - family.padded);
  if (model.model_type == "modernbert") return add_modernbert(model, config, layers, mlp);
  if (family.positions) embed.table(config.need("max_position_embeddings", range::tokens), model.table_width);
  const std::int64_t types = family.types ? config.need("type_vocab_size", range::small) : config.whole_or("type_vocab_size", 0, range::small);
  if (types > 0) embed.table(types, model.table_width);
  embed.vector(2 * model.table_width);
  if (family.projected && (model.table_width != h || model.model_type == "albert")) {
    Weights{model.model_tensors, Part::embed_projection}.biased(model.table_width, h);
  }
  if (model.model_type == "deberta-v2") add_deberta_positions(model, config);
  if (model.model_type == "mpnet") {
    Weights{model.model_tensors, Part::relative_position}.matrix(config.whole_or("relative_attention_num_buckets", 32, range::width), model.heads);
  }
  const bool shared = model.model_type == "albert";
  if (shared && (config.whole_or("num_hidden_groups", 1, range::layers) > 1 || config.whole_or("inner_group_num", 1, range::layers) > 1)) {
    refuse_part(config, "num_hidden_groups", "ALBERT with more than one group of layers");
  }
  add_layers(model, layers, block_of({.hidden = h, .heads = model.heads, .mlp = mlp}), shared);
  if (config.flag_or("beyond_config.has_pooler", family.pooler)) Weights{model.model_tensors, Part::pooler}.biased(h, h);
}

void read_t5(Architecture& model, const Fields&, FieldReader& config) {
  const bool first = model.model_type == "t5";  // whose successors gate their MLPs and untie their tables
  read_tables(model, config, first);
  const std::int64_t heads = config.need("num_heads", range::heads);
  const std::int64_t buckets = config.whole_or("relative_attention_num_buckets", 32, range::width) * heads;
  const BlockShape block{.heads = heads,
                         .head_dim = config.need("d_kv", range::width),
                         .mlp = config.need("d_ff", range::width),
                         .gated = config.text_or("feed_forward_proj", first ? "relu" : "gated-gelu").starts_with("gated-"),
                         .bias = false,
                         .norm_vectors = 2};
  Pair pair{.encoder_layers = config.need("num_layers", range::layers), .encoder = block, .decoder = block};
  pair.decoder.norm_vectors = 3;
  pair.decoder_layers = config.whole_or("num_decoder_layers", pair.encoder_layers, range::layers);
  const bool each_layer = model.model_type == "umt5";  // a table of relative positions in every layer, not in the first alone
  bool encoder_alone = false;
  for (const std::string& name : config.words("architectures")) encoder_alone = encoder_alone || name.ends_with("EncoderModel");
  const auto ends = [&](Part part, std::int64_t layers) {
    Weights weights{model.model_tensors, part};
    weights.vector(model.hidden);
    weights.matrix(buckets, each_layer ? layers : 1);
  };
  ends(Part::encoder, pair.encoder_layers);
  if (encoder_alone) pair.decoder_layers = 0;
  add_pair(model, pair);
  if (encoder_alone) {
    model.kind = Kind::encoder;
    model.tied = false;
    return;
  }
  ends(Part::decoder, pair.decoder_layers);
  add_head(model);
}

void read_bart(Architecture& model, const Fields&, FieldReader& config) {
  model.norm_upcasts = false;
  read_tables(model, config, true);
  model.max_context_tokens = config.need("max_position_embeddings", range::tokens);
  Weights positions{model.model_tensors, Part::position};
  constexpr std::int64_t kPadded = 2;
  positions.matrix(model.max_context_tokens + kPadded, model.hidden, 2);
  positions.vector(2 * model.hidden, 2);
  add_pair(model, read_pair(config));
  add_head(model);
}

void read_whisper(Architecture& model, const Fields&, FieldReader& config) {
  model.norm_upcasts = false;
  read_tables(model, config, true);
  const std::int64_t h = model.hidden;
  model.source_tokens = config.need("max_source_positions", range::tokens);
  model.max_context_tokens = config.need("max_target_positions", range::tokens);
  Weights{model.model_tensors, Part::position}.matrix(model.source_tokens + model.max_context_tokens, h);
  constexpr std::int64_t kTaps = 3;
  Weights{model.model_tensors, Part::convolution}.two_layers(kTaps * config.need("num_mel_bins", range::width), h, h);
  Weights{model.model_tensors, Part::convolution}.matrix((kTaps - 1) * h, h);  // the second convolution's other taps
  Pair pair = read_pair(config);
  pair.encoder.key_bias = pair.decoder.key_bias = false;
  add_pair(model, pair);
  Weights{model.model_tensors, Part::encoder}.vector(2 * h);
  Weights{model.model_tensors, Part::decoder}.vector(2 * h);
  add_head(model);
}

void read_wav2vec2(Architecture& model, const Fields&, FieldReader& config) {
  model.kind = Kind::encoder;
  model.norm_upcasts = false;
  const std::int64_t h = model.hidden = config.need("hidden_size", range::width);
  model.heads = model.kv_heads = config.need("num_attention_heads", range::heads);
  const std::vector<std::int64_t> widths = config.stages("conv_dim", range::width);
  const std::vector<std::int64_t> kernels = config.stages("conv_kernel", range::width, widths.size());
  if (config.failure()) return;
  const bool every_norm = config.says("feat_extract_norm", "layer");
  Weights convolution{model.model_tensors, Part::convolution};
  std::int64_t inputs = 1;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::int64_t outputs = widths[i];
    convolution.matrix(inputs * kernels[i], outputs);
    if (config.flag_or("conv_bias", false)) convolution.vector(outputs);
    if (every_norm || i == 0) convolution.vector(2 * outputs);
    inputs = outputs;
  }
  Weights projection{model.model_tensors, Part::projection};
  projection.vector(2 * inputs);
  projection.biased(inputs, h);
  projection.vector(h);  // stands in for masked frames
  const std::int64_t taps = config.whole_or("num_conv_pos_embeddings", 128, range::width);
  Weights positions{model.model_tensors, Part::position};
  positions.matrix(h / config.whole_or("num_conv_pos_embedding_groups", 16, range::width) * taps, h);
  positions.vector(taps + h);
  Weights{model.model_tensors, Part::norm}.vector(2 * h);
  add_layers(model, config.need("num_hidden_layers", range::layers),
             block_of({.hidden = h, .heads = model.heads, .mlp = config.need("intermediate_size", range::width)}));
}

}  // namespace rigsizer
