#include "memory/capacity.h"

#include <algorithm>
#include <cmath>

#include "memory/llama_cpp.h"
#include "memory/serving_plain.h"

namespace rigsizer {
namespace {

/// Fractions people type have two or three digits; finer than this no engine can be told.
constexpr double kFractionStep = 1e-4;

LlamaGraph graph_of(const Server& server, double context_tokens) {
  return {.context_tokens = context_tokens,
          .micro_batch = server.settings.micro_batch,
          .flash_attention = server.settings.flash_attention,
          .latent_kept = server.behaviour.latent != LatentCache::expanded,
          .cache_quantised = server.key_bytes < 2 || server.value_bytes<2, .input_copies = server.settings.cards_in_turn> 1 ? 4.0 : 1.0};
}

/// Prompts as long as the context, processed whole.
double prompt_peak(const Architecture& model, const EngineBehaviour& behaviour, double context_tokens, double sequences,
                   const MemoryConstants& constants) {
  const PlainPeak peak = plain_peak({.sequences = sequences,
                                     .prompt_tokens = context_tokens,
                                     .mlp_width = widest_mlp(model),
                                     .hidden = static_cast<double>(model.hidden),
                                     .vocabulary = static_cast<double>(model.vocabulary),
                                     .heads = static_cast<double>(model.heads),
                                     .keeps_prompt_logits = behaviour.keeps_prompt_logits,
                                     .eager_attention = behaviour.eager_attention},
                                    constants);
  return std::max(peak.layer_bytes, peak.logits_bytes);
}

}  // namespace

double cache_bytes(const Pool& pool, double context_tokens, double sequences) {
  return sequences * pool.cost.sequence_bytes(std::ceil(context_tokens / pool.block_tokens) * pool.block_tokens);
}

double cached_tokens(const Pool& pool, double longest_tokens) {
  const CacheCost& cost = pool.cost;
  if (pool.bytes <= 0) return 0;
  if (cost.windowed.empty() && cost.state_bytes == 0 && cost.source_bytes == 0)
    return std::floor(pool.bytes / (pool.block_tokens * cost.full_bytes_per_token)) * pool.block_tokens;
  return std::floor(pool.bytes / cache_bytes(pool, longest_tokens, 1) * longest_tokens);
}

double longest_context(const Pool& pool, double limit_tokens) {
  double fits = 0;
  double over = std::ceil(limit_tokens / pool.block_tokens) + 1;  // in blocks
  while (over - fits > 1) {
    const double middle = std::floor((fits + over) / 2);
    (cache_bytes(pool, middle * pool.block_tokens, 1) <= pool.bytes ? fits : over) = middle;
  }
  return std::min(fits * pool.block_tokens, limit_tokens);
}

double highest_concurrency(const Pool& pool, double context_tokens) {
  return std::max(0.0, std::floor(pool.bytes / cache_bytes(pool, context_tokens, 1)));
}

std::optional<double> least_fraction(const Architecture& model, const Server& server, double context_tokens, const MemoryConstants& constants) {
  if (!has_pool(server.engine)) return std::nullopt;
  const auto fits = [&](double fraction) {
    Server tried = server;
    tried.settings.memory_fraction = fraction;
    const Pool pool = serving_pool(model, tried, constants);
    return cache_bytes(pool, context_tokens, 1) <= pool.bytes;
  };
  if (!fits(1)) return std::nullopt;
  double low = 0, high = 1;
  while (high - low > kFractionStep) {
    const double middle = (low + high) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

ServingNeed serving_need(const Architecture& model, const Server& server, double context_tokens, double sequences, const MemoryConstants& constants) {
  Server asked = server;
  asked.settings.profiled_sequences = sequences;
  asked.settings.chunk_tokens = std::min(server.settings.chunk_tokens, context_tokens);
  const Pool pool = serving_pool(model, asked, constants);
  ServingNeed need;
  need.weights_bytes = pool.weights_bytes;
  // Cards that work in turn hold whole layers each.
  need.cache_bytes = cache_bytes(pool, context_tokens, sequences) / server.settings.cards_in_turn;
  need.context_bytes = pool.context_bytes;
  switch (server.engine) {
    case ServingEngine::llama_cpp:
    case ServingEngine::ollama: need.activation_bytes = compute_buffer(model, graph_of(server, context_tokens * sequences)).bytes(); break;
    case ServingEngine::transformers: need.activation_bytes = prompt_peak(model, server.behaviour, context_tokens, sequences, constants); break;
    default: need.activation_bytes = pool.activation_bytes() + pool.buffers_bytes;
  }
  need.reserved_bytes = has_pool(server.engine) ? serving_pool(model, server, constants).reserved_bytes : need.total();
  return need;
}

}  // namespace rigsizer
