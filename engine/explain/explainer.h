// Collects the lines of one estimate, each with its formula and the inputs that formula names.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "explain/formula.h"
#include "explain/memory_lines.h"
#include "memory/serving.h"
#include "memory/training.h"

namespace rigsizer {

inline constexpr const char* kParameters = "parameters";
inline constexpr const char* kTokens = "tokens";
inline constexpr const char* kUnits = "units";
inline constexpr const char* kBytes = "bytes";
inline constexpr const char* kCount = "count";

class Explainer {
 public:
  Explainer(const Catalog& catalog, const BandedLines& lines, std::string model_source)
      : catalog_{catalog}, lines_{lines}, model_source_{std::move(model_source)} {}

  /// A line is shown when it has bytes; `write` gives the formula.
  void add(Line line, std::string source, const std::function<std::string(Formula&)>& write) {
    const Band bytes = lines_.band(line);
    if (bytes.high < 1) return;
    Formula formula;
    std::string text = write(formula);
    std::vector<Input> inputs = formula.inputs_as_read(text);
    explained_.push_back({line, bytes, std::move(text), std::move(inputs), std::move(source)});
  }

  /// A count of the architecture.
  std::string model(Formula& f, std::string symbol, double value, const char* unit) const {
    return f.in(std::move(symbol), value, unit, model_source_);
  }
  /// A calibrated constant, under its own name.
  std::string constant(Formula& f, std::string_view name, double value) const {
    const Constant* known = catalog_.constant(name);
    return f.in(std::string{name}, value, known == nullptr ? "" : known->unit, known == nullptr ? "" : known->source);
  }
  /// What a calibrated constant and the job settle between them; the constant's source stands for both.
  std::string settled(Formula& f, std::string symbol, double value, const char* unit, std::string_view name) const {
    const Constant* known = catalog_.constant(name);
    return f.in(std::move(symbol), value, unit, known == nullptr ? "" : known->source);
  }
  [[nodiscard]] std::vector<ExplainedLine> take() { return std::move(explained_); }

 private:
  const Catalog& catalog_;
  const BandedLines& lines_;
  std::string model_source_;
  std::vector<ExplainedLine> explained_;
};

/// " / symbol" unless it is one.
inline std::string divided_by(Formula& f, const std::string& symbol, double value) { return value == 1 ? "" : " / " + f.in(symbol, value, kCount); }

void explain_serving(Explainer& e, const ServingTerms& t);
void explain_training(Explainer& e, const TrainingTerms& t, const MemoryLines& value);

}  // namespace rigsizer
