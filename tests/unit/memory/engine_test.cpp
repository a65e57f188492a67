// Which behaviour a named version has, and what engines default to.
#include "memory/engine.h"

#include <gtest/gtest.h>

#include "quantity/units.h"

namespace rigsizer {
namespace {

EngineBehaviour behaviour(std::string_view engine, std::string_view version) {
  const auto named = engine_named(engine, version);
  EXPECT_TRUE(named) << engine;
  return named ? named->behaviour : EngineBehaviour{};
}

TEST(MemoryEngine, VllmPagedWindowsAlikeUntil021) {
  EXPECT_EQ(behaviour("vllm", "0.20.0").windows, WindowedLayers::paged_alike);
  EXPECT_FALSE(behaviour("vllm", "0.20.0").graphs_in_budget);
  EXPECT_EQ(behaviour("vllm", "0.21.0").windows, WindowedLayers::cut);
  EXPECT_TRUE(behaviour("vllm", "0.29.1rc1").graphs_in_budget);
  EXPECT_EQ(behaviour("vllm", "0.5.4").latent, LatentCache::expanded);
  EXPECT_EQ(behaviour("vllm", "0.8.3 V0").latent, LatentCache::kept);
}

TEST(MemoryEngine, DatesTellVersionsOnlyWhereTheyCan) {
  EXPECT_TRUE(engine_named("vllm", "Apr 2024")->version_known);
  EXPECT_TRUE(behaviour("vllm", "Apr 2024").whole_prompts);
  EXPECT_FALSE(engine_named("vllm", "nightly 2026-05")->version_known);
  EXPECT_FALSE(engine_named("vllm", "")->version_known);
  EXPECT_FALSE(engine_named("transformers", "Apr 2024")->version_known);
  EXPECT_EQ(behaviour("llama.cpp", "2025-04").windows, WindowedLayers::whole);
  EXPECT_EQ(behaviour("llama.cpp", "Jun 2025").windows, WindowedLayers::cut);
}

TEST(MemoryEngine, ForksKeepTheirOwnWays) {
  EXPECT_EQ(behaviour("ik_llama.cpp", "2025").windows, WindowedLayers::whole);
  EXPECT_TRUE(behaviour("autoawq", "0.1.6").eager_attention);
  EXPECT_FALSE(behaviour("transformers", "4.46.0").keeps_prompt_logits);
  EXPECT_TRUE(behaviour("transformers", "4.38.2").keeps_prompt_logits);
  EXPECT_FALSE(behaviour("autoawq", "0.1.6").keeps_prompt_logits) << "not a version of transformers";
  EXPECT_FALSE(engine_named("made-up", "1.0"));
}

TEST(MemoryEngine, DefaultsHangOnCardAndVersion) {
  const CardTraits h100{79.2 * kGib, false, true};
  const CardTraits a100{79.15 * kGib, true, false};
  const auto vllm = [](const char* version, const CardTraits& card, double longest) {
    return settings_of(ServingEngine::vllm, behaviour("vllm", version), {}, card, longest);
  };
  EXPECT_EQ(vllm("0.10", h100, 40'960).profiled_sequences, 1024);
  EXPECT_EQ(vllm("0.10", h100, 40'960).chunk_tokens, 8192);
  EXPECT_EQ(vllm("0.10", a100, 40'960).profiled_sequences, 256);
  EXPECT_EQ(vllm("0.7", a100, 40'960).chunk_tokens, 2048);
  EXPECT_EQ(vllm("0.4.1", a100, 32'768).chunk_tokens, 32'768) << "one whole prompt";
  EXPECT_EQ(vllm("0.6.4", a100, 35'000).chunk_tokens, 512);
  EXPECT_EQ(vllm("0.10", a100, 1000).chunk_tokens, 1000);

  const auto share = [](const char* engine, const char* version) {
    const auto named = engine_named(engine, version);
    return settings_of(named->engine, named->behaviour, {}, {}, 0).memory_fraction;
  };
  EXPECT_EQ(share("vllm", "0.8"), 0.9);
  EXPECT_EQ(share("sglang", ""), 0.88);
  EXPECT_EQ(share("tensorrt-llm", ""), 0.9);
  EXPECT_EQ(share("lmdeploy", "0.2.1"), 0.5);
  EXPECT_EQ(share("lmdeploy", "0.2.2"), 0.8);
  EXPECT_EQ(settings_of(ServingEngine::vllm, {}, {.memory_fraction = 0.5}, {}, 0).memory_fraction, 0.5);
}

}  // namespace
}  // namespace rigsizer
