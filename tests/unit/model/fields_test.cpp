#include "model/fields.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/test_data.h"

namespace rigsizer {
namespace {

const Range kAnyRange{1, 100};

/// Reads with `read` and gives the code of what was wrong, or "" when nothing was.
template <class Read>
std::string code_after(const Fields& fields, Read read) {
  FieldReader reader{fields};
  read(reader);
  return reader.failure() ? reader.failure()->code : "";
}

TEST(ModelFields, ReadsEachKind) {
  const Fields fields{
      {"n", 7.0}, {"flag", true}, {"word", std::string{"x"}}, {"list", std::vector<double>{1, 0}}, {"words", std::vector<std::string>{"a"}}};
  FieldReader reader{fields};
  EXPECT_EQ(reader.required({"n"}, kAnyRange), 7);
  EXPECT_EQ(reader.number_or("n", 0), 7);
  EXPECT_TRUE(reader.flag_or("flag", false));
  EXPECT_EQ(reader.text_or("word", ""), "x");
  EXPECT_EQ(reader.numbers("list"), (std::vector<double>{1, 0}));
  EXPECT_EQ(reader.words("words"), std::vector<std::string>{"a"});
  EXPECT_TRUE(reader.is_list("list"));
  EXPECT_FALSE(reader.is_list("n"));
  EXPECT_FALSE(reader.failure());
}

TEST(ModelFields, TakesTheFirstSpellingThatIsPresent) {
  const Fields fields{{"n_embd", 12.0}, {"d_model", 13.0}};
  EXPECT_EQ(FieldReader{fields}.required({"hidden_size", "n_embd", "d_model"}, kAnyRange), 12);
  EXPECT_EQ(FieldReader{fields}.integer_or({"other"}, 5, kAnyRange), 5);
}

TEST(ModelFields, NullMeansAbsent) {
  const Fields fields{{"n", std::monostate{}}};
  FieldReader reader{fields};
  EXPECT_FALSE(reader.has("n"));
  EXPECT_EQ(reader.integer_or({"n"}, 9, kAnyRange), 9);
  EXPECT_TRUE(reader.flag_or("n", true));
  EXPECT_FALSE(reader.failure());
}

TEST(ModelFields, ReadsBehindAPrefix) {
  const Fields fields{{"text_config.n", 3.0}, {"n", 4.0}};
  EXPECT_EQ((FieldReader{fields, "text_config."}.required({"n"}, kAnyRange)), 3);
}

TEST(ModelFields, AListOfOneRepeatedNumberIsThatNumber) {
  const Fields fields{{"same", std::vector<double>{5, 5, 5}}, {"mixed", std::vector<double>{5, 6}}, {"none", std::vector<double>{}}};
  EXPECT_EQ(FieldReader{fields}.integer_or({"same"}, 0, kAnyRange), 5);
  EXPECT_EQ(code_after(fields, [](FieldReader& r) { r.integer_or({"mixed"}, 0, kAnyRange); }), "config_wrong_type");
  EXPECT_EQ(code_after(fields, [](FieldReader& r) { r.integer_or({"none"}, 0, kAnyRange); }), "config_wrong_type");
}

TEST(ModelFields, AMissingFieldIsNamed) {
  const Fields fields;
  FieldReader reader{fields, "text_config."};
  EXPECT_EQ(reader.required({"hidden_size", "n_embd"}, kAnyRange), kAnyRange.low);
  ASSERT_TRUE(reader.failure());
  EXPECT_EQ(reader.failure()->code, "config_missing_field");
  EXPECT_EQ(reader.failure()->path, "/model/config/text_config/hidden_size");
  EXPECT_NE(reader.failure()->hint, "");
}

TEST(ModelFields, NumbersOutsideTheirRangeAreRefused) {
  for (const double wrong :
       {0.0, -1.0, 101.0, 2.5, 1e300, std::nan(""), -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}) {
    const Fields fields{{"n", wrong}};
    EXPECT_EQ(code_after(fields, [](FieldReader& r) { r.required({"n"}, kAnyRange); }), "config_out_of_range") << wrong;
  }
  const Fields ends{{"low", 1.0}, {"high", 100.0}};
  EXPECT_EQ(FieldReader{ends}.required({"low"}, kAnyRange), 1);
  EXPECT_EQ(FieldReader{ends}.required({"high"}, kAnyRange), 100);
}

TEST(ModelFields, WrongTypesAreRefused) {
  const Fields fields{{"n", std::string{"7"}}, {"flag", 1.0}, {"word", 2.0}, {"list", std::string{"1"}}, {"words", std::vector<double>{1}}};
  EXPECT_EQ(code_after(fields, [](FieldReader& r) { r.required({"n"}, kAnyRange); }), "config_wrong_type");
  EXPECT_EQ(code_after(fields, [](FieldReader& r) { r.number_or("n", 0); }), "config_wrong_type");
  EXPECT_EQ(code_after(fields, [](FieldReader& r) { r.flag_or("flag", false); }), "config_wrong_type");
  EXPECT_EQ(code_after(fields, [](FieldReader& r) { r.text_or("word", ""); }), "config_wrong_type");
  EXPECT_EQ(code_after(fields, [](FieldReader& r) { r.numbers("list"); }), "config_wrong_type");
  EXPECT_EQ(code_after(fields, [](FieldReader& r) { r.words("words"); }), "config_wrong_type");
}

TEST(ModelFields, TheFirstMistakeIsTheOneReported) {
  const Fields fields{{"a", std::string{"x"}}, {"b", std::string{"y"}}};
  FieldReader reader{fields};
  reader.required({"a"}, kAnyRange);
  reader.required({"b"}, kAnyRange);
  EXPECT_EQ(reader.failure()->path, "/model/config/a");
}

TEST(ModelFields, JsonIsFlattenedIntoDottedPaths) {
  const Fields fields =
      test::fields(R"({"a": {"b": {"c": 1}}, "list": [1, 2], "words": ["x"], "none": null, "_ours": 1, "mixed": [1, "x"], "empty": []})");
  EXPECT_EQ(std::get<double>(fields.at("a.b.c")), 1);
  EXPECT_EQ(std::get<std::vector<double>>(fields.at("list")).size(), 2U);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(fields.at("none")));
  EXPECT_FALSE(fields.contains("_ours"));
  // What is no value of its own still stands there, so that a reader that wants a number can say so.
  EXPECT_TRUE(std::get<std::vector<std::string>>(fields.at("mixed")).empty());
  EXPECT_TRUE(std::get<std::vector<std::string>>(fields.at("a")).empty());
}

TEST(ModelFields, LevelsTooDeepToMatterAreLeftOut) {
  const Fields fields = test::fields(R"({"a": {"b": {"c": {"d": 4, "e": {"f": 5}}}}})");
  EXPECT_TRUE(fields.contains("a.b.c.d"));
  EXPECT_FALSE(fields.contains("a.b.c.e.f"));
}

}  // namespace
}  // namespace rigsizer
