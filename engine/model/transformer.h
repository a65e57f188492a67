// What encoders, encoder-decoders, vision transformers and denoisers are made of: lists of weights, and the plain block of
// attention over all positions and an MLP.
//
//   block  = a (4 h q + biases) + 2 h I (gated: 3 h I) + biases + norms,   q = heads x head size, a = 1, with cross attention 2
//   BERT base: 12 blocks of 4 (h^2 + h) + 2 h I + I + h + 4 h = 7,087,872 weights.
// Nothing attends causally here, so nothing is cached, except in the decoder of an encoder-decoder.
// Source: the modelling code of each family in huggingface/transformers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/architecture.h"
#include "model/fields.h"

namespace rigsizer {

/// Adds weights of one part to a list. Out of line: dozens of calls, and the page pays for each copy.
class Weights {
 public:
  Weights(std::vector<Tensor>& tensors, Part part) : tensors_{&tensors}, part_{part} {}

  void matrix(std::int64_t inputs, std::int64_t outputs, std::int64_t copies = 1) const;
  /// One tensor each, because an adapter is added to each.
  void adaptable(std::int64_t inputs, std::int64_t outputs, AdapterTarget target, std::int64_t copies = 1) const;
  void vector(std::int64_t length, std::int64_t copies = 1) const;
  void table(std::int64_t rows, std::int64_t width) const;
  /// i o + o.
  void biased(std::int64_t inputs, std::int64_t outputs, std::int64_t copies = 1) const;
  /// Two linears with biases: i h + h + h o + o.
  void two_layers(std::int64_t inputs, std::int64_t hidden, std::int64_t outputs) const;

 private:
  void add(Role role, std::int64_t inputs, std::int64_t outputs, std::int64_t copies, AdapterTarget adapter) const;

  std::vector<Tensor>* tensors_;
  Part part_;
};

/// Reports a part of a config that would add weights nobody here has a sum for.
void refuse_part(FieldReader& config, const char* field, const char* what);

struct BlockShape {
  std::optional<Part> part;  ///< of all its weights; without: attention, MLP and norms apart
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;  ///< 0: hidden / heads
  std::int64_t mlp = 0;
  bool gated = false;
  bool bias = true;
  bool key_bias = true;
  std::int64_t norm_vectors = 4;  ///< weights of all norms and scales, over hidden: two LayerNorms have 4
  bool cross = false;             ///< a second attention, to an encoder's output
  bool caches = false;            ///< generates token by token: keys and values stay
};

Layer block_of(const BlockShape& shape);

/// Appends `count` equal layers behind those there.
void add_layers(Architecture& model, std::int64_t count, Layer layer, bool shared = false);

}  // namespace rigsizer
