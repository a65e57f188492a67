// Vision networks and diffusion pipelines, against what people measured.
#include "memory/media.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "quantity/units.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

BandedLines lines_of(std::string_view id, const DiffusionJob& job) { return diffusion_memory(test::model(id), job, test::catalog().memory)->lines; }
double gib(std::string_view id, const DiffusionJob& job) { return lines_of(id, job).total().value / kGib; }

DiffusionJob video(Task task, double width, double height, double batch) {
  DiffusionJob job{.task = task, .width_px = width, .height_px = height, .frames = 49, .batch = batch, .cached = true};
  job.training.lora_rank = 64;
  job.training.lora_targets = LoraTargets::attention;
  job.training.recompute = Recompute::full;
  return job;
}

const VisionNetwork& network(std::string_view id) {
  const auto& all = test::catalog().vision;
  return *std::find_if(all.begin(), all.end(), [id](const VisionNetwork& one) { return one.id == id; });
}

// black-forest-labs/flux#10: out of memory while loading on an L4 that shows 21.95 GiB, barely on cards that show 23.6.
TEST(MemoryMedia, FluxAloneIsTooMuchForACardOf22Gib) {
  DiffusionJob job{.residency = Residency::components};
  const DiffusionMemory memory = *diffusion_memory(test::model("flux.1-schnell"), job, test::catalog().memory);
  EXPECT_EQ(memory.moment, DiffusionMoment::denoise);
  EXPECT_NEAR(memory.lines.value[Line::weights] / kGib, 22.15, 0.01);
  EXPECT_GT(memory.lines.total().value / kGib, 21.95);
  EXPECT_LT(memory.lines.total().value / kGib, 23.6);
  EXPECT_GT(memory.host_bytes, memory.lines.value[Line::weights]);
  job.denoiser_format = WeightFormat::nf4;  // measured 6.72 without the context
  const DiffusionMemory small = *diffusion_memory(test::model("flux.1-dev"), job, test::catalog().memory);
  EXPECT_LT(small.lines.total().value / kGib, 21.95);
}

TEST(MemoryMedia, AForwardPassOfFluxHoldsWhatWasMeasured) {
  const MemoryLines lines = lines_of("flux.1-dev", {.residency = Residency::components}).value;  // diffusers' benchmarks: 22.64
  EXPECT_NEAR((lines[Line::weights] + lines[Line::activations]) / kGib, 22.64, 0.02);
}

// tdrussell/diffusion-pipe#339: ten bytes per parameter before any activation.
TEST(MemoryMedia, WanInFullNeedsMoreThan80GbAndAdaptersDoNot) {
  DiffusionJob job = video(Task::full, 832, 480, 1);
  job.compensated = true;
  const MemoryLines lines = lines_of("wan2.2-t2v-a14b", job).value;
  EXPECT_NEAR(lines[Line::weights] + lines[Line::gradients] + lines[Line::optimizer], 10 * 14'288'491'584.0, 1e6);
  EXPECT_GT(gib("wan2.2-t2v-a14b", job), 80);
  EXPECT_LT(gib("wan2.2-t2v-a14b", video(Task::lora, 832, 480, 1)), 79);
}

// huggingface/diffusers#11014: 42.9 GB on the card with text encoders and VAE beside the transformer.
TEST(MemoryMedia, DreamBoothAdaptersForFluxNeed43GbUnlessEmbeddingsAreCached) {
  DiffusionJob job{.task = Task::lora, .width_px = 512, .height_px = 512};
  job.training.recompute = Recompute::none;
  job.training.lora_rank = 4;
  job.training.lora_targets = LoraTargets::attention;
  const double whole = lines_of("flux.1-dev", job).total().value;
  EXPECT_NEAR(whole / 1e9, 42.9, 4.3);
  job.cached = true;
  EXPECT_LT(lines_of("flux.1-dev", job).total().value, whole - 9e9);
}

// finetrainers on A100-80: CogVideoX-5b, 49 x 480 x 720, latents computed beforehand.
TEST(MemoryMedia, VideoTrainingIsWithinATenthOfMeasurements) {
  const std::vector<std::tuple<std::string, DiffusionJob, double>> rows{{"cogvideox-5b", video(Task::lora, 720, 480, 1), 20.8},
                                                                        {"cogvideox-5b", video(Task::lora, 720, 480, 4), 47.8},
                                                                        {"cogvideox-5b", video(Task::full, 720, 480, 1), 52.9}};
  for (const auto& [id, job, measured] : rows) EXPECT_NEAR(gib(id, job), measured, 0.1 * measured) << id;
}

// The same source, HunyuanVideo, 49 x 512 x 768: a known miss. What a LayerNorm block keeps under attention-only adapters
// follows GPT-like blocks, and comes out low for this one. It must keep missing to stand here.
TEST(MemoryMedia, HunyuanVideoIsAKnownMiss) {
  const double error = gib("hunyuan-video", video(Task::lora, 768, 512, 1)) / 42.4 - 1;
  EXPECT_LT(error, -0.1) << "no longer misses: put it among those within a tenth";
  EXPECT_GT(error, -0.15);
}

TEST(MemoryMedia, TilesBoundTheDecoder) {
  DiffusionJob job{.width_px = 4096, .height_px = 4096};
  const double whole = gib("stable-diffusion-xl-base", job);
  job.tile_px = 512;
  EXPECT_GT(whole, 40);
  EXPECT_LT(gib("stable-diffusion-xl-base", job), 10);
}

TEST(MemoryMedia, APipelineWithoutAVaeSaysSo) {
  EXPECT_FALSE(diffusion_memory(test::model("wan2.1-t2v-14b"), {}, test::catalog().memory)->vae_known);
  EXPECT_EQ(diffusion_memory(test::model("llama-3-8b"), {}, test::catalog().memory).failure().code, "not_diffusion");
}

// timm on an RTX 3090: the batch that fitted 24 GB, and the next that did not.
TEST(MemoryMedia, VisionBandsReachWhatFittedAndWhatDidNot) {
  const auto at = [](std::string_view id, double batch) {
    const VisionJob job{.batch = batch, .precision = Precision::fp16_autocast, .optimizer = Optimizer::sgd_momentum};
    return vision_memory(network(id), job, test::catalog().memory)->total();
  };
  constexpr double kUsable = 23.6 * kGib;
  const std::vector<std::tuple<std::string, double, double>> rows{
      {"vit_base_patch16_224@224", 192, 256}, {"vit_large_patch16_224@224", 64, 96}, {"seresnet50@224", 384, 512}};
  for (const auto& [id, fits, fails] : rows) {
    EXPECT_LT(at(id, fits).low, kUsable) << id;
    EXPECT_GT(at(id, fails).high, kUsable) << id;
  }
}

TEST(MemoryMedia, ANetworkWithoutActivationsIsRefused) {
  EXPECT_EQ(vision_memory(network("alexnet@224"), {}, test::catalog().memory).failure().code, "vision_activations_unknown");
}

TEST(MemoryMedia, AdafactorOfAVisionNetworkIsRefused) {
  const auto memory = vision_memory(network("resnet50@224"), {.optimizer = Optimizer::adafactor}, test::catalog().memory);
  EXPECT_EQ(memory.failure().code, "vision_optimizer_unknown");
}

}  // namespace
}  // namespace rigsizer
