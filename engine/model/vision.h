// Vision networks that a config describes, alone or beside a text tower.
//
// Sums, h width, p patch side, n patches of the image:
//   ViT, DeiT   3 p^2 h + h patches, class token h (DeiT two), (n + 1) h positions, blocks, norm 2 h, classifier h c + c
//   DINOv2      + a mask token h and two layer scales per block; the giant has a gated MLP of round8(8 h / 3)
//   CLIP        vision: no patch bias, norms before and after, projection h D; text: V h + n h, norm, projection; one scale
//   SigLIP      vision: patch bias, no class token, attention-pooling head; text head h^2 + h; scale and shift
//   Swin        stages of width e 2^i: blocks + (2 w - 1)^2 H biases; merge 8 h + 8 h^2
//   ConvNeXt    block 49 h + h + 2 h + 8 h^2 + 4 h + h + h; downsampling 2 h + 4 h h' + h'
// Published: ViT-B/16 86,567,656; CLIP ViT-L/14 427,616,513; Swin-T 28,288,354; ConvNeXt-T 28,589,128.
// Source: the modelling code of each family in huggingface/transformers.
#pragma once

#include "model/architecture.h"
#include "model/fields.h"

namespace rigsizer {

void read_vit(Architecture& model, const Fields& fields, FieldReader& config);
/// clip and siglip: both towers. clip_text_model, siglip_vision_model and the like: one of them.
void read_text_and_image(Architecture& model, const Fields& fields, FieldReader& config);
void read_swin(Architecture& model, const Fields& fields, FieldReader& config);
void read_convnext(Architecture& model, const Fields& fields, FieldReader& config);

}  // namespace rigsizer
