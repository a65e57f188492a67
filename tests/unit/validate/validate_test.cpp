// What a validation says about rows: one comparison a figure, why a row is skipped, how errors are summed up.
#include "validate/validate.h"

#include <gtest/gtest.h>

#include "api/validation.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

Comparison compared(double measured, double predicted, double reach) {
  Comparison one;
  one.metric = "memory_gib";
  one.measured = measured;
  one.predicted = Band{predicted, predicted - reach, predicted + reach};
  return one;
}

TEST(ValidateValidate, SummaryIsOfErrorsRelativeToTheMeasurement) {
  const std::vector<Comparison> rows{compared(10, 11, 2), compared(10, 8, 1), compared(10, 10, 0), compared(10, 13, 1), compared(20, 18, 2)};
  std::vector<const Comparison*> list;
  for (const Comparison& row : rows) list.push_back(&row);
  const ErrorSummary all = summary_of(list);
  EXPECT_EQ(all.n, 5);
  EXPECT_DOUBLE_EQ(all.median_abs_pct, 10);
  EXPECT_DOUBLE_EQ(all.p90_abs_pct, 30);
  EXPECT_DOUBLE_EQ(all.mean_abs_pct, (10 + 20 + 0 + 30 + 10) / 5.0);
  EXPECT_DOUBLE_EQ(all.bias_pct, (10 - 20 + 0 + 30 - 10) / 5.0);
  EXPECT_DOUBLE_EQ(all.in_band_pct, 60) << "9..13, 10 and 16..20 hold their measurement";
}

TEST(ValidateValidate, NothingPredictedIsNoError) {
  Comparison ours = compared(1, 1, 1), rows = ours;
  ours.predicted.reset();
  ours.skip(unsupported("ours"));
  rows.predicted.reset();
  rows.skip(unstated("the row's"));
  const ErrorSummary all = summary_of({&ours, &rows});
  EXPECT_EQ(all.n, 0);
  EXPECT_EQ(all.skipped, 2);
  EXPECT_EQ(all.skipped_ours, 1);
  EXPECT_EQ(all.p90_abs_pct, 0);
}

Result<Validation> validated(const Row::Cells& cells) { return validate(test::catalog(), {Row{cells}}); }

const Row::Cells kTrained{{"id", "R1"},
                          {"task", "full_ft"},
                          {"model", "Llama-3-8B"},
                          {"model_id", "llama-3-8b"},
                          {"weight_dtype", "bf16"},
                          {"compute_dtype", "bf16"},
                          {"optimizer", "adamw"},
                          {"gpu_count", "1"},
                          {"micro_batch_per_gpu", "1"},
                          {"seq_len", "2048"},
                          {"grad_checkpointing", "y"},
                          {"confidence", "high"},
                          {"measured_peak_mem_gib", "70"},
                          {"measured_tokens_per_s_per_gpu", "3000"}};

TEST(ValidateValidate, EachFigureOfARowIsAComparison) {
  const auto all = validated(kTrained);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->rows.size(), 2u);
  EXPECT_EQ(all->rows[0].metric, "memory_gib");
  ASSERT_TRUE(all->rows[0].predicted) << all->rows[0].skipped;
  EXPECT_EQ(all->rows[1].metric, "tokens_per_s");
  EXPECT_EQ(all->summary.at("memory_gib").n, 1);
  EXPECT_EQ(all->by_confidence.at("high").at("memory_gib").n, 1);
  EXPECT_EQ(all->by_kind.at("train_full").at("memory_gib").n, 1);
}

TEST(ValidateValidate, ARowThatLacksSomethingSaysWhat) {
  for (const char* const cell : {"task", "weight_dtype", "optimizer", "micro_batch_per_gpu", "seq_len", "grad_checkpointing"}) {
    Row::Cells cells = kTrained;
    cells[cell] = "";
    const auto all = validated(cells);
    ASSERT_TRUE(all);
    EXPECT_FALSE(all->rows[0].predicted) << cell;
    EXPECT_NE(all->rows[0].skipped, "") << cell;
    EXPECT_FALSE(all->rows[0].ours) << cell << ": " << all->rows[0].skipped;
  }
}

TEST(ValidateValidate, CellsThatAreNoNumberAndColumnsNobodyReadsAreSaid) {
  Row::Cells cells = kTrained;
  cells["seq_len"] = "2k";
  cells["sequence"] = "2048";
  const auto all = validated(cells);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->odd_cells.size(), 1u);
  EXPECT_EQ(all->odd_cells[0].column, "seq_len");
  EXPECT_EQ(all->odd_cells[0].text, "2k");
  EXPECT_EQ(all->ignored_columns, std::vector<std::string>{"sequence"});
  EXPECT_FALSE(all->rows[0].predicted) << "a length that cannot be read is not guessed";
}

TEST(ValidateValidate, RowsOfNoKindAreRefused) {
  const auto all = validated({{"id", "R1"}, {"price", "3"}});
  ASSERT_FALSE(all);
  EXPECT_EQ(all.failure().code, "rows_of_no_kind");
}

TEST(ValidateValidate, RequestsAreColumnsAndRowsOfTexts) {
  EXPECT_TRUE(read_rows(R"({"columns":["id","engine"],"rows":[["A","vllm"],["B",""]]})"));
  for (const char* const bad :
       {"[]", "{}", R"({"columns":[],"rows":[]})", R"({"columns":["id"],"rows":[["A","B"]]})", R"({"columns":["id"],"rows":[[1]]})",
        R"({"columns":["id"],"rows":{}})", R"({"columns":["id"],"rows":[],"row":[]})", R"({"columns":[1],"rows":[]})"}) {
    EXPECT_FALSE(read_rows(bad)) << bad;
  }
}

}  // namespace
}  // namespace rigsizer
