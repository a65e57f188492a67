#include "memory/serving.h"

#include <algorithm>
#include <cmath>

namespace rigsizer {
namespace {

/// The last of `cards` that work in turn: as many layers as any, and the head.
Shard last_of(const ModelSizes& sizes, int cards, bool table_on_host) {
  const int layers = static_cast<int>(std::ceil(sizes.layers / cards));
  return {.first_layer = static_cast<int>(sizes.layers) - layers, .layers = layers, .table = cards == 1 && !table_on_host, .tower = cards == 1};
}

/// What is behind the prompts comes token by token and adds nothing to the peak.
PlainRun run_of(const ServingTerms& terms, const ServingJob& job) {
  return {.sequences = terms.sequences,
          .prompt_tokens = std::min(terms.server.settings.chunk_tokens, job.context_tokens - job.generated_tokens),
          .mlp_width = terms.mlp_width,
          .hidden = terms.hidden,
          .vocabulary = terms.vocabulary,
          .heads = terms.heads,
          .keeps_prompt_logits = job.behaviour.keeps_prompt_logits,
          .eager_attention = job.behaviour.eager_attention};
}

LlamaGraph graph_of(const Server& server, double context_tokens, bool samples) {
  const bool quantised = server.key_bytes < 2 || server.value_bytes < 2;
  return {.context_tokens = context_tokens,
          .micro_batch = server.settings.micro_batch,
          .flash_attention = server.settings.flash_attention,
          .holds_output = samples,
          .latent_kept = server.behaviour.latent != LatentCache::expanded,
          .cache_quantised = quantised,
          .input_copies = server.settings.cards_in_turn > 1 ? 4.0 : 1.0};
}

bool is_llama_cpp(ServingEngine engine) { return engine == ServingEngine::llama_cpp || engine == ServingEngine::ollama; }

}  // namespace

bool works_in_turn(ServingEngine engine) { return !has_pool(engine); }

EstimateKind estimate_kind(ServingEngine engine) {
  if (is_llama_cpp(engine)) return EstimateKind::serve_llama_cpp;
  return has_pool(engine) ? EstimateKind::serve_paged : EstimateKind::serve_plain;
}

ServingTerms serving_terms(const ModelSizes& sizes, const ServingJob& job, const Layout& layout, const MemoryConstants& constants,
                           const CardTraits& card) {
  ServingTerms terms;
  terms.constants = constants;
  terms.sequences = std::ceil(job.concurrency / layout.data_parallel);
  terms.mlp_width = sizes.widest_mlp;
  terms.hidden = sizes.hidden;
  terms.vocabulary = sizes.samples ? sizes.vocabulary : 0;  // an encoder has no sampler to reserve for
  terms.heads = sizes.heads;
  const int cards = layout.pipeline_parallel;
  terms.weights = shard_parts(
      sizes.weights, works_in_turn(job.engine) ? last_of(sizes, cards, is_llama_cpp(job.engine)) : Shard{.tensor_parallel = layout.tensor_parallel});
  if (cards > 1) terms.layer_share = std::ceil(sizes.layers / cards) / sizes.layers;

  Server& server = terms.server;
  server.engine = job.engine;
  server.behaviour = job.behaviour;
  server.card = card;
  server.settings = settings_of(job.engine, job.behaviour, job.settings, card, job.context_tokens);
  server.settings.chunk_tokens = std::min(server.settings.chunk_tokens, job.context_tokens);
  server.settings.profiled_sequences = std::max(server.settings.profiled_sequences, terms.sequences);
  server.settings.cards_in_turn = cards;
  server.weights_bytes = terms.weights.bytes();
  server.key_bytes = server.value_bytes = info(job.kv_format).bytes;
  server.tensor_parallel = layout.tensor_parallel;
  terms.pool = serving_pool(sizes.architecture, server, constants);
  terms.context_tokens = std::ceil(job.context_tokens / terms.pool.block_tokens) * terms.pool.block_tokens;
  if (is_llama_cpp(job.engine))
    terms.buffer = compute_buffer(sizes.architecture, graph_of(server, job.context_tokens * terms.sequences, sizes.samples));
  if (estimate_kind(job.engine) == EstimateKind::serve_plain) {
    terms.run = run_of(terms, job);
    terms.peak = plain_peak(terms.run, constants);
  }
  return terms;
}

MemoryLines serving_lines(const ServingTerms& t) {
  const Pool& pool = t.pool;
  MemoryLines lines;
  lines[Line::weights] = pool.weights_bytes;
  lines[Line::kv_cache] = t.sequences * (pool.cost.sequence_bytes(t.context_tokens) - pool.cost.state_bytes) * t.layer_share;
  lines[Line::state] = t.sequences * pool.cost.state_bytes * t.layer_share;
  lines[Line::overhead] = pool.context_bytes;
  if (is_llama_cpp(t.server.engine)) {
    lines[Line::activations] = t.buffer.bytes();
  } else if (estimate_kind(t.server.engine) == EstimateKind::serve_plain) {
    lines[t.peak.logits_bytes > t.peak.layer_bytes ? Line::logits : Line::activations] = std::max(t.peak.logits_bytes, t.peak.layer_bytes);
  } else {
    lines[Line::activations] = pool.activation_bytes() + pool.buffers_bytes;
    lines[Line::overhead] += pool.graphs_bytes;
  }
  return lines;
}

double serving_limit_bytes(const ServingTerms& t, const MemoryLines& lines) {
  const double card = t.server.card.total_bytes;
  if (!has_pool(t.server.engine)) return card;
  return std::min(card, lines.total() - lines[Line::kv_cache] - lines[Line::state] + t.pool.bytes);
}

BandedLines serving_memory(const ModelSizes& sizes, const ServingJob& job, const Layout& layout, const MemoryCalibration& calibration,
                           const CardTraits& card) {
  return {serving_lines(serving_terms(sizes, job, layout, calibration.value, card)), calibration.of(estimate_kind(job.engine))};
}

}  // namespace rigsizer
