// Diffusion pipelines: a denoiser, with VAE and text encoders as extra parts.
//
// Sums, d width, F MLP width, T = 4 x first width of a UNet:
//   ResNet block     2 i + 9 i o + o + T o + o + 2 o + 9 o^2 + o (+ i o + o where i and o differ)
//   UNet attention   at width c with text of width X: 6 c + (4 c^2 + c) + (2 c^2 + 2 X c + c) + (8 c^2 + 8 c) + (4 c^2 + c),
//                    inside 2 c + 2 (c^2 + c)
//   transformer      a (d^2 + d) + m (d^2 + d) + e (2 d F + F + d) + norms: attention matrices a, modulation m, MLPs e
//                      SD3, FLUX, Qwen-Image double blocks a 8, m 12, e 2; FLUX single a 3, m 3, one MLP with its output fused
//                      PixArt, Wan a 8, e 1; DiT a 4, m 6, e 1; CogVideoX a 4, e 1, modulation of 12 d from 512
// Published: Stable Diffusion 1.5 UNet 859,520,964; FLUX.1 dev 11,901,408,320; Wan 2.1 14B 14,288,491,584.
// Source: the model code of each class in huggingface/diffusers.
#pragma once

#include "model/architecture.h"
#include "model/fields.h"

namespace rigsizer {

/// "denoiser.", "vae." and "text_encoders.0." … hold the fields of the parts, `_class_name` names the network.
void read_diffusion(Architecture& model, const Fields& fields, FieldReader& config);

}  // namespace rigsizer
