// How the weights of a model are stored: one value for every format, and the bytes it makes of each matrix.
//
//   bits per weight of a linear with i inputs and o outputs, scales included
//     fp32, bf16, fp16        32, 16, 16
//     fp8 per tensor          8, and one fp32 scale a matrix;  in blocks of 128 x 128: one fp32 scale a block, 8.002
//     int8 by row             8, and one fp32 scale an output (bitsandbytes, compressed-tensors w8a8, torchao, TensorRT-LLM)
//     GPTQ, AWQ               b + 16/g (scale) + b/g (zero point); act-order + 4 bytes an input. 4 bits, g = 128: 4.156
//     w4a16 symmetric         b + 16/g
//     NF4, FP4 (bitsandbytes) 4 + 32/64 = 4.5; scales quantised again 4 + 8/64 + 32/(64 x 256) = 4.127
//     MXFP4, NVFP4            4 + 8/32 = 4.25, 4 + 8/16 = 4.5 and one fp32 scale a matrix
//     EXL2                    as stated, an average; the head at 6 bits
//     GGUF                    tensor by tensor, see gguf_file_type.h
//
// Left at 16 bits by all but GGUF: token tables, head, norms, biases, routers, vision and audio towers. Quantising
// usually gives a tied head 16 bits of its own (GPTQ, AWQ, fp8, int8 checkpoints; not bitsandbytes, MXFP4 and GGUF).
// Sources: the formats' definitions; measured checkpoints agree to 1-2 % (AWQ), 0.4-0.8 % (fp8).
//
//   Llama 3.1 8B: bf16 14.96 GiB, AWQ 5.33 GiB, NF4 5.66 GiB, Q4_K_M 4.58 GiB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/gguf_file_type.h"
#include "model/architecture.h"

namespace rigsizer {

enum class WeightScheme : std::uint8_t {
  floats,
  fp8_tensor,
  fp8_block,
  int8_row,
  gptq,       ///< scales and zero points by group
  symmetric,  ///< scales by group only
  awq,
  bnb4,
  mxfp4,
  nvfp4,
  exl2,
  gguf,
};

/// Which matrices the scheme is for; the others take `others`.
enum class WeightScope : std::uint8_t {
  linears,
  experts,    ///< routed ones
  mlp,        ///< dense and expert matrices of the MLP
  inner_mlp,  ///< the same, without the first and the last layer (Meta's FP8 of Llama 3.1 405B)
};

struct WeightFormat {
  WeightScheme scheme = WeightScheme::floats;
  WeightScope scope = WeightScope::linears;
  WeightScheme others = WeightScheme::floats;  ///< of linears outside the scope
  bool brain_float = true;                     ///< what is not quantised is bf16, not fp16: equal bytes, other hardware
  bool act_order = false;
  bool double_quantised = false;
  bool unties = false;  ///< a tied head becomes one of its own, of 16 bits; GGUF: of the file's type
  GgufFileType gguf = GgufFileType::q4_k_m;
  bool importance_matrix = false;  ///< see GgufOptions
  int bits = 16;                   ///< of one value: 32 or 16 for floats
  int group = 0;                   ///< weights per scale; 0: one scale for each output
  double bits_per_weight = 0;      ///< EXL2

  friend bool operator==(const WeightFormat&, const WeightFormat&) = default;

  [[nodiscard]] bool quantised() const { return scheme != WeightScheme::floats; }
  [[nodiscard]] double kept_bytes() const { return scheme == WeightScheme::floats && bits == 32 ? 4 : 2; }

  // Formats with names of their own.
  static const WeightFormat fp32, bf16, fp16, fp8, int8, gptq8, int4, gptq4, nf4, nf4_double, mxfp4, nvfp4;
};

inline constexpr WeightFormat WeightFormat::fp32{.bits = 32};
inline constexpr WeightFormat WeightFormat::bf16{};
inline constexpr WeightFormat WeightFormat::fp16{.brain_float = false};
inline constexpr WeightFormat WeightFormat::fp8{.scheme = WeightScheme::fp8_block, .unties = true, .bits = 8, .group = 128};
inline constexpr WeightFormat WeightFormat::int8{.scheme = WeightScheme::int8_row, .unties = true, .bits = 8};
inline constexpr WeightFormat WeightFormat::gptq8{.scheme = WeightScheme::gptq, .unties = true, .bits = 8, .group = 128};
inline constexpr WeightFormat WeightFormat::int4{.scheme = WeightScheme::awq, .unties = true, .bits = 4, .group = 128};
inline constexpr WeightFormat WeightFormat::gptq4{.scheme = WeightScheme::gptq, .unties = true, .bits = 4, .group = 128};
inline constexpr WeightFormat WeightFormat::nf4{.scheme = WeightScheme::bnb4, .bits = 4, .group = 64};
inline constexpr WeightFormat WeightFormat::nf4_double{.scheme = WeightScheme::bnb4, .double_quantised = true, .bits = 4, .group = 64};
inline constexpr WeightFormat WeightFormat::nvfp4{.scheme = WeightScheme::nvfp4, .unties = true, .bits = 4, .group = 16};
inline constexpr WeightFormat WeightFormat::mxfp4{.scheme = WeightScheme::mxfp4, .scope = WeightScope::experts, .bits = 4, .group = 32};

/// "bf16", "fp8", "int8", "awq", "gptq", "gptq4:g32-act", "awq4:nogroup", "w4a16:g32", "nf4-dq", "nvfp4", "exl2:4.25bpw",
/// "gguf:Q4_K_M" or "Q4_K_M", "gguf:IQ4_XS:imatrix", "gguf:Q4_K_M:untied", whatever the case. None for other words.
std::optional<WeightFormat> parse_weight_format(std::string_view text);
/// A spelling that `parse_weight_format` reads back; one of `weight_format_names` where it is among them.
std::string name_of(const WeightFormat& format);
/// One name of each format without parameters of its own, GGUF last. Group sizes, act-order and EXL2's bits are written
/// into names as above.
const std::vector<std::string>& weight_format_names();

/// Bytes of one matrix, scales included; of a linear inside the scope, outside it, or of what is kept.
double matrix_bytes(const WeightFormat& format, WeightScheme scheme, double inputs, double outputs);
/// Bits per weight of a large linear (8192 x 8192), for networks of which only the sum of parameters is known.
double linear_bits(const WeightFormat& format);

/// Bytes of one layer, apart by how tensor parallelism splits them.
struct LayerWeightBytes {
  double linear = 0;     ///< divided over ranks
  double key_value = 0;  ///< divided by heads: copied where ranks are more than KV heads
  double expert = 0;     ///< divided over ranks
  double copied = 0;     ///< norms, routers, vectors, the down projections of latent attention: whole on each rank

  [[nodiscard]] double total() const { return linear + key_value + expert + copied; }
};

/// A model in one format.
struct WeightBytes {
  WeightFormat format;
  std::vector<LayerWeightBytes> layers;  ///< by position
  double table = 0;                      ///< token and position tables
  double head = 0;                       ///< of its own; 0 where it shares the table
  double shared_head = 0;                ///< the table once more, for the stage of a pipeline that holds a shared head
  double linear = 0;                     ///< outside layers
  double copied = 0;                     ///< final norm and the like
  double tower = 0;
  int kv_heads = 1;

  [[nodiscard]] double total() const;
  [[nodiscard]] LayerWeightBytes all_layers() const;
};

WeightBytes weight_bytes(const Architecture& model, const WeightFormat& format);

/// What one device holds of a model spread by layers and by tensor parallelism.
struct Shard {
  int first_layer = 0;
  int layers = 1 << 20;  ///< cut to what there is
  int tensor_parallel = 1;
  bool table = true;  ///< the first stage; llama.cpp keeps the table on the host
  bool head = true;   ///< the last stage
  bool tower = true;
};

/// Bytes of a stage, all its ranks together, and what one rank takes of them.
///   rank = (linear + expert + table and head) / ranks + key_value x share + copied
/// A rank holds whole KV heads; with more ranks than heads each head stands on several.
struct ShardParts {
  double linear = 0;
  double expert = 0;
  double table_and_head = 0;
  double key_value = 0;
  double copied = 0;
  double tensor_parallel = 1;
  double key_value_share = 1;

  [[nodiscard]] double bytes() const { return (linear + expert + table_and_head) / tensor_parallel + key_value * key_value_share + copied; }
};
ShardParts shard_parts(const WeightBytes& bytes, const Shard& shard);
inline double shard_bytes(const WeightBytes& bytes, const Shard& shard) { return shard_parts(bytes, shard).bytes(); }

}  // namespace rigsizer
