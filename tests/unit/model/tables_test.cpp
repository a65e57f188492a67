// Tables, heads, norms and what stands outside the layers.
#include <gtest/gtest.h>

#include "model/census.h"
#include "model/reader.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::architecture;
using test::small_config;

constexpr std::int64_t kTable = 1000 * 64;

Census census(std::string_view more) { return census_of(architecture(small_config(more))); }
std::int64_t part(const Census& census, Part part) { return census.parts.at(static_cast<std::size_t>(part)).value(); }

TEST(ModelTables, AnUntiedHeadIsASecondTable) {
  const Census c = census("{}");
  EXPECT_EQ(part(c, Part::embed), kTable);
  EXPECT_EQ(part(c, Part::lm_head), kTable);
  EXPECT_EQ(c.head.value(), kTable);
  EXPECT_EQ(c.embedding.value(), kTable);
}

TEST(ModelTables, ATiedHeadIsHeldOnceButStillMultiplied) {
  const Census tied = census(R"({"tie_word_embeddings": true})");
  EXPECT_EQ(part(tied, Part::lm_head), 0);
  EXPECT_EQ(tied.total.value(), census("{}").total.value() - kTable);
  EXPECT_EQ(tied.multiplied.value(), census("{}").multiplied.value());
}

TEST(ModelTables, FamiliesTieByDefaultAndTheConfigWins) {
  EXPECT_EQ(part(census(R"({"model_type": "gemma"})"), Part::lm_head), 0);
  EXPECT_EQ(part(census(R"({"model_type": "gemma", "tie_word_embeddings": false})"), Part::lm_head), kTable);
}

TEST(ModelTables, LearnedPositionsAreATable) {
  EXPECT_EQ(part(census(R"({"model_type": "gpt2"})"), Part::position), 4096 * 64);
  EXPECT_EQ(part(census(R"({"model_type": "opt"})"), Part::position), (4096 + 2) * 64);
  EXPECT_EQ(part(census("{}"), Part::position), 0);
}

TEST(ModelTables, AProjectedEmbeddingIsNarrowerThanTheModel) {
  const Census c = census(R"({"model_type": "opt", "word_embed_proj_dim": 16})");
  EXPECT_EQ(part(c, Part::embed), 1000 * 16);
  EXPECT_EQ(part(c, Part::embed_projection), 2 * 16 * 64);
}

TEST(ModelTables, NormsAreCountedPerLayerAndOnceAtTheEnd) {
  EXPECT_EQ(part(census("{}"), Part::norm), 4 * 2 * 64 + 64);
  EXPECT_EQ(part(census(R"({"model_type": "gemma2"})"), Part::norm), 4 * 4 * 64 + 64);
  EXPECT_EQ(part(census(R"({"model_type": "phi"})"), Part::norm), 4 * 1 * 128 + 128);
  EXPECT_EQ(part(census(R"({"model_type": "olmo"})"), Part::norm), 0);
}

TEST(ModelTables, MlpsAreGatedOrPlainWithOrWithoutBias) {
  EXPECT_EQ(part(census("{}"), Part::mlp), 4 * 3 * 64 * 256);
  EXPECT_EQ(part(census(R"({"mlp_bias": true})"), Part::mlp), 4 * (3 * 64 * 256 + 2 * 256 + 64));
  EXPECT_EQ(part(census(R"({"model_type": "gpt_neox"})"), Part::mlp), 4 * (2 * 64 * 256 + 256 + 64));
  EXPECT_EQ(part(census(R"({"model_type": "nemotron"})"), Part::mlp), 4 * (2 * 64 * 256));
}

TEST(ModelTables, QwenOneStatesTwiceTheWidth) { EXPECT_EQ(part(census(R"({"model_type": "qwen"})"), Part::mlp), 4 * 3 * 64 * 128); }

TEST(ModelTables, AHeadMayHaveABias) { EXPECT_EQ(part(census(R"({"model_type": "phi"})"), Part::lm_head), kTable + 1000); }

TEST(ModelTables, RolesAndPartsSumToTheTotal) {
  for (const std::string& id : test::supported_models()) {
    const Census c = census_of(test::model(id));
    Count by_part{};
    for (const Count count : c.parts) by_part += count;
    const Count by_role = c.linear + c.expert + c.head + c.table + c.router + c.vector;
    EXPECT_EQ(by_part.value(), c.total.value()) << id;
    EXPECT_EQ(by_role.value(), c.total.value()) << id;
    EXPECT_LE(c.active.value(), c.total.value()) << id;
  }
}

TEST(ModelTables, PredictionLayersAreExtraNotPartOfTheTotal) {
  const Architecture v3 = test::model("deepseek-v3");
  EXPECT_EQ(census_of(v3).total.value(), 671'026'419'200);
  ASSERT_EQ(v3.extra.size(), 2U);
  EXPECT_EQ(v3.extra[0].name, "mtp");
  EXPECT_EQ(v3.extra[1].parameters.value(), 2LL * 129'280 * 7168);
}

TEST(ModelTables, Llama3_8bByHand) {
  const std::int64_t layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3LL * 4096 * 14336 + 2 * 4096;
  EXPECT_EQ(census_of(test::model("llama-3-8b")).total.value(), 2 * 128'256LL * 4096 + 32 * layer + 4096);
}

TEST(ModelTables, SizesBeyondReasonAreRefused) {
  const auto result = read_architecture(
      test::fields(small_config(R"({"hidden_size": 4194304, "intermediate_size": 4194304, "num_hidden_layers": 8192, "num_attention_heads": 64})")));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().code, "model_too_large");
  EXPECT_NE(result.failure().hint, "");
}

TEST(ModelTables, AConfigWithoutModelTypeIsNotGuessed) {
  const auto result = read_architecture(test::fields(R"({"hidden_size": 64})"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().code, "config_no_model_type");
}

TEST(ModelTables, AnUnknownFamilyIsNotGuessed) {
  const auto result = read_architecture(test::fields(small_config(R"({"model_type": "quantumformer"})")));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().code, "unsupported_architecture");
  EXPECT_NE(result.failure().message.find("quantumformer"), std::string::npos);
}

TEST(ModelTables, EachRequiredFieldIsMissed) {
  const char* const required[] = {"hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"};
  for (const std::string field : required) {
    const auto result = read_architecture(test::fields(small_config("{\"" + field + "\": null}")));
    ASSERT_FALSE(result) << field;
    EXPECT_EQ(result.failure().code, "config_missing_field") << field;
    EXPECT_EQ(result.failure().path, "/model/config/" + field);
  }
}

TEST(ModelTables, AGatedModelNeedsItsMlpWidth) {
  const auto result = read_architecture(test::fields(small_config(R"({"intermediate_size": null})")));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.failure().code, "config_missing_field");
}

}  // namespace
}  // namespace rigsizer
