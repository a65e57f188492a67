// Text encoders, encoder-decoders and speech encoders.
//
// Sums, h width, L layers, I MLP width, V vocabulary, n positions:
//   BERT-like   (V + n + types) h + 2 h + L blocks (+ pooler h^2 + h); ALBERT shares one block and factors the table;
//               DeBERTa v3 has 2 buckets h + 2 h relative positions, MPNet 32 H, ModernBERT RMS-like norms and a gated MLP
//   T5          V d + L (4 d q + f d I + 2 d) + d + 32 H + L' (8 d q + f d I + 3 d) + d + 32 H (+ V d untied), f = 2 or 3
//   BART        V d + 2 ((n + 2) d + 2 d) + blocks, decoder blocks with cross attention
//   Whisper     3 M d + d + 3 d^2 + d convolutions, learned positions, attention without key bias
//   wav2vec2    seven convolutions, a projection, a grouped positional convolution h (h / 16) 128, blocks
// Published: BERT base 109,482,240; T5 base 222,903,552; Whisper large v3 1,543,490,560.
// Source: the modelling code of each family in huggingface/transformers.
#pragma once

#include "model/architecture.h"
#include "model/fields.h"

namespace rigsizer {

/// model.model_type is set; problems go to `config`.
void read_text_encoder(Architecture& model, const Fields& fields, FieldReader& config);
void read_t5(Architecture& model, const Fields& fields, FieldReader& config);
void read_bart(Architecture& model, const Fields& fields, FieldReader& config);
void read_whisper(Architecture& model, const Fields& fields, FieldReader& config);
void read_wav2vec2(Architecture& model, const Fields& fields, FieldReader& config);

}  // namespace rigsizer
