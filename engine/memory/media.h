// Memory of one accelerator that runs or trains a vision network or a diffusion pipeline.
//
// Vision network, n parameters and a values put out by convolutions and linears per image (catalog/vision.json):
//   train   weights + gradients + optimizer (states.h) + batch x a x bytes x 2.5: the saved output, and what norm and activation keep
//   serve   weights + batch x a x bytes / 5: the widest pair of layers alive at once
//   ResNet-50 at 224 px, 11.1 M values, batch 128, 16 bits: 128 x 11.1 M x 5 = 6.6 GiB of activations.
// Diffusion pipeline: three moments, of which the greatest is reported
//   encode the text   text encoders
//   denoise           tokens x batch x (10 d + 2 F) x 2, tokens = (width / 8 p) (height / 8 p) frames / f + text
//   decode            pixels x batch x 6 x (channels of the VAE's last but one stage) x 2, of one tile where tiled
// with all components resident, or only that of the moment. Training: the denoiser's states and kept activations (activations.h).
//   FLUX.1 dev, 1024 px, denoiser alone: 22.17 GiB of weights + 0.49 GiB; measured 22.64 in all (diffusers' benchmarks, L40S).
// The factors 2.5, 1/5, 10 d + 2 F and 6 are read from public measurements, few of them: see kinds of certainty `media`.
#pragma once

#include <string>

#include "catalog/vision.h"
#include "memory/constants.h"
#include "memory/job.h"
#include "memory/lines.h"
#include "memory/model_sizes.h"
#include "model/architecture.h"
#include "quantity/failure.h"

namespace rigsizer {

struct VisionJob {
  Task task = Task::full;  ///< serve or full
  double batch = 32;       ///< images per accelerator
  Precision precision = Precision::bf16_autocast;
  Optimizer optimizer = Optimizer::adamw;
};

/// Failure codes: vision_activations_unknown where the catalog has only a parameter count, vision_optimizer_unknown for
/// Adafactor, whose state hangs on shapes the catalog does not have.
Result<BandedLines> vision_memory(const VisionNetwork& network, const VisionJob& job, const MemoryCalibration& calibration);

enum class Residency : std::uint8_t {
  all,         ///< every component stays on the card
  components,  ///< one component at a time, the others on the host
};

struct DiffusionJob {
  Task task = Task::serve;  ///< serve, full or lora
  double width_px = 1024, height_px = 1024;
  double frames = 1;  ///< of a video
  double batch = 1;
  bool guided = false;  ///< classifier-free guidance: a second pass in the same batch
  WeightFormat denoiser_format = WeightFormat::bf16;
  WeightFormat text_format = WeightFormat::bf16;
  Residency residency = Residency::all;
  double tile_px = 0;  ///< side of the tiles that the VAE decodes one by one; 0: the whole image
  // training
  bool cached = false;       ///< latents and text embeddings were computed beforehand: the denoiser is alone on the card
  bool compensated = false;  ///< a 16-bit buffer of rounding errors per trained parameter (Kahan sums)
  TrainingJob training{.precision = Precision::bf16_pure};  ///< precision, optimizer, recompute, adapters
};

enum class DiffusionMoment : std::uint8_t { encode, denoise, decode, train };

struct DiffusionMemory {
  BandedLines lines;
  DiffusionMoment moment = DiffusionMoment::denoise;
  bool vae_known = true;  ///< false: the config gives no VAE, so neither its weights nor its peak are in the lines
  double host_bytes = 0;  ///< weights that wait on the host
};

/// Failure code not_diffusion for other architectures.
Result<DiffusionMemory> diffusion_memory(const Architecture& model, const DiffusionJob& job, const MemoryCalibration& calibration);

/// Tokens of one image or video, with the text that attends among them; latent pixels for a UNet.
double diffusion_tokens(const DiffusionShape& shape, const DiffusionJob& job);

}  // namespace rigsizer
