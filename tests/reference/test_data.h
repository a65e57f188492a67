// Data that tests share: the built catalog, golden files, models by id, configs written inline.
//
// The source folder and the catalog are compiled in; RIGSIZER_TEST_DATA and RIGSIZER_TEST_CATALOG in the environment win.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/engine.h"
#include "catalog/catalog.h"
#include "memory/model_sizes.h"
#include "model/architecture.h"
#include "model/fields.h"
#include "quantity/failure.h"

namespace rigsizer::test {

using Json = nlohmann::json;

/// Text of a file; `path` is relative to the source folder. Ends the program with a message when it is missing.
std::string read_source(const std::string& path);
std::string read_file(const std::string& path);

/// The catalog bundle: its text, parsed, and an engine over it. Each is made once.
const std::string& catalog_text();
const Catalog& catalog();
const Engine& engine();

/// Fields of a config.json written inline.
Fields fields(std::string_view config_text);
/// Architecture of a config.json written inline, or of a catalog model; ends the program where there is none.
Architecture architecture(std::string_view config_text);
Architecture model(std::string_view id);
ModelSizes sizes(std::string_view id, const WeightFormat& format = WeightFormat::bf16);
/// Ids of the catalog models the engine supports, in catalog order.
const std::vector<std::string>& supported_models();

/// A Llama-style config with `more` put over it, for instance R"({"num_key_value_heads": 2})".
/// 4 layers, hidden 64, 8 heads of 8 (stated for families that must), MLP 256, vocabulary 1000, context 4096, untied.
std::string small_config(std::string_view more = "{}");

/// Index of a row: split("a,b") -> {"a", "b"}; quoted CSV cells may hold commas.
std::vector<std::string> split_csv(const std::string& line);

}  // namespace rigsizer::test
