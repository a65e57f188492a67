// Common to the fuzz entry points: an engine over a small catalog, and what every answer must be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/engine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace rigsizer::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

/// Made once.
const Engine& engine();

/// Aborts unless `answer` is valid JSON: an answer without an error, or an error with code, path, message and hint.
void must_be_sound(const std::string& answer);

}  // namespace rigsizer::fuzz
