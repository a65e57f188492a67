// An architecture as an inventory of its weights and caches: everything else follows from it.
//
// Parameter counts are sums over tensors; bytes of a weight format are sums by role; a LoRA adapter is r (in + out)
// over the targeted linears; FLOPs are two per weight of the linears a token meets; the KV cache is a sum over stores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "quantity/count.h"

namespace rigsizer {

/// Where a weight belongs; the names are those of the parameter breakdown people see.
enum class Part : std::uint8_t {
  embed,
  position,
  embed_norm,
  attention,
  linear_attention,
  state_space,
  rwkv,
  mlp,
  moe,
  norm,
  lm_head,
  cross_attention,
  altup,
  laurel,
  per_layer_input,
  per_layer_embed,
  hyper_connection,
  embed_projection,
  vision,
  audio,
  text,
  encoder,
  decoder,
  convolution,
  projection,
  relative_position,
  pooler,
  mask_head,
  classifier,
  downsampling,
  denoiser,
};
inline constexpr int kPartCount = 31;

/// How a tensor is used, which decides what a weight format, an adapter and a tensor-parallel split do to it.
enum class Role : std::uint8_t {
  linear,         ///< a matrix multiplied with every token
  expert,         ///< a matrix of a routed expert: `copies` of them, of which a token meets k
  table,          ///< looked up, not multiplied: token and position tables
  head,           ///< the output projection, a linear that weight formats usually leave at 16 bits
  router,         ///< a linear that weight formats leave at 16 bits and tensor parallelism copies
  tower,          ///< of a vision tower or projector: left at 16 bits, copied by tensor parallelism, met by image patches only
  expert_vector,  ///< biases of routed experts
  vector,         ///< norms, biases, gates, convolution taps, state-space parameters
};

/// Which matrix of a layer (or of the model) a tensor is, where a quantiser's recipe tells them apart.
enum class Matrix : std::uint8_t {
  other,
  token_table,
  position_table,
  per_layer_table,  ///< Gemma 3n and 4: one token table per layer
  head,             ///< the output projection
  query,            ///< also of a whole-layer output gate, where the query projection is twice as wide
  key,
  value,
  attention_output,
  attention_gate,
  latent_query_down,
  latent_query_up,
  latent_kv_down,
  latent_kv_up,
  indexer,
  recurrent_input,   ///< gated delta, lightning, KDA: queries, keys, values (gated delta: and the output gate) in one
  recurrent_output,  ///< of linear attention and state-space layers
  gate,              ///< of a dense MLP
  up,
  down,
  shared_gate,  ///< of the shared experts of a mixture
  shared_up,
  shared_down,
  expert_gate,
  expert_up,
  expert_down,
  router,
  low_rank,  ///< RWKV's data-dependent mixes, LAuReL, AltUp: small matrices that quantisers leave alone
  norm,
  vector,  ///< biases, scales, taps of short convolutions, state-space parameters
};

enum class AdapterTarget : std::uint8_t { none, attention, mlp };

struct Tensor {
  Part part = Part::attention;
  Role role = Role::linear;
  Matrix matrix = Matrix::other;
  std::int64_t inputs = 0;  ///< for a vector: its length
  std::int64_t outputs = 1;
  std::int64_t copies = 1;
  AdapterTarget adapter = AdapterTarget::none;

  [[nodiscard]] Count size() const { return Count{inputs} * outputs * copies; }
};

/// Values cached per token by one layer, in elements of the KV format.
struct KvStore {
  std::int64_t elements = 0;          ///< per cached position
  std::int64_t window = 0;            ///< positions kept at most; 0 keeps all
  std::int64_t tokens_per_entry = 1;  ///< above 1: one entry stands for this many tokens (pooled keys)
  std::int64_t heads = 1;             ///< divides over tensor-parallel ranks up to this many; 1 is copied to each
  bool cross = false;                 ///< keys and values of an encoder's output: one entry per source token, written once
};

enum class Mixer : std::uint8_t { attention, latent_attention, linear_attention, state_space, rwkv, none };

struct Layer {
  Mixer mixer = Mixer::attention;
  std::vector<Tensor> tensors;
  std::vector<KvStore> kv;
  std::int64_t state_bytes = 0;  ///< per sequence, whatever its length

  // Widths a training step keeps activations of.
  std::int64_t hidden = 0;       ///< 0: the model's
  std::int64_t query_width = 0;  ///< heads x head size
  std::int64_t key_width = 0;
  std::int64_t value_width = 0;
  std::int64_t heads = 0;
  std::int64_t mlp_width = 0;  ///< of what one token meets: dense width, or k experts plus shared ones
  bool gated = true;
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  /// FLOPs per token and past token of attention (2 H (d + d_v)), 0 for linear layers.
  std::int64_t flops_per_token_pair = 0;
  /// FLOPs per token of a recurrent update beside the linears.
  std::int64_t state_flops_per_token = 0;
};

struct LayerGroup {
  std::int64_t count = 0;
  Layer layer;
  std::vector<std::int64_t> positions;  ///< which layers of the model these are, counted from 0, ascending; `count` of them
  bool shared = false;                  ///< all use one set of weights (ALBERT)
};

/// Weights published beside the model proper (multi-token prediction, text encoders, VAE); not part of its parameter count.
struct ExtraPart {
  std::string name;
  Count parameters;
};

/// What a diffusion pipeline's memory depends on beside its weights.
struct DiffusionShape {
  std::int64_t patch = 1;            ///< latent pixels of a token's side; 1 for a UNet
  std::int64_t text_tokens = 0;      ///< that attend together with the image's; 0 where text is only cross-attended
  std::int64_t pixels = 8;           ///< image pixels of a latent pixel's side
  std::int64_t frames = 1;           ///< video frames per latent frame; 1 for images
  std::int64_t vae_width = 0;        ///< channels of the VAE at full resolution; 0 where the config gives no VAE
  std::int64_t vae_upper_width = 0;  ///< of the stage before, still that wide when it reaches full resolution
  double unet_values_per_pixel = 0;  ///< outputs of all layers of a UNet per latent pixel
  Count twin_parameters{};           ///< of a second denoiser that the config does not describe (Wan 2.2)
};

struct Architecture {
  enum class Kind : std::uint8_t { decoder, encoder, encoder_decoder, vision, diffusion } kind = Kind::decoder;
  std::string model_type;
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t vocabulary = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t max_context_tokens = 0;  ///< 0 where the config does not say
  std::int64_t table_width = 0;         ///< width of the token table (= hidden but for projected embeddings)
  bool tied = false;
  bool tower_unstated = false;   ///< a text_config alone: a tower exists whose sizes the config does not give
  bool has_tower = false;        ///< weights of a vision tower are among the model tensors
  bool norm_upcasts = true;      ///< RMS norms compute in fp32
  std::string published_format;  ///< "bf16", "fp8", "mxfp4", ... as the config states; empty where it does not
  std::vector<LayerGroup> groups;
  std::vector<Tensor> model_tensors;  ///< tables, final norm, head, towers: once per model
  std::vector<ExtraPart> extra;
  std::int64_t source_tokens = 0;  ///< an encoder's fixed length (Whisper's 30 seconds); 0: as long as the source
  DiffusionShape diffusion;

  /// Its work is counted in tokens of a sequence; images and videos are memory/media.h's.
  [[nodiscard]] bool takes_sequences() const { return kind != Kind::vision && kind != Kind::diffusion; }
};

}  // namespace rigsizer
