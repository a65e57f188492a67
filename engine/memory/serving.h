// Memory of one accelerator that serves a language model with a given engine.
//
//   weights     one rank's share of every matrix, or one card's share of the layers       memory/weight_format.h
//   KV cache    sequences x bytes of one sequence, in whole blocks                        memory/cache.h
//   state       sequences x state of recurrent layers
//   activations of a chunk or of sampling: memory/pool.h; llama.cpp's compute buffer: memory/llama_cpp.h; whole prompts of
//               transformers: memory/serving_plain.h
//   overhead    context, communication, captured graphs
//
// Engines that reserve a pool hold the cache within their memory fraction, so a job fits when all this stays within
//
//   limit = everything but the cache + pool        at most the card
//
// which for vLLM is fraction x card. Llama 3 8B, bf16, one sequence of 8,192 tokens, one accelerator: weights 14.96 GiB,
// KV cache 1.00 GiB.
#pragma once

#include "memory/constants.h"
#include "memory/job.h"
#include "memory/lines.h"
#include "memory/llama_cpp.h"
#include "memory/model_sizes.h"
#include "memory/pool.h"
#include "memory/serving_plain.h"

namespace rigsizer {

/// Everything the lines are computed from; explain/ shows these.
struct ServingTerms {
  Server server;  ///< settings complete
  ShardParts weights;
  Pool pool;
  ComputeBuffer buffer;       ///< llama.cpp and ollama
  PlainRun run;               ///< transformers and exllamav2
  PlainPeak peak;             ///< transformers and exllamav2
  double sequences = 0;       ///< on this replica
  double context_tokens = 0;  ///< rounded up to whole cache blocks
  double layer_share = 1;     ///< of the cache: cards that work in turn hold some of the layers each
  double mlp_width = 0, hidden = 0, vocabulary = 0, heads = 0;
  MemoryConstants constants;
};

/// Engines that spread a model over cards layer by layer, one working after another; the others split each matrix.
bool works_in_turn(ServingEngine engine);

/// `layout.tensor_parallel` ranks, or `layout.pipeline_parallel` cards in turn, of which this is the one that holds most: the
/// last, with the head. `card` may be left out where only the lines are wanted, not the pool.
ServingTerms serving_terms(const ModelSizes& sizes, const ServingJob& job, const Layout& layout, const MemoryConstants& constants,
                           const CardTraits& card = {});
MemoryLines serving_lines(const ServingTerms& terms);
/// The most that `lines` may sum up to on this card.
double serving_limit_bytes(const ServingTerms& terms, const MemoryLines& lines);

/// By which engines' estimates are wrong alike.
EstimateKind estimate_kind(ServingEngine engine);

BandedLines serving_memory(const ModelSizes& sizes, const ServingJob& job, const Layout& layout, const MemoryCalibration& calibration,
                           const CardTraits& card = {});

}  // namespace rigsizer
