// Vision towers and projectors of vision-language models: their weights. Images reach the language model as tokens of its
// context; the tower's own activations are not part of any estimate yet, and answers say so.
#pragma once

#include <string>

#include "model/architecture.h"
#include "model/fields.h"

namespace rigsizer {

/// Adds the tensors of the tower under "vision_config." for an outer model_type.
/// False when that combination is not known: nothing is added then.
/// Known: CLIP (llava), Pixtral (llava, mistral3), Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5, SigLIP (gemma3), Llama 4,
/// Llama 3.2 Vision (mllama), MoonViT (kimi_k25), MobileNetV5 (gemma3n), Gemma 4.
bool add_vision_tower(Architecture& model, FieldReader& root, FieldReader& vision, const std::string& outer_type);

/// Adds the conformer of Gemma 3n and Gemma 4 under "audio_config."; false for others.
bool add_audio_tower(Architecture& model, FieldReader& audio, const std::string& outer_type);

}  // namespace rigsizer
