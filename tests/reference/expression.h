// Evaluates the formulas of explanations: + - * / ( ), max(a, b), min(a, b), ceil(a), numbers and named inputs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rigsizer::test {

using Symbols = std::map<std::string, double, std::less<>>;

/// Nothing when the text is no such formula or names an unknown symbol; `why` then says where.
std::optional<double> evaluate(std::string_view formula, const Symbols& symbols, std::string* why = nullptr);

}  // namespace rigsizer::test
