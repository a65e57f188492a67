#include "reference/test_data.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "catalog/json_fields.h"
#include "model/family.h"
#include "model/reader.h"

namespace rigsizer::test {
namespace {

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "test data: %s\n", why.c_str());
  std::exit(3);
}

std::string from_environment(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

}  // namespace

std::string read_file(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) stop("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string read_source(const std::string& path) { return read_file(from_environment("RIGSIZER_TEST_DATA", RIGSIZER_TEST_DATA) + "/" + path); }

const std::string& catalog_text() {
  static const std::string text = read_file(from_environment("RIGSIZER_TEST_CATALOG", RIGSIZER_TEST_CATALOG));
  return text;
}

const Catalog& catalog() {
  static const Result<Catalog> parsed = parse_catalog(catalog_text());
  if (!parsed) stop("the catalog: " + parsed.failure().path + ": " + parsed.failure().message);
  return *parsed;
}

const Engine& engine() {
  static const Engine engine{catalog_text()};
  return engine;
}

Fields fields(std::string_view config_text) {
  const Json config = Json::parse(config_text, nullptr, false);
  if (config.is_discarded()) stop("not JSON: " + std::string{config_text});
  return fields_of(config);
}

Architecture architecture(std::string_view config_text) {
  const Result<Architecture> result = read_architecture(fields(config_text));
  if (!result) stop(result.failure().code + " " + result.failure().path + ": " + result.failure().message);
  return *result;
}

Architecture model(std::string_view id) {
  const ModelEntry* entry = catalog().model(id);
  if (entry == nullptr) stop("the catalog has no model " + std::string{id});
  const Result<Architecture> result = read_architecture(entry->config);
  if (!result) stop(std::string{id} + ": " + result.failure().message);
  return *result;
}

ModelSizes sizes(std::string_view id, const WeightFormat& format) { return sizes_of(model(id), format); }

const std::vector<std::string>& supported_models() {
  static const std::vector<std::string> ids = [] {
    std::vector<std::string> found;
    for (const ModelEntry& entry : catalog().models) {
      const Result<Architecture> read = read_architecture(entry.config);
      if (read && read->takes_sequences()) found.push_back(entry.id);
    }
    return found;
  }();
  return ids;
}

std::string small_config(std::string_view more) {
  Json config = Json::parse(R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 8,
                                "intermediate_size": 256, "vocab_size": 1000, "max_position_embeddings": 4096})");
  const Json extra = Json::parse(more, nullptr, false);
  if (extra.is_discarded()) stop("not JSON: " + std::string{more});
  config.update(extra);
  const Family* family = family_of(config["model_type"].get<std::string>());
  if (family != nullptr && family->head_dim_stated && !extra.contains("head_dim")) config["head_dim"] = 8;
  return config.dump();
}

std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace rigsizer::test
