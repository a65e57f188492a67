// Serving engines: how each one divides a card, and what changed from version to version.
//
// Every switch is a behaviour, not a version: behaviour_of() is the one table that says which named version has which. What
// a memory fraction is a fraction of differs by engine:
//
//   vllm          of the card's total: weights, activations and cache together      default .90
//   sglang        of what is free before loading: weights and cache                 default .88
//   tgi           of the card's total; the cache takes 95 % of what warm-up leaves   default 1
//   tensorrt_llm  of what is free after engine and buffers: the cache alone          default .90
//   lmdeploy      of what is free after loading (0.2.0 and 0.2.1: of the total): the cache alone, default .80 (.50)
//   llama_cpp, ollama, transformers, exllamav2: nothing is reserved beyond the need
//
// Sources: the engines' documentation of these options; InternLM/lmdeploy messages.py; huggingface/text-generation-inference
// flash_causal_lm.py; sgl-project/sglang model_runner; vllm-project/vllm engine arguments.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "memory/cache.h"

namespace rigsizer {

enum class ServingEngine : std::uint8_t { vllm, sglang, tensorrt_llm, tgi, lmdeploy, llama_cpp, ollama, transformers, exllamav2 };
inline constexpr std::array<std::string_view, 9> kServingEngineNames{"vllm",      "sglang", "tensorrt-llm", "tgi",      "lmdeploy",
                                                                     "llama.cpp", "ollama", "transformers", "exllamav2"};

struct EngineBehaviour {
  WindowedLayers windows = WindowedLayers::cut;
  LatentCache latent = LatentCache::kept;
  bool graphs_in_budget = false;     ///< captured graphs count against the memory fraction; else they come on top
  bool whole_prompts = false;        ///< start-up profiles one prompt of the longest length, not a chunk
  bool large_card_defaults = false;  ///< chunks of 8,192 tokens and 1,024 sequences on cards of 70 GiB and more but A100
  bool fraction_of_total = false;    ///< lmdeploy: the cache's share is of the card, not of what is free
  bool keeps_prompt_logits = false;  ///< logits of every prompt token, 16-bit and fp32
  bool eager_attention = false;      ///< scores of a whole prompt exist at once
};

/// A program by its name in reports: an engine or a fork of one. `version` as printed: its leading numbers decide ("0.8.3 V0"),
/// for llama.cpp a date ("2025-04", "Apr 2025"). Where it tells nothing `version_known` is false and the behaviour the newest's.
struct NamedEngine {
  ServingEngine engine = ServingEngine::vllm;
  EngineBehaviour behaviour;
  bool version_known = false;
};
std::optional<NamedEngine> engine_named(std::string_view name, std::string_view version);

/// What a known version of an engine does; {0, 10} is 0.10, {2025, 5} May 2025.
struct EngineVersion {
  int major = 0, minor = 0, patch = 0;
};
EngineBehaviour behaviour_of(ServingEngine engine, const std::optional<EngineVersion>& version);

/// What people set. Zeroes are filled in by settings_of().
struct EngineSettings {
  double memory_fraction = 0;
  double chunk_tokens = 0;        ///< most tokens processed at once (max_num_batched_tokens; TGI: max_batch_prefill_tokens)
  double profiled_sequences = 0;  ///< the sampler is profiled with (max_num_seqs; TensorRT-LLM: max_batch_size)
  double micro_batch = 512;       ///< llama.cpp's n_ubatch
  bool flash_attention = true;
  double parallel_sequences = 1;  ///< llama.cpp's slots, each with the whole context
  int cards_in_turn = 1;          ///< layers spread over cards that work one after another
};

/// What defaults and overheads hang on.
struct CardTraits {
  double total_bytes = 0;         ///< what programs can allocate
  bool is_ampere_server = false;  ///< A100: large, yet served with the defaults of small cards
  bool is_hopper_server = false;  ///< H100 and data-centre cards after it: contexts of some GiB
};

/// `asked` with documented defaults where it says nothing. `longest_tokens` is the configured maximum length.
EngineSettings settings_of(ServingEngine engine, const EngineBehaviour& behaviour, EngineSettings asked, const CardTraits& card,
                           double longest_tokens);

}  // namespace rigsizer
