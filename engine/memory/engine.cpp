#include "memory/engine.h"

#include <algorithm>
#include <cctype>
#include <tuple>

#include "quantity/units.h"

namespace rigsizer {
namespace {

/// A leading number from here on is a year.
constexpr int kFirstYear = 2000;
constexpr int kLastDatedYear = 2025;

bool before(const EngineVersion& a, const EngineVersion& b) { return std::tie(a.major, a.minor, a.patch) < std::tie(b.major, b.minor, b.patch); }

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// "0.8.3 V0" -> 0.8.3, "v0.7" -> 0.7.0, "2025-04" and "Apr 2025" -> 2025.4.0
std::optional<EngineVersion> version_in(std::string_view text) {
  const auto digit = [&](std::size_t i) { return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0; };
  std::size_t at = 0;
  while (at < text.size() && !digit(at)) ++at;
  if (at == text.size()) return std::nullopt;
  std::array<int, 3> parts{};
  for (int& part : parts) {
    while (digit(at)) part = std::min(part * 10 + (text[at++] - '0'), 9999);
    if (at + 1 >= text.size() || (text[at] != '.' && text[at] != '-') || !digit(at + 1)) break;
    ++at;
  }
  for (std::size_t month = 0; month < kMonths.size(); ++month) {
    if (parts[0] >= kFirstYear && text.find(kMonths.at(month)) != std::string_view::npos) parts[1] = static_cast<int>(month) + 1;
  }
  return EngineVersion{parts[0], parts[1], parts[2]};
}

struct Release {
  EngineVersion date, version;
};
/// vLLM's releases whose behaviours differ, for reports that give a date.
constexpr std::array kVllmReleases{Release{{2023, 6}, {0, 1}}, Release{{2024, 4}, {0, 4}}, Release{{2024, 9}, {0, 6}}, Release{{2025, 2}, {0, 7, 1}},
                                   Release{{2025, 8}, {0, 10}}};

/// Engines with numbered releases cannot be told by a date alone; vLLM's up to 2025 can.
std::optional<EngineVersion> numbered(ServingEngine engine, const std::optional<EngineVersion>& stated) {
  if (!stated || stated->major < kFirstYear || engine == ServingEngine::llama_cpp) return stated;
  if (engine != ServingEngine::vllm || stated->major > kLastDatedYear) return std::nullopt;
  std::optional<EngineVersion> latest;
  for (const Release& release : kVllmReleases) {
    if (!before(*stated, release.date)) latest = release.version;
  }
  return latest;
}

EngineBehaviour vllm_behaviour(const EngineVersion& version) {
  const bool windows_apart = !before(version, {0, 21});
  return {.windows = windows_apart ? WindowedLayers::cut : WindowedLayers::paged_alike,
          .latent = before(version, {0, 7, 1}) ? LatentCache::expanded : LatentCache::kept,
          .graphs_in_budget = windows_apart,
          .whole_prompts = before(version, {0, 7}),
          .large_card_defaults = !before(version, {0, 10})};
}

/// By date: windowed layers got caches of their own in May 2025, latents in April 2025.
EngineBehaviour llama_cpp_behaviour(const EngineVersion& version) {
  return {.windows = before(version, {2025, 5}) ? WindowedLayers::whole : WindowedLayers::cut,
          .latent = before(version, {2025, 4}) ? LatentCache::expanded : LatentCache::kept};
}

constexpr EngineVersion kNewest{9999, 0, 0};

struct Program {
  std::string_view name;
  ServingEngine engine;
  bool own_versions = false;  ///< a fork whose numbers are not its parent's
  std::optional<WindowedLayers> windows;
  bool eager_attention = false;
};
constexpr std::array kPrograms{
    Program{"vllm", ServingEngine::vllm},
    Program{"sglang", ServingEngine::sglang},
    Program{"tensorrt-llm", ServingEngine::tensorrt_llm},
    Program{"tgi", ServingEngine::tgi},
    Program{"lmdeploy", ServingEngine::lmdeploy},
    Program{"llama.cpp", ServingEngine::llama_cpp},
    Program{"ik_llama.cpp", ServingEngine::llama_cpp, true, WindowedLayers::whole},
    Program{"ollama", ServingEngine::ollama},
    Program{"ollama/llama.cpp", ServingEngine::ollama},
    Program{"transformers", ServingEngine::transformers},
    Program{"autoawq", ServingEngine::transformers, true, std::nullopt, true},
    Program{"litgpt", ServingEngine::transformers, true},
    Program{"exllama", ServingEngine::exllamav2, true},
    Program{"exllamav2", ServingEngine::exllamav2},
};

}  // namespace

EngineBehaviour behaviour_of(ServingEngine engine, const std::optional<EngineVersion>& version) {
  const EngineVersion of = version.value_or(kNewest);
  switch (engine) {
    case ServingEngine::vllm: return vllm_behaviour(of);
    case ServingEngine::tgi: return {.windows = WindowedLayers::whole};
    case ServingEngine::lmdeploy: return {.windows = WindowedLayers::whole, .fraction_of_total = before(of, {0, 2, 2})};
    case ServingEngine::llama_cpp: return llama_cpp_behaviour(of);
    case ServingEngine::ollama:
      return {.windows = before(of, {0, 7}) ? WindowedLayers::whole : WindowedLayers::cut,
              .latent = before(of, {0, 7}) ? LatentCache::expanded : LatentCache::kept};
    case ServingEngine::transformers: return {.keeps_prompt_logits = before(of, {4, 45})};
    case ServingEngine::sglang:
    case ServingEngine::tensorrt_llm:
    case ServingEngine::exllamav2: break;
  }
  return {};
}

std::optional<NamedEngine> engine_named(std::string_view name, std::string_view version) {
  const auto program = std::find_if(kPrograms.begin(), kPrograms.end(), [&](const Program& one) { return one.name == name; });
  if (program == kPrograms.end()) return std::nullopt;
  const std::optional<EngineVersion> known = program->own_versions ? std::nullopt : numbered(program->engine, version_in(version));
  NamedEngine found{program->engine, behaviour_of(program->engine, known), known.has_value() || program->own_versions};
  if (program->windows) found.behaviour.windows = *program->windows;
  found.behaviour.eager_attention = program->eager_attention;
  return found;
}

EngineSettings settings_of(ServingEngine engine, const EngineBehaviour& behaviour, EngineSettings asked, const CardTraits& card,
                           double longest_tokens) {
  struct Defaults {
    double fraction, chunk, sequences;
  };
  const bool large = behaviour.large_card_defaults && card.total_bytes >= 70 * kGib && !card.is_ampere_server;
  const Defaults defaults = [&]() -> Defaults {
    switch (engine) {
      case ServingEngine::vllm:
        // Whole prompts up to 32,768 tokens; beyond that the versions of that time cut chunks of 512.
        if (behaviour.whole_prompts) return {0.9, longest_tokens > 32768 ? 512 : std::max(longest_tokens, 2048.0), 256};
        return {0.9, large ? 8192.0 : 2048.0, large ? 1024.0 : 256.0};
      case ServingEngine::sglang: return {0.88, 8192, 1};
      case ServingEngine::tensorrt_llm: return {0.9, 8192, 2048};
      case ServingEngine::tgi: return {1, 4096, 1};
      case ServingEngine::lmdeploy: return {behaviour.fraction_of_total ? 0.5 : 0.8, 8192, 1};
      case ServingEngine::exllamav2: return {1, 2048, 1};
      case ServingEngine::llama_cpp:
      case ServingEngine::ollama: return {1, asked.micro_batch, 1};
      case ServingEngine::transformers: break;
    }
    return {1, std::max(longest_tokens, 1.0), 1};
  }();
  if (asked.memory_fraction == 0) asked.memory_fraction = defaults.fraction;
  if (asked.chunk_tokens == 0) asked.chunk_tokens = longest_tokens > 0 ? std::min(defaults.chunk, std::max(longest_tokens, 1.0)) : defaults.chunk;
  if (asked.profiled_sequences == 0) asked.profiled_sequences = defaults.sequences;
  return asked;
}

}  // namespace rigsizer
