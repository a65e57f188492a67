// How published measurements spell weight formats.
#pragma once

#include <optional>
#include <string_view>

#include "memory/weight_format.h"

namespace rigsizer {

/// Names as in weight_format.h; spellings of other programs ("int8 (eetq)", "bnb-nf4", "4-bit"); and a name with more
/// after it that says nothing about storage ("bf16+compile", "awq4 except lm_head"). None for other words.
std::optional<WeightFormat> stated_format(std::string_view text);

}  // namespace rigsizer
