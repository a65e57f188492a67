// Every model of tests/golden/models.json: counts of published checkpoints, computed apart from this engine.
#include <gtest/gtest.h>

#include <set>

#include "model/census.h"
#include "model/family.h"
#include "model/reader.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::Json;

const Json& golden() {
  static const Json models = Json::parse(test::read_source("tests/golden/models.json"));
  return models;
}

/// Encoders and encoder-decoders are out of this version's scope.
const std::set<std::string> kEncoders{"bert",       "mpnet",      "xlm-roberta", "roberta", "albert", "electra",
                                      "distilbert", "deberta-v2", "modernbert",  "t5",      "mt5",    "bart"};

std::string model_type(const ModelEntry& entry) {
  const auto found = entry.config.find("model_type");
  return found == entry.config.end() ? "" : std::get<std::string>(found->second);
}

bool must_be_supported(const ModelEntry& entry) {
  return (entry.modality == "text" || entry.modality == "embedding") && !kEncoders.contains(model_type(entry));
}

/// The golden figure for tables leaves out padding rows or positions where positions are learned.
bool embedding_is_comparable(const Architecture& model) { return census_of(model).parts.at(static_cast<std::size_t>(Part::position)).value() == 0; }

void expect_parts(const std::string& id, const Json& expected, const Census& census) {
  std::set<std::string> known;
  for (int i = 0; i < kPartCount; ++i) {
    const std::string name{name_of(static_cast<Part>(i))};
    known.insert(name);
    EXPECT_EQ(census.parts.at(static_cast<std::size_t>(i)).value(), expected.value(name, std::int64_t{0})) << id << " part " << name;
  }
  for (const auto& [name, count] : expected.items()) EXPECT_TRUE(known.contains(name)) << id << " has a part " << name << " of " << count;
}

void expect_cache(const std::string& id, const Json& expected, const Census& census) {
  EXPECT_EQ(2 * census.kv_elements_per_token, expected.value("kv_bytes_per_token_16bit", 0.0)) << id;
  EXPECT_EQ(census.state_bytes, expected.value("state_bytes_per_sequence", std::int64_t{0})) << id;
  Json windowed = Json::array();
  for (const WindowedKv& kv : census.kv_windowed) windowed.push_back({{"bytes_per_token", 2 * kv.elements_per_token}, {"window", kv.window}});
  EXPECT_EQ(windowed, expected.value("kv_windowed_16bit", Json::array())) << id;
}

void expect_extra(const std::string& id, const Json& expected, const Architecture& model) {
  Json extra = Json::object();
  for (const ExtraPart& part : model.extra) extra[part.name] = part.parameters.value();
  EXPECT_EQ(extra, expected.value("extra", Json::object())) << id;
}

TEST(ModelGolden, CoversEveryModelOfTheCatalog) {
  for (const ModelEntry& entry : test::catalog().models) EXPECT_TRUE(golden().contains(entry.id)) << entry.id;
  EXPECT_GE(golden().size(), 435U);
}

TEST(ModelGolden, SupportedModelsAreExact) {
  int compared = 0;
  for (const auto& [id, expected] : golden().items()) {
    const ModelEntry* entry = test::catalog().model(id);
    ASSERT_NE(entry, nullptr) << id;
    const Result<Architecture> architecture = read_architecture(entry->config);
    if (!architecture) continue;
    const Census census = census_of(*architecture);
    EXPECT_EQ(census.total.value(), expected["total"].get<std::int64_t>()) << id;
    EXPECT_EQ(census.active.value(), expected["active"].get<std::int64_t>()) << id;
    if (embedding_is_comparable(*architecture)) {
      EXPECT_EQ(census.embedding.value(), expected["embedding"].get<std::int64_t>()) << id;
    }
    if (expected.contains("parts")) expect_parts(id, expected["parts"], census);
    expect_cache(id, expected, census);
    expect_extra(id, expected, *architecture);
    ++compared;
  }
  std::printf("golden models compared: %d of %zu\n", compared, golden().size());
  EXPECT_GE(compared, 289);
}

TEST(ModelGolden, DecoderLanguageModelsAreAllSupported) {
  for (const ModelEntry& entry : test::catalog().models) {
    if (!must_be_supported(entry)) continue;
    const Result<Architecture> architecture = read_architecture(entry.config);
    EXPECT_TRUE(architecture) << entry.id << ": " << (architecture ? "" : architecture.failure().message);
  }
}

TEST(ModelGolden, OtherModelsAreRefusedWithAHintAndNeverGuessed) {
  int refused = 0;
  for (const ModelEntry& entry : test::catalog().models) {
    const Result<Architecture> architecture = read_architecture(entry.config);
    if (architecture) continue;
    ++refused;
    const std::string code = architecture.failure().code;
    EXPECT_TRUE(code == "unsupported_architecture" || code == "unsupported_part")
        << entry.id << ": " << code << " " << architecture.failure().message;
    EXPECT_NE(architecture.failure().hint, "") << entry.id;
    EXPECT_NE(architecture.failure().path, "") << entry.id;
    const Json answer = Json::parse(test::engine().describe(R"({"model": ")" + entry.id + "\"}"));
    EXPECT_EQ(answer["error"]["code"], code) << entry.id;
    EXPECT_EQ(answer.size(), 1U) << entry.id;
  }
  std::printf("models refused: %d\n", refused);
}

TEST(ModelGolden, EncodersNeverPassForDecoders) {
  for (const ModelEntry& entry : test::catalog().models) {
    if (kEncoders.contains(model_type(entry))) {
      EXPECT_FALSE(read_architecture(entry.config)) << entry.id;
    }
  }
}

}  // namespace
}  // namespace rigsizer
