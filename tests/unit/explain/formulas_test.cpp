// Each explanation, evaluated with the inputs it lists, gives the bytes it explains.
#include <gtest/gtest.h>

#include <cmath>

#include "explain/formula.h"
#include "explain/memory_lines.h"
#include "quantity/decimal.h"
#include "reference/expression.h"
#include "reference/random_jobs.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::evaluate;
using test::Symbols;

TEST(ExplainFormulas, TheEvaluatorKnowsArithmetic) {
  const Symbols symbols{{"a", 6}, {"b_2", 4}};
  EXPECT_EQ(evaluate("1 + 2 * 3", symbols), 7);
  EXPECT_EQ(evaluate("(1 + 2) * 3", symbols), 9);
  EXPECT_EQ(evaluate("12 / a / 2 - 1", symbols), 0);
  EXPECT_EQ(evaluate("max(a, b_2) + min(a, b_2) + ceil(2.1)", symbols), 13);
  EXPECT_EQ(evaluate("-a + 10", symbols), 4);
  EXPECT_EQ(evaluate("4.15625 * 8", symbols), 33.25);
}

TEST(ExplainFormulas, TheEvaluatorRefusesWhatItDoesNotKnow) {
  for (const char* const text : {"", "1 +", "(1", "1 1", "unknown", "sin(1)", "1 $ 2", "max(1", "a b"}) {
    EXPECT_FALSE(evaluate(text, {{"a", 1}, {"b", 2}})) << text;
  }
}

TEST(ExplainFormulas, SmallConstantsPrintAsTheyRead) {
  EXPECT_EQ(decimal_text(16), "16");
  EXPECT_EQ(decimal_text(4.127), "4.127");
  EXPECT_EQ(decimal_text(0.048), "0.048");
}

/// Lines explained must be all lines of at least a byte, each equal to its formula.
void check(const std::vector<ExplainedLine>& lines, const BandedLines& banded, const std::string& job) {
  double shown = 0;
  for (const ExplainedLine& line : lines) {
    Symbols symbols;
    for (const Input& input : line.inputs) {
      EXPECT_TRUE(symbols.emplace(input.symbol, input.value).second) << input.symbol << " is listed twice in " << line.formula;
      EXPECT_TRUE(std::isfinite(input.value)) << input.symbol;
      EXPECT_NE(input.unit, "") << input.symbol;
    }
    std::string why;
    const auto value = evaluate(line.formula, symbols, &why);
    ASSERT_TRUE(value) << why << " in " << job;
    EXPECT_LE(std::abs(*value - line.bytes.value), 1e-9 * std::abs(line.bytes.value))
        << name_of(line.line) << " = " << line.formula << " for " << job;
    EXPECT_NE(line.source, "");
    EXPECT_EQ(line.bytes.value, banded.value[line.line]);
    shown += line.bytes.value;
  }
  EXPECT_NEAR(shown, banded.total().value, 10) << "lines left out have less than a byte each: " << job;
}

TEST(ExplainFormulas, ServingLinesEqualTheirFormulas) {
  test::Random random{31'001};
  for (const std::string& id : test::supported_models()) {
    for (int i = 0; i < 3; ++i) {
      const ModelSizes sizes = test::sizes(id, test::random_weight_format(random));
      Job job;
      job.serving = test::random_serving(random);
      const LayoutMemory memory = layout_memory(sizes, job, test::random_serving_layout(random), test::catalog().memory);
      check(explain_memory(test::catalog(), sizes, job, memory, "test"), memory.lines, id + " " + test::to_text(sizes, job.serving, memory.layout));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ExplainFormulas, TrainingLinesEqualTheirFormulas) {
  test::Random random{31'002};
  for (const std::string& id : test::supported_models()) {
    const ModelSizes sizes = test::sizes(id);
    for (int i = 0; i < 3; ++i) {
      Job job{.task = test::random_training_task(random)};
      job.training = test::random_training(random);
      const LayoutMemory memory = layout_memory(sizes, job, test::random_training_layout(random), test::catalog().memory);
      check(explain_memory(test::catalog(), sizes, job, memory, "test"), memory.lines,
            id + " " + test::to_text(job.task, job.training, memory.layout));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ExplainFormulas, CalibratedConstantsCarryTheirSource) {
  const ModelSizes sizes = test::sizes("llama-3-8b");
  const LayoutMemory memory = layout_memory(sizes, {}, {}, test::catalog().memory);
  for (const ExplainedLine& line : explain_memory(test::catalog(), sizes, {}, memory, "model card")) {
    for (const Input& input : line.inputs) {
      if (const Constant* constant = test::catalog().constant(input.symbol)) {
        EXPECT_EQ(input.source, constant->source);
        EXPECT_EQ(input.unit, constant->unit);
      }
      if (input.symbol == "linear_bytes") {
        EXPECT_EQ(input.source, "model card");
      }
    }
  }
}

TEST(ExplainFormulas, RoundedForJsonTheyStillAgree) {
  using test::Json;
  for (const char* const request : {R"({"model": "deepseek-v3", "task": "serve", "accelerator": "H200-SXM", "count": 8})",
                                    R"({"model": "llama-3-70b", "task": "full", "accelerator": "H100-SXM", "count": 8})",
                                    R"({"model": "qwen3-30b-a3b", "task": "qlora", "accelerator": "L4"})"}) {
    const Json answer = Json::parse(test::engine().estimate(request));
    ASSERT_TRUE(answer.contains("estimate")) << answer.dump();
    for (const Json& line : answer["estimate"]["lines"]) {
      Symbols symbols;
      for (const Json& input : line["inputs"]) symbols[input["symbol"]] = input["value"];
      const auto value = evaluate(line["formula"].get<std::string>(), symbols);
      ASSERT_TRUE(value) << line.dump();
      EXPECT_NEAR(*value, line["bytes"].get<double>(), 1e-9 * line["bytes"].get<double>()) << line.dump();
    }
  }
}

}  // namespace
}  // namespace rigsizer
