// A coded remark with its figures; texts per language live with the page and the command line.
#pragma once

#include <string>
#include <vector>

#include "quantity/failure.h"

namespace rigsizer {

struct Reason {
  std::string code;
  std::vector<MessageValue> values;
};

enum class Severity { info, warn, serious };

struct Remark {
  std::string code;
  Severity severity = Severity::info;
  std::vector<MessageValue> values;
};

}  // namespace rigsizer
