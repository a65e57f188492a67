// Measured runs in, predictions beside them out. Shapes: wasm/rigsizer.d.ts, ValidationRequest and ValidationAnswer.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "validate/validate.h"

namespace rigsizer {

/// Failure codes: request_not_json, request_field, request_unknown_field.
Result<std::vector<Row>> read_rows(std::string_view text);
nlohmann::json validation_json(const Validation& validation);

}  // namespace rigsizer
