// JSON objects flattened into the dotted fields that `model/` reads.
#pragma once

#include <nlohmann/json.hpp>

#include "model/fields.h"

namespace rigsizer {

using Json = nlohmann::json;

/// Nested objects become dotted paths, lists of numbers or words stay lists, null stays null. Lists of anything else
/// and levels below `kDeepestField` are left out: no architecture reads them. Keys starting with "_" are ours and skipped.
Fields fields_of(const Json& config);

inline constexpr int kDeepestField = 4;

}  // namespace rigsizer
