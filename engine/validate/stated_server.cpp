#include "validate/stated_server.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "memory/kv_format.h"
#include "quantity/units.h"

namespace rigsizer {
namespace {

bool starts(const std::string& text, std::string_view with) { return text.rfind(with, 0) == 0; }

/// The number right after the words, as in "ubatch 512".
std::optional<double> number_after(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words + " ");
  if (at == std::string::npos) return std::nullopt;
  const char* const from = text.c_str() + at + words.size() + 1;
  char* end = nullptr;
  const double value = std::strtod(from, &end);
  return end == from ? std::nullopt : std::optional{value};
}

/// The number right before the words, as in "16384 batched tokens".
std::optional<double> number_before(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(" " + words);
  if (at == std::string::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  return begin == at ? std::nullopt : std::optional{std::strtod(text.c_str() + begin, nullptr)};
}

/// "MLA latent q8_0" and the like; an empty cell is 16 bits, every engine's default.
std::optional<KvFormats> cache_format_of(const std::string& stated) {
  const std::string name = starts(stated, "MLA latent ") ? stated.substr(11) : stated;
  return name.empty() ? KvFormats{} : parse_kv_format(name);
}

bool has_windows(const Architecture& model) {
  const auto windowed = [](const KvStore& store) { return store.window > 0; };
  return std::any_of(model.groups.begin(), model.groups.end(),
                     [&](const LayerGroup& group) { return std::any_of(group.layer.kv.begin(), group.layer.kv.end(), windowed); });
}

bool has_latent(const Architecture& model) {
  return std::any_of(model.groups.begin(), model.groups.end(), [](const LayerGroup& group) { return group.layer.mixer == Mixer::latent_attention; });
}

/// What the row itself says about the cache goes before what its version does.
std::optional<Failure> set_cache(EngineBehaviour& behaviour, const NamedEngine& named, const Row& row, const Architecture& model) {
  const std::string& notes = row.text("notes");
  if (has_windows(model)) {
    const bool all_charged = row.mentions("notes", "layers counted") || row.mentions("notes", "charges all");
    if (all_charged)
      behaviour.windows = WindowedLayers::paged_alike;
    else if (!named.version_known && behaviour_of(named.engine, EngineVersion{}).windows != behaviour.windows)
      return unstated("the version, which decides how windowed layers are cached, is not stated");
  }
  if (!has_latent(model)) return std::nullopt;
  if (named.engine != ServingEngine::llama_cpp) {
    if (!named.version_known && named.engine == ServingEngine::vllm)
      return unstated("the version, which decides how a latent is cached, is not stated");
    return std::nullopt;
  }
  const auto mode = number_after(notes, "mla mode");
  if (!mode) return unstated("the form in which the latent is cached (mla mode) is not stated");
  behaviour.latent = *mode == 0 ? LatentCache::expanded : *mode == 1 ? LatentCache::kept_with_values : LatentCache::kept;
  return std::nullopt;
}

/// Rows give the marketed size where the program's own reading was not printed.
CardTraits card_of(const Catalog& catalog, const Row& row) {
  CardTraits card;
  const Accelerator* known = catalog.accelerator(row.text("gpu_id"));
  auto gib = row.number("gpu_mem_gib_reported");
  if (known != nullptr && known->usable_gib) gib = std::min(gib.value_or(*known->usable_gib), *known->usable_gib);
  card.total_bytes = gib.value_or(0) * kGib;
  if (known == nullptr) return card;
  card.is_ampere_server = known->compute_capability == "8.0";
  card.is_hopper_server = known->compute_capability == "9.0" || starts(known->compute_capability, "10.");
  return card;
}

}  // namespace

Result<StatedServer> stated_server(const Catalog& catalog, const Row& row, const Architecture& model) {
  const auto named = engine_named(row.text("engine"), row.text("engine_version"));
  if (!named) return unsupported("what " + row.text("engine") + " reserves is not predicted");
  const auto cache = cache_format_of(row.text("kv_dtype"));
  if (!cache) return unsupported("the cache format " + row.text("kv_dtype") + " is not known");

  StatedServer stated;
  Server& server = stated.server;
  server.engine = named->engine;
  server.behaviour = named->behaviour;
  if (const auto failure = set_cache(server.behaviour, *named, row, model)) return *failure;
  server.key_bytes = info(cache->keys).bytes;
  server.value_bytes = info(cache->values).bytes;
  server.tensor_parallel = static_cast<int>(row.number("tp").value_or(1));
  server.context_parallel = static_cast<int>(number_after(row.text("notes"), "decode-context-parallel").value_or(1));
  server.card = card_of(catalog, row);
  stated.card_known = server.card.total_bytes > 0;
  stated.longest_tokens = row.number("max_model_len").value_or(static_cast<double>(model.max_context_tokens));
  stated.of_worker = row.mentions("notes", "of one worker");

  EngineSettings asked;
  asked.memory_fraction = row.number("gpu_memory_utilization").value_or(0);
  asked.profiled_sequences = number_after(row.text("notes"), "max_num_seqs").value_or(0);
  asked.chunk_tokens = number_before(row.text("notes"), "batched tokens").value_or(0);
  asked.micro_batch = number_after(row.text("notes"), "ubatch").value_or(asked.micro_batch);
  if (const auto flash = number_after(row.text("notes"), "flash_attn")) asked.flash_attention = *flash != 0;
  if (!has_pool(server.engine)) asked.parallel_sequences = row.number("batch_or_concurrency").value_or(1);
  server.settings = settings_of(server.engine, server.behaviour, asked, server.card, stated.longest_tokens);
  return stated;
}

Result<LlamaGraph> stated_graph(const Row& row, const StatedServer& stated, const Architecture& model) {
  const std::string& notes = row.text("notes");
  if (row.mentions("notes", "estimator")) return unstated("the figure is the program's own estimate, not a reading");
  if (!number_after(notes, "ubatch")) return unstated("the micro-batch is not stated");
  if (!number_after(notes, "flash_attn")) return unstated("flash attention on or off is not stated");
  if (!row.number("max_model_len")) return unstated("the context is not stated");
  const bool several = row.mentions("notes", "compute buffers MiB");
  // Cards work in a pipeline when all weights lie on them.
  const double cards_bytes = stated.server.card.total_bytes * row.number("gpu_count").value_or(1);
  const bool on_cards =
      !row.mentions("notes", "experts on CPU") && (cards_bytes == 0 || row.number("measured_weights_gib").value_or(0) * kGib < cards_bytes);
  const EngineSettings& settings = stated.server.settings;
  return LlamaGraph{.context_tokens = stated.longest_tokens,
                    .micro_batch = settings.micro_batch,
                    .flash_attention = settings.flash_attention,
                    .holds_output = !several,
                    .latent_kept = has_latent(model) && stated.server.behaviour.latent != LatentCache::expanded,
                    .cache_quantised = stated.server.key_bytes < 2,
                    .attention_cap_bytes = number_after(notes, "attn_max_b").value_or(0) * kMib,
                    .input_copies = several && on_cards ? 4.0 : 1.0};
}

}  // namespace rigsizer
