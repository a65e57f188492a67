// The numbers of an architecture that memory depends on: computed once per model, then read by every estimate.
#pragma once

#include <vector>

#include "memory/weight_format.h"
#include "model/architecture.h"

namespace rigsizer {

/// Widths whose activations a training step keeps, of one layer (or summed over layers).
struct ActivationWidths {
  double hidden = 0;
  double query = 0;
  double key_value = 0;
  double mlp = 0;        ///< of gated MLPs: gate, up and their product are kept
  double plain_mlp = 0;  ///< of MLPs of two matrices
  double heads = 0;
  double dispatched = 0;  ///< MoE: experts per token x hidden, for the copies sent to experts
  double router = 0;      ///< MoE: experts
};

struct LayerSize {
  double parameters = 0;          ///< held by one layer: a share of them where layers use the same weights
  double linear = 0, expert = 0;  ///< of these; the rest is small
  ActivationWidths widths;
};

/// A run of layers: what a pipeline stage holds of them.
struct LayerSpan {
  double layers = 0;
  double linear = 0, expert = 0, small = 0;
  ActivationWidths widths;
};

struct ModelSizes {
  double total = 0;
  double linear = 0;  ///< by role, see Role
  double expert = 0;
  double head = 0;
  double table = 0;
  double small = 0;      ///< routers, norms, biases, vision towers
  double tied_head = 0;  ///< V h when the head shares the table, else 0
  double hidden = 0, layers = 0, vocabulary = 0;
  int heads = 0;
  int kv_heads = 0;
  double widest_mlp = 0;           ///< of one layer, for one token
  double state_bytes = 0;          ///< per sequence
  double factored_elements = 0;    ///< rows + columns of every matrix, for factored optimizers
  double adapter_attention = 0;    ///< sum of (in + out) over attention linears: LoRA weights per rank
  double adapter_all = 0;          ///< same over attention and MLP linears, routed experts left out
  double adapter_query_value = 0;  ///< same over the query and value projections
  double adapter_outputs = 0;      ///< outputs of all adapted linears, for DoRA's magnitudes
  double largest_matrix = 0;       ///< weights of the largest linear that every token meets
  double source_tokens = 0;        ///< an encoder's fixed length; 0: as long as the context
  bool norm_upcasts = true;
  bool has_experts = false;
  bool has_windows = false;
  bool has_recurrence = false;
  bool has_latent = false;
  bool samples = true;           ///< puts out a next token; an encoder does not
  ActivationWidths widths;       ///< summed over layers
  std::vector<LayerSize> kinds;  ///< one per distinct layer
  std::vector<int> kind_of_layer;
  std::vector<KvStore> kv;  ///< elements already times the number of layers
  WeightBytes weights;      ///< as served
};

/// Served in `format`.
ModelSizes sizes_of(const Architecture& model, const WeightFormat& format = WeightFormat::bf16);

/// Layers [first, first + count) of the model.
LayerSpan span_of(const ModelSizes& sizes, int first, int count);

/// KV elements of one sequence on one tensor-parallel rank; caches with fewer heads than ranks are copied.
double kv_elements_per_rank(const ModelSizes& sizes, double context_tokens, int tensor_parallel);
/// As if every windowed layer kept every token (engines that page all layers alike).
double kv_elements_all_layers(const ModelSizes& sizes, double context_tokens, int tensor_parallel);

}  // namespace rigsizer
