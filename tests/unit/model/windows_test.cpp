// Which layers forget: sliding windows by list, by pattern, by opting in, and bare.
#include <gtest/gtest.h>

#include "model/census.h"
#include "model/reader.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::architecture;
using test::small_config;

// small_config caches 2 x 64 values per token and layer, 4 layers, context 4096.
constexpr double kLayer = 128;

Census census(std::string_view more) { return census_of(architecture(small_config(more))); }

/// Layers that keep everything, and values per token of the windowed ones.
void expect_layers(const Census& census, double full, double windowed, std::int64_t window) {
  EXPECT_EQ(census.kv_elements_per_token, full * kLayer);
  if (windowed == 0) {
    EXPECT_TRUE(census.kv_windowed.empty());
    return;
  }
  ASSERT_EQ(census.kv_windowed.size(), 1U);
  EXPECT_EQ(census.kv_windowed[0].window, window);
  EXPECT_EQ(census.kv_windowed[0].elements_per_token, static_cast<std::int64_t>(windowed * kLayer));
}

TEST(ModelWindows, WithoutAWindowEveryLayerKeepsEverything) { expect_layers(census("{}"), 4, 0, 0); }

TEST(ModelWindows, LayerTypesSayItLayerByLayer) {
  expect_layers(
      census(R"({"sliding_window": 256, "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "sliding_attention"]})"), 1, 3,
      256);
}

TEST(ModelWindows, ChunkedLayersKeepOneChunk) {
  expect_layers(census(R"({"model_type": "llama4_text", "attention_chunk_size": 128,
                           "layer_types": ["chunked_attention", "chunked_attention", "chunked_attention", "full_attention"]})"),
                1, 3, 128);
}

TEST(ModelWindows, ABareWindowCoversEveryLayer) { expect_layers(census(R"({"model_type": "mistral", "sliding_window": 1024})"), 0, 4, 1024); }

TEST(ModelWindows, AWindowAsLongAsTheContextIsNone) {
  expect_layers(census(R"({"model_type": "mistral", "sliding_window": 4096})"), 4, 0, 0);
  expect_layers(census(R"({"model_type": "mistral", "sliding_window": 4095})"), 0, 4, 4095);
}

TEST(ModelWindows, ANullWindowIsNone) { expect_layers(census(R"({"model_type": "mistral", "sliding_window": null})"), 4, 0, 0); }

TEST(ModelWindows, OptInFamiliesNeedTheSwitch) {
  expect_layers(census(R"({"model_type": "qwen2", "sliding_window": 512})"), 4, 0, 0);
  expect_layers(census(R"({"model_type": "qwen2", "sliding_window": 512, "use_sliding_window": false})"), 4, 0, 0);
  expect_layers(census(R"({"model_type": "qwen2", "sliding_window": 512, "use_sliding_window": true, "max_window_layers": 3})"), 3, 1, 512);
}

TEST(ModelWindows, ASwitchedOffWindowIsNoneInAnyFamily) {
  expect_layers(census(R"({"model_type": "mistral", "sliding_window": 512, "use_sliding_window": false})"), 4, 0, 0);
}

TEST(ModelWindows, PatternFamiliesAlternate) {
  expect_layers(census(R"({"model_type": "gemma2", "sliding_window": 512})"), 2, 2, 512);
  expect_layers(census(R"({"model_type": "cohere2", "sliding_window": 512})"), 1, 3, 512);
  expect_layers(census(R"({"model_type": "olmo3", "sliding_window": 512, "sliding_window_pattern": 2})"), 2, 2, 512);
}

TEST(ModelWindows, WindowsCapTheCacheAndNothingElse) {
  const Architecture model = architecture(small_config(R"({"model_type": "gemma2", "sliding_window": 512})"));
  EXPECT_EQ(kv_elements(model, 100), 4 * kLayer * 100);
  EXPECT_EQ(kv_elements(model, 512), 4 * kLayer * 512);
  EXPECT_EQ(kv_elements(model, 2048), 2 * kLayer * 2048 + 2 * kLayer * 512);
}

TEST(ModelWindows, AListOfTheWrongLengthIsRefused) {
  const auto result = read_architecture(test::fields(small_config(R"({"sliding_window": 9, "layer_types": ["full_attention"]})")));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().code, "config_inconsistent");
  EXPECT_EQ(result.failure().path, "/model/config/layer_types");
}

TEST(ModelWindows, AnUnknownKindOfLayerIsRefused) {
  const auto result = read_architecture(
      test::fields(small_config(R"({"layer_types": ["full_attention", "full_attention", "full_attention", "telepathic_attention"]})")));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().code, "unsupported_part");
}

// gpt-oss-120b: 36 layers, every second of 128 tokens; 8 key/value heads of 64.
TEST(ModelWindows, GptOssWindowsEverySecondLayer) {
  const Census census = census_of(test::model("gpt-oss-120b"));
  EXPECT_EQ(2 * census.kv_elements_per_token, 18 * 2 * 8 * 64 * 2);
  ASSERT_EQ(census.kv_windowed.size(), 1U);
  EXPECT_EQ(census.kv_windowed[0].window, 128);
  EXPECT_EQ(2 * census.kv_windowed[0].elements_per_token, 18 * 2 * 8 * 64 * 2);
}

}  // namespace
}  // namespace rigsizer
