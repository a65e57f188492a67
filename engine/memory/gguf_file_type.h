// A GGUF file type ("Q4_K_M") is a recipe: which block type each matrix of a model gets. This is llama.cpp's recipe.
//
//   Llama 3.1 8B, Q4_K_M: most matrices Q4_K; the value and down projections of the first and last eighth of the layers
//   and of every third between them Q6_K; the head Q6_K. Together 4.58 GiB, 4.89 bits per weight.
//
// What decides: the layer's position, query heads per KV head (4 and more: value projections are small and get more
// bits), the number of experts (8: Mixtral's attention is small beside them), tied tables (the one table is then
// treated as the head), Falcon, 70B-class models. Norms, biases and other vectors are F32, and so are routers and the
// taps of short convolutions. A row that is not whole blocks falls back to a type of blocks of 32, then to F16.
//
// Source: llama_tensor_get_type and tensor_allows_quantization in llama.cpp's src/llama-quant.cpp (2026), and its
// converter for what stays F32. The fork's own types come in files of their makers' choosing; those of mixtures nearly
// all keep everything but routed experts at Q8_0 and give the experts' down projections the next larger type (model
// cards of DeepSeek-V3-0324 and R1-0528 for ik_llama.cpp, 2025): that is what is summed for them.
// Multi-token-prediction layers and vision towers are not in the file: towers get a file
// of their own ("mmproj"), see `gguf_projector_bytes`. Mixes made by third parties ("UD", "Q4_K_XL") follow no rule;
// read the header of such a file instead.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "memory/ggml_type.h"
#include "model/architecture.h"

namespace rigsizer {

enum class GgufFileType : std::uint8_t {
  f32,
  f16,
  bf16,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q1_0,
  q2_0,
  q2_k,
  q2_k_s,
  q3_k_s,
  q3_k_m,
  q3_k_l,
  q4_k_s,
  q4_k_m,
  q5_k_s,
  q5_k_m,
  q6_k,
  iq1_s,
  iq1_m,
  iq2_xxs,
  iq2_xs,
  iq2_s,
  iq2_m,
  iq3_xxs,
  iq3_xs,
  iq3_s,
  iq3_m,
  iq4_nl,
  iq4_xs,
  tq1_0,
  tq2_0,
  mxfp4_moe,
  nvfp4,
  iq2_k,
  iq3_k,
  iq4_k,
  iq5_k,
  iq6_k,
  iq2_ks,
  iq3_ks,
  iq4_ks,
  iq4_kss,
  iq5_ks,
};

struct GgufFileTypeInfo {
  GgufFileType type = GgufFileType::f16;
  std::string_view name;          ///< as file names write it
  int id = -1;                    ///< `general.file_type`; -1 where it is not known to us
  GgmlType base = GgmlType::f16;  ///< of matrices no rule names
};

std::span<const GgufFileTypeInfo> gguf_file_types();
const GgufFileTypeInfo& info(GgufFileType type);
/// "Q4_K_M", "q4_k_m", "MXFP4"; "Q3_K", "Q4_K" and "Q5_K" are the _M mixes, as llama-quantize reads them.
std::optional<GgufFileType> gguf_file_type_named(std::string_view name);
std::optional<GgufFileType> gguf_file_type_of_id(std::uint32_t id);

/// One tensor (or equal ones together) as the file stores it.
struct GgufTensor {
  Matrix matrix = Matrix::other;
  Role role = Role::linear;
  std::int64_t layer = -1;  ///< -1: of the model, not of a layer
  std::int64_t row_length = 0;
  double rows = 0;
  GgmlType type = GgmlType::f32;

  [[nodiscard]] double bytes() const { return ggml_bytes(type, static_cast<double>(row_length), rows); }
};

/// How latent attention's up projection of keys and values is stored: as two (llama.cpp since April 2025), as one, or
/// both ways at once (mixtures in the fork's types).
enum class LatentUp : std::uint8_t { apart, joint, both };

struct GgufOptions {
  /// Importance matrix at hand: the first down projections of IQ4_XS, IQ4_NL, Q4_0 and Q5_0 are treated differently.
  /// Types of fewer bits need one anyway.
  bool importance_matrix = false;
  LatentUp latent_up = LatentUp::apart;
  /// A tied model whose file holds table and head apart all the same, made from a checkpoint with both.
  bool untied = false;
};

/// Every tensor of the file, layer by layer, tables and head before them.
std::vector<GgufTensor> gguf_tensors(const Architecture& model, GgufFileType type, const GgufOptions& options = {});

/// Sum of `gguf_tensors`; the header (vocabulary and merges: some MB) comes on top of it in the file, not in memory.
double gguf_bytes(const Architecture& model, GgufFileType type, const GgufOptions& options = {});

/// Vision and audio towers at 16 bits, vectors F32: a file of their own.
double gguf_projector_bytes(const Architecture& model);

}  // namespace rigsizer
