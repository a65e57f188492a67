#include "memory/media.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "memory/activations.h"
#include "memory/states.h"
#include "memory/training.h"
#include "model/census.h"

namespace rigsizer {
namespace {

// timm's largest batches on 24 GB: 4.1 to 5.5 bytes per value for SE-ResNet-50, 5.6 to 8 for ViT-L/16, at 2 bytes each.
constexpr double kSavedPerOutput = 2.5;
constexpr double kLiveShare = 0.2;
// Denoisers: FLUX.1 dev at 1024 px holds 0.47 GiB beside its weights, 17.8 d per token at F = 4 d.
constexpr double kLiveWidths = 10;
constexpr double kLiveMlps = 2;
// VAE: SD 1.5 decoding 1024 px takes 7.5 to 8.2 such tensors, 512 px 4.7 to 5.4, SSD-1B's pipeline 4.7.
constexpr double kVaeTensors = 6;
constexpr double kHalf = 2;
/// Of a UNet's layer outputs, what block-wise recomputation leaves: block inputs and one block whole.
constexpr double kCheckpointedShare = 0.15;

/// States of trained parameters.
void add_states(MemoryLines& lines, double parameters, const StateBytes& bytes, const OptimizerBytes& moments) {
  lines[Line::gradients] += parameters * bytes.gradient;
  lines[Line::optimizer] += parameters * (bytes.master + moments.per_parameter) + moments.factored;
}

/// Weights of a network that only runs are loaded once, so what is freed and taken again is its working memory.
void add_process(MemoryLines& lines, const MemoryConstants& constants, bool train) {
  lines[Line::allocator] = constants.slack_share * (train ? lines.total() : lines[Line::activations]);
  lines[Line::overhead] = constants.context_bytes;
}

double stored_bytes(double linear, double rest, const WeightFormat& format) { return linear * linear_bits(format) / 8 + rest * format.kept_bytes(); }

struct Components {
  double denoiser = 0, twin = 0, text = 0, vae = 0;
  [[nodiscard]] double sum() const { return denoiser + twin + text + vae; }
};

Components components_of(const Architecture& model, const ModelSizes& sizes, const DiffusionJob& job) {
  Components bytes;
  bytes.denoiser = stored_bytes(sizes.linear, sizes.total - sizes.linear, job.denoiser_format);
  const double twin = model.diffusion.twin_parameters.as_double();
  bytes.twin = sizes.total > 0 ? bytes.denoiser * twin / sizes.total : 0;
  for (const ExtraPart& part : model.extra) {
    const double parameters = part.parameters.as_double();
    if (part.name == "vae") {
      bytes.vae = parameters * job.denoiser_format.kept_bytes();
    } else {
      bytes.text += stored_bytes(parameters, 0, job.text_format);
    }
  }
  return bytes;
}

double live_per_token(const ModelSizes& sizes) {
  return kHalf * (kLiveWidths * sizes.hidden + kLiveMlps * std::max(sizes.widest_mlp, 4 * sizes.hidden));
}

double decode_bytes(const DiffusionShape& shape, const DiffusionJob& job) {
  const double side = job.tile_px > 0 ? job.tile_px : std::max(job.width_px, job.height_px);
  const double pixels = std::min(side, job.width_px) * std::min(side, job.height_px);
  const double images = job.tile_px > 0 ? 1 : job.batch;
  return pixels * images * kVaeTensors * static_cast<double>(shape.vae_upper_width) * kHalf;
}

double kept_bytes(const Architecture& model, const ModelSizes& sizes, const DiffusionJob& job) {
  const double tokens = diffusion_tokens(model.diffusion, job) * job.batch;
  const TrainingJob& training = job.training;
  if (model.diffusion.unet_values_per_pixel > 0) {
    const double share = training.recompute == Recompute::none ? 1 : kCheckpointedShare;
    return tokens * model.diffusion.unet_values_per_pixel * compute_bytes(training.precision) * share;
  }
  const ActivationPath whole = whole_path(model.norm_upcasts, job.task, training);
  double bytes = bytes_per_token(kept_path(training, whole), sizes.widths);
  if (training.recompute != Recompute::none) {
    double layer = 0;
    for (const LayerSize& kind : sizes.kinds) layer = std::max(layer, bytes_per_token(whole, kind.widths));
    bytes += layer;
  }
  return tokens * bytes;
}

MemoryLines train_lines(const Architecture& model, const ModelSizes& sizes, const DiffusionJob& job, const Components& bytes) {
  MemoryLines lines;
  const TrainingJob& training = job.training;
  const bool full = job.task == Task::full;
  const double trained = full ? sizes.total : adapter_parameters(sizes, training);
  // Adapters are kept in fp32 unless everything is in bf16.
  const StateBytes states = state_bytes(full || training.precision == Precision::bf16_pure ? training.precision : Precision::fp32, false);
  OptimizerBytes moments = optimizer_bytes(training.optimizer, states.moment, full ? sizes.factored_elements : 0);
  if (training.offload.optimizer) moments = {};
  lines[Line::weights] = full ? sizes.total * (states.weight + states.cast) : bytes.denoiser;
  if (!job.cached) lines[Line::weights] += bytes.text + bytes.vae;
  if (!full) lines[Line::adapters] = trained * states.weight;
  add_states(lines, trained, states, moments);
  if (job.compensated) lines[Line::optimizer] += kHalf * trained;
  lines[Line::activations] = kept_bytes(model, sizes, job);
  lines[Line::temporary] = diffusion_tokens(model.diffusion, job) * job.batch * live_per_token(sizes);
  return lines;
}

}  // namespace

double diffusion_tokens(const DiffusionShape& shape, const DiffusionJob& job) {
  const auto step = static_cast<double>(shape.pixels * shape.patch);
  const double latent_frames = shape.frames > 1 ? 1 + std::floor((job.frames - 1) / static_cast<double>(shape.frames)) : job.frames;
  return std::ceil(job.width_px / step) * std::ceil(job.height_px / step) * latent_frames + static_cast<double>(shape.text_tokens);
}

Result<BandedLines> vision_memory(const VisionNetwork& network, const VisionJob& job, const MemoryCalibration& calibration) {
  if (!network.activations) {
    return Failure{.code = "vision_activations_unknown",
                   .path = "/network",
                   .message = "How many values " + network.id + " puts out per image is not known, only its parameters are.",
                   .hint = "Choose an input size whose activations the catalog lists.",
                   .values = {{"network", network.id}, {"parameters", network.parameters}}};
  }
  if (job.optimizer == Optimizer::adafactor) {
    return Failure{.code = "vision_optimizer_unknown",
                   .path = "/optimizer",
                   .message = "What Adafactor keeps of " + network.id + " follows from the shapes of its matrices, which are not known.",
                   .hint = "Choose another optimizer.",
                   .values = {{"network", network.id}}};
  }
  const bool train = job.task != Task::serve;
  const StateBytes states = state_bytes(job.precision, false);
  MemoryLines lines;
  lines[Line::weights] = network.parameters * (train ? states.weight + states.cast : compute_bytes(job.precision));
  if (train) add_states(lines, network.parameters, states, optimizer_bytes(job.optimizer, states.moment, 0));
  lines[Line::activations] = job.batch * *network.activations * compute_bytes(job.precision) * (train ? kSavedPerOutput : kLiveShare);
  add_process(lines, calibration.value, train);
  return BandedLines{lines, calibration.of(EstimateKind::media)};
}

Result<DiffusionMemory> diffusion_memory(const Architecture& model, const DiffusionJob& job, const MemoryCalibration& calibration) {
  if (model.kind != Architecture::Kind::diffusion) {
    return Failure{.code = "not_diffusion",
                   .path = "/model",
                   .message = "The architecture \"" + model.model_type + "\" is no diffusion pipeline.",
                   .hint = "Size it as a language model or a vision network.",
                   .values = {{"model_type", model.model_type}}};
  }
  const ModelSizes sizes = sizes_of(model);
  const Components bytes = components_of(model, sizes, job);
  DiffusionMemory memory;
  memory.vae_known = bytes.vae > 0;
  MemoryLines peak;
  const auto consider = [&](DiffusionMoment moment, MemoryLines lines) {
    add_process(lines, calibration.value, job.task != Task::serve);
    if (lines.total() < peak.total()) return;
    peak = lines;
    memory.moment = moment;
  };
  if (job.task != Task::serve) {
    consider(DiffusionMoment::train, train_lines(model, sizes, job, bytes));
  } else {
    const bool all = job.residency == Residency::all;
    const auto at = [&](DiffusionMoment moment, double component, double working) {
      MemoryLines lines;
      lines[Line::weights] = all ? bytes.sum() : component;
      lines[Line::activations] = working;
      consider(moment, lines);
    };
    const double passes = job.batch * (job.guided ? 2 : 1);
    at(DiffusionMoment::encode, bytes.text, 0);
    at(DiffusionMoment::denoise, bytes.denoiser, diffusion_tokens(model.diffusion, job) * passes * live_per_token(sizes));
    if (memory.vae_known) at(DiffusionMoment::decode, bytes.vae, decode_bytes(model.diffusion, job));
  }
  memory.lines = {peak, calibration.of(EstimateKind::media)};
  memory.host_bytes = job.task == Task::serve && job.residency == Residency::components ? bytes.sum() : 0;
  return memory;
}

}  // namespace rigsizer
