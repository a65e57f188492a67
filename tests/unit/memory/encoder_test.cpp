// Training encoders: no cache, plain MLPs, a head over the vocabulary.
#include <gtest/gtest.h>

#include "memory/serving.h"
#include "memory/training.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

// Korthikanti et al. 2022: 34 h + 5 a s bytes per token and layer in 16 bits, 66 h + 9 a s in fp32. Without the masks of its
// dropout (2 h) and with flash attention's row statistics (4 a).
TEST(MemoryEncoder, ABertLayerKeepsWhatTheGptBlockKeeps) {
  const ModelSizes bert = test::sizes("bert-large-uncased");
  const TrainingJob flash;
  const ActivationWidths& widths = bert.kinds.at(0).widths;
  EXPECT_EQ(widths.mlp, 0);
  EXPECT_EQ(widths.plain_mlp, 4096);
  EXPECT_EQ(bytes_per_token(whole_path(bert.norm_upcasts, Task::full, flash), widths), 36 * 1024 + 4 * 16);
  TrainingJob scores;
  scores.flash_attention = false;
  scores.sequence_tokens = 512;
  const double kept = bytes_per_token(whole_path(bert.norm_upcasts, Task::full, scores), widths);
  EXPECT_NEAR(kept, 34.0 * 1024 + 5 * 16 * 512, 0.04 * kept);
}

TEST(MemoryEncoder, EncodersCacheNothingAndDecodersTheirSource) {
  EXPECT_EQ(kv_elements_per_rank(test::sizes("bert-large-uncased"), 512, 1), 0);
  EXPECT_EQ(kv_elements_per_rank(test::sizes("whisper-tiny"), 448, 1), 4 * 2 * 384 * (448 + 1500));
  EXPECT_EQ(kv_elements_per_rank(test::sizes("t5-small"), 100, 8), 6 * 2 * 512 * 2 * 100 / 8);
}

TEST(MemoryEncoder, TheHeadForMaskedTokensHasLogits) {
  TrainingJob job;
  job.micro_batch = 8;
  job.sequence_tokens = 512;
  const MemoryLines lines = training_memory(test::sizes("bert-base-uncased"), Task::full, job, {}, test::catalog().memory).lines.value;
  EXPECT_GT(lines[Line::logits], 8 * 512 * 30522 * 2.0);
  EXPECT_EQ(lines[Line::kv_cache], 0);
}

TEST(MemoryEncoder, SharedLayersAreHeldOnceAndKeptEach) {
  const ModelSizes albert = test::sizes("albert-base-v2");
  const LayerSpan all = span_of(albert, 0, 12);
  EXPECT_EQ(all.layers, 12);
  EXPECT_NEAR(all.linear + all.small, 7'087'872, 1e-6 * 7'087'872);
  EXPECT_EQ(all.widths.hidden, 12 * 768);
}

TEST(MemoryEncoder, AServedEncoderReservesForNoSampler) {
  const auto activations = [](const char* model) {
    return serving_lines(serving_terms(test::sizes(model), {.context_tokens = 16}, {}, test::catalog().memory.value))[Line::activations];
  };
  const MemoryConstants& constants = test::catalog().memory.value;
  EXPECT_DOUBLE_EQ(activations("bert-base-uncased"), 16 * 2 * constants.body_tensors * (3072 + 768));
  EXPECT_DOUBLE_EQ(activations("gpt2-xl"), constants.sampler_bytes_per_logit * 50257 * 256);
}

}  // namespace
}  // namespace rigsizer
