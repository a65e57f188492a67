// From the fields of a config.json to an architecture, or to the reason why not.
#pragma once

#include "model/architecture.h"
#include "model/fields.h"
#include "quantity/failure.h"

namespace rigsizer {

/// More parameters than this are refused as a mistake: a hundred times the largest published model.
inline constexpr double kMostParameters = 2e14;

/// Failure codes: config_no_model_type, unsupported_architecture, unsupported_part, config_missing_field,
/// config_wrong_type, config_out_of_range, config_inconsistent, model_too_large.
Result<Architecture> read_architecture(const Fields& fields);

}  // namespace rigsizer
