#include "memory/pool.h"

#include <algorithm>

namespace rigsizer {
namespace {

/// Of what warm-up leaves; the rest is for fragmentation.
constexpr double kTgiShareOfRest = 0.95;

double block_tokens(ServingEngine engine) {
  switch (engine) {
    case ServingEngine::vllm:
    case ServingEngine::tgi: return 16;
    case ServingEngine::tensorrt_llm:
    case ServingEngine::lmdeploy: return 64;
    default: return 1;
  }
}

/// Of what is free; what is lacking is not divided.
double share_of(double free_bytes, double fraction) { return free_bytes > 0 ? fraction * free_bytes : free_bytes; }

/// Once started the process holds the cache and what runs beside it, as far as the card reaches.
double held(const Pool& pool, double cache_bytes) {
  const double all =
      pool.weights_bytes + pool.context_bytes + pool.activation_bytes() + pool.buffers_bytes + pool.graphs_bytes + std::max(cache_bytes, 0.0);
  return std::min(all, pool.card_bytes);
}

}  // namespace

double Pool::activation_bytes() const { return std::max(body_bytes, sampler_bytes); }

double widest_mlp(const Architecture& model) {
  std::int64_t width = 0;
  for (const LayerGroup& group : model.groups) width = std::max(width, group.layer.mlp_width);
  return static_cast<double>(width);
}

bool has_pool(ServingEngine engine) {
  switch (engine) {
    case ServingEngine::vllm:
    case ServingEngine::sglang:
    case ServingEngine::tensorrt_llm:
    case ServingEngine::tgi:
    case ServingEngine::lmdeploy: return true;
    case ServingEngine::llama_cpp:
    case ServingEngine::ollama:
    case ServingEngine::transformers:
    case ServingEngine::exllamav2: break;
  }
  return false;
}

CacheCost cache_cost_of(const Architecture& model, const Server& server) {
  CacheRules rules{.windows = server.behaviour.windows,
                   .latent = server.behaviour.latent,
                   .key_bytes = server.key_bytes,
                   .value_bytes = server.value_bytes,
                   .tensor_parallel = server.tensor_parallel,
                   .context_parallel = server.context_parallel};
  switch (server.engine) {
    case ServingEngine::vllm:
      // The window's edge may cut a block at either end.
      rules.window_margin_tokens = server.settings.chunk_tokens - 1 + 16;
      rules.window_pad_tokens = 16;
      break;
    case ServingEngine::llama_cpp:
    case ServingEngine::ollama:
      rules.window_margin_tokens = server.settings.micro_batch;
      rules.window_pad_tokens = 256;
      rules.tensor_parallel = 1;
      break;
    default: break;
  }
  return cache_cost(model, rules);
}

Pool serving_pool(const Architecture& model, const Server& server, const MemoryConstants& constants) {
  const EngineSettings& settings = server.settings;
  const bool samples = model.kind != Architecture::Kind::encoder;
  const double vocabulary = samples ? static_cast<double>(model.vocabulary) : 0;
  const bool ahead_of_time = server.engine == ServingEngine::tensorrt_llm;
  const double tensors = ahead_of_time ? constants.execution_tensors : constants.body_tensors;
  const double width = widest_mlp(model) / server.tensor_parallel + static_cast<double>(model.hidden);

  Pool pool;
  pool.card_bytes = server.card.total_bytes;
  pool.weights_bytes = server.weights_bytes;
  pool.context_bytes = server.card.is_hopper_server ? constants.hopper_context_bytes : constants.serving_context_bytes;
  pool.body_bytes = settings.chunk_tokens * 2 * tensors * width;
  pool.graphs_bytes = ahead_of_time ? 0 : constants.graphs_bytes;
  pool.block_tokens = block_tokens(server.engine);
  pool.cost = cache_cost_of(model, server);
  if (ahead_of_time)
    pool.buffers_bytes = constants.decoder_bytes_per_logit * vocabulary * settings.profiled_sequences;
  else
    pool.sampler_bytes = constants.sampler_bytes_per_logit * vocabulary * settings.profiled_sequences;

  const double card = pool.card_bytes;
  const double loaded = pool.weights_bytes + pool.context_bytes;
  const double sampled = std::max(pool.body_bytes, pool.sampler_bytes);
  switch (server.engine) {
    case ServingEngine::vllm: {
      const double graphs = server.behaviour.graphs_in_budget ? pool.graphs_bytes : 0;
      pool.budget_bytes = settings.memory_fraction * card;
      pool.bytes = pool.budget_bytes - loaded - sampled - graphs;
      pool.worker_bytes = pool.budget_bytes - loaded - pool.body_bytes - graphs;
      break;
    }
    case ServingEngine::tgi:
      pool.budget_bytes = settings.memory_fraction * card;
      pool.bytes = share_of(pool.budget_bytes - loaded - sampled, kTgiShareOfRest);
      pool.worker_bytes = share_of(pool.budget_bytes - loaded - pool.body_bytes, kTgiShareOfRest);
      break;
    case ServingEngine::sglang:
      pool.budget_bytes = settings.memory_fraction * (card - pool.context_bytes);
      pool.bytes = pool.worker_bytes = pool.budget_bytes - pool.weights_bytes;
      break;
    case ServingEngine::tensorrt_llm:
      pool.budget_bytes = share_of(card - loaded - pool.body_bytes - pool.buffers_bytes, settings.memory_fraction);
      pool.bytes = pool.worker_bytes = pool.budget_bytes;
      break;
    case ServingEngine::lmdeploy:
      pool.budget_bytes = share_of(server.behaviour.fraction_of_total ? card : card - loaded, settings.memory_fraction);
      pool.bytes = pool.worker_bytes = std::min(pool.budget_bytes, card - loaded);
      break;
    case ServingEngine::llama_cpp:
    case ServingEngine::ollama:
    case ServingEngine::transformers:
    case ServingEngine::exllamav2:
      pool.budget_bytes = card;
      pool.bytes = pool.worker_bytes = card - loaded - sampled;
      break;
  }
  pool.reserved_bytes = held(pool, pool.bytes);
  return pool;
}

}  // namespace rigsizer
