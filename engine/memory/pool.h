// What one card's memory goes to when an engine starts, and the pool of cache that is left.
//
//   vllm          pool = fraction x card - weights - context - max(body, sampler) [- graphs]
//   sglang        pool = fraction x (card - context) - weights
//   tgi           pool = .95 x (fraction x card - weights - context - max(body, sampler))
//   tensorrt_llm  pool = fraction x (card - weights - context - execution - decoder)
//   lmdeploy      pool = fraction x (card - weights - context), or fraction x card
//
//   body      = chunk x 2 x tensors x (mlp / t + hidden)
//   sampler   = bytes per logit x vocabulary x profiled sequences, on the rank that samples
//   execution = chunk x 2 x execution tensors x (mlp / t + hidden);  decoder = bytes per logit x vocabulary x sequences
//
// Qwen2.5 7B, 4 bits, on 8.0 GiB with vLLM at .70: 5.60 - 5.20 - .03 - 1.42 (sampler) = -1.05 GiB: does not start.
// Sources: the engines' start-up logs and code as memory/engine.h lists them; constants in catalog/calibration.json.
#pragma once

#include "memory/cache.h"
#include "memory/constants.h"
#include "memory/engine.h"
#include "model/architecture.h"

namespace rigsizer {

/// A server of one engine on cards of one kind. Settings are complete (settings_of()).
struct Server {
  ServingEngine engine = ServingEngine::vllm;
  EngineBehaviour behaviour;
  EngineSettings settings;
  CardTraits card;
  double weights_bytes = 0;               ///< on one card
  double key_bytes = 2, value_bytes = 2;  ///< of one cached element
  int tensor_parallel = 1;
  int context_parallel = 1;  ///< ranks that share the tokens of a sequence
};

/// Everything the pool is computed from, of one card. Of tensor-parallel ranks one samples; the others miss `sampler_bytes`,
/// and the least pool holds for all.
struct Pool {
  double card_bytes = 0;
  double budget_bytes = 0;  ///< what the fraction allows, in the engine's own meaning
  double weights_bytes = 0;
  double context_bytes = 0;  ///< CUDA context, communication: outside the allocator
  double body_bytes = 0;     ///< layers' temporaries of one chunk
  double sampler_bytes = 0;
  double graphs_bytes = 0;
  double buffers_bytes = 0;   ///< TensorRT-LLM: decoder buffers
  double bytes = 0;           ///< of cache, on the sampling rank; negative where the engine refuses to start
  double worker_bytes = 0;    ///< on a rank that does not sample
  double reserved_bytes = 0;  ///< what the process holds once started, by design
  double block_tokens = 1;    ///< a sequence takes whole blocks
  CacheCost cost;

  [[nodiscard]] double activation_bytes() const;
};

/// Of the widest layer, for one token.
double widest_mlp(const Architecture& model);

/// `cost` at the engine's block size, window margins and behaviours.
CacheCost cache_cost_of(const Architecture& model, const Server& server);

/// Engines that reserve a pool: has_pool(). Others hold what they need; see serving_need() in memory/capacity.h.
bool has_pool(ServingEngine engine);
Pool serving_pool(const Architecture& model, const Server& server, const MemoryConstants& constants);

}  // namespace rigsizer
