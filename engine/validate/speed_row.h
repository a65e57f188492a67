// The figures of a row that are speeds. None is predicted yet: each is skipped for a reason that lies with this engine.
#pragma once

#include <vector>

#include "validate/row.h"

namespace rigsizer {

std::vector<Comparison> compare_speed(const Row& row, bool training);

}  // namespace rigsizer
