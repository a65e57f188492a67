// Every model of tests/golden/models.json: counts of published checkpoints, computed apart from this engine.
#include <gtest/gtest.h>

#include "model/census.h"
#include "model/reader.h"
#include "reference/test_data.h"

namespace rigsizer {
namespace {

using test::Json;

const Json& golden() {
  static const Json models = Json::parse(test::read_source("tests/golden/models.json"));
  return models;
}

/// The golden figure for a decoder's tables leaves out padding rows or positions where positions are learned.
bool embedding_is_comparable(const Architecture& model) {
  return model.kind == Architecture::Kind::encoder_decoder || census_of(model).parts.at(static_cast<std::size_t>(Part::position)).value() == 0;
}

/// Tables as published. An encoder's include the norm behind them.
std::int64_t embedding_of(const Architecture& model) {
  Count embedding = census_of(model).embedding;
  for (const Tensor& tensor : model.model_tensors) {
    if (model.kind == Architecture::Kind::encoder && tensor.part == Part::embed && tensor.role == Role::vector) embedding += tensor.size();
  }
  return embedding.value();
}

std::int64_t part_named(const std::string& name, const Architecture& model, const Census& census) {
  if (name == "layers") {  // blocks, and the norm behind the last where no other part has it
    Count sum{};
    for (const LayerGroup& group : model.groups) {
      for (const Tensor& tensor : group.layer.tensors) sum += tensor.size() * (group.shared ? 1 : group.count);
    }
    for (const Tensor& tensor : model.model_tensors) {
      if (tensor.part == Part::norm && model.model_type != "modernbert") sum += tensor.size();
    }
    return sum.value();
  }
  if (name == "norm" && model.model_type == "modernbert") return 2 * model.hidden;  // those that are in no layer
  for (int i = 0; i < kPartCount; ++i) {
    if (name_of(static_cast<Part>(i)) == (name == "merge" ? "down" : name)) return census.parts.at(static_cast<std::size_t>(i)).value();
  }
  return -1;
}

void expect_parts(const std::string& id, const Json& expected, const Architecture& model, const Census& census) {
  for (const auto& [name, count] : expected.items()) EXPECT_EQ(part_named(name, model, census), count) << id << " part " << name;
  if (model.kind != Architecture::Kind::decoder) return;  // others name sums of our parts
  for (int i = 0; i < kPartCount; ++i) {
    const std::string name{name_of(static_cast<Part>(i))};
    EXPECT_EQ(census.parts.at(static_cast<std::size_t>(i)).value(), expected.value(name, std::int64_t{0})) << id << " part " << name;
  }
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

TEST(ModelGolden, EveryModelIsExact) {
  int compared = 0;
  for (const auto& [id, expected] : golden().items()) {
    const ModelEntry* entry = test::catalog().model(id);
    ASSERT_NE(entry, nullptr) << id;
    const Result<Architecture> architecture = read_architecture(entry->config);
    ASSERT_TRUE(architecture) << id << ": " << architecture.failure().message;
    const Census census = census_of(*architecture);
    EXPECT_EQ(census.total.value(), expected["total"].get<std::int64_t>()) << id;
    EXPECT_EQ(census.active.value(), expected["active"].get<std::int64_t>()) << id;
    if (embedding_is_comparable(*architecture)) {
      EXPECT_EQ(embedding_of(*architecture), expected["embedding"].get<std::int64_t>()) << id;
    }
    if (expected.contains("parts")) expect_parts(id, expected["parts"], *architecture, census);
    expect_cache(id, expected, census);
    expect_extra(id, expected, *architecture);
    ++compared;
  }
  EXPECT_GE(compared, 435);
}

TEST(ModelGolden, KindsFollowTheModality) {
  for (const ModelEntry& entry : test::catalog().models) {
    const Result<Architecture> architecture = read_architecture(entry.config);
    ASSERT_TRUE(architecture) << entry.id;
    const bool caches = census_of(*architecture).kv_elements_per_token > 0;
    switch (architecture->kind) {
      case Architecture::Kind::decoder: break;  // state-space models cache nothing per token
      case Architecture::Kind::encoder_decoder: EXPECT_TRUE(caches) << entry.id; break;
      default: EXPECT_FALSE(caches) << entry.id;
    }
    if (architecture->takes_sequences()) continue;
    const Json answer = Json::parse(test::engine().estimate(R"({"task": "serve", "accelerator": "H100-SXM", "model": ")" + entry.id + "\"}"));
    EXPECT_EQ(answer["error"]["code"], "unsupported_task") << entry.id;
    EXPECT_FALSE(Json::parse(test::engine().describe(R"({"model": ")" + entry.id + "\"}")).contains("error")) << entry.id;
  }
}

}  // namespace
}  // namespace rigsizer
