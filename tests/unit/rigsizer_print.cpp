// Prints the engine's answers: rigsizer_print CATALOG.json REQUEST.json...
//
// A request file holds {"call": "plan" | "estimate" | "describe" | "catalog", "request": {...}}; each answer is one line.
// The determinism test compares these lines with the wasm build's.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "api/engine.h"

namespace {

std::string read(const char* path) {
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  text << file.rdbuf();
  return file ? text.str() : "";
}

std::string answer(const rigsizer::Engine& engine, const nlohmann::json& wanted) {
  const std::string call = wanted.value("call", "");
  const std::string request = wanted.contains("request") ? wanted["request"].dump() : "";
  if (call == "plan") return engine.plan(request);
  if (call == "estimate") return engine.estimate(request);
  if (call == "describe") return engine.describe(request);
  if (call == "catalog") return engine.catalog();
  return "unknown call " + call;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: rigsizer_print CATALOG.json REQUEST.json...\n");
    return 2;
  }
  const rigsizer::Engine engine{read(argv[1])};
  for (int i = 2; i < argc; ++i) {
    const nlohmann::json wanted = nlohmann::json::parse(read(argv[i]), nullptr, false);
    if (!wanted.is_object()) {
      std::fprintf(stderr, "%s is no request file\n", argv[i]);
      return 2;
    }
    std::printf("%s\n", answer(engine, wanted).c_str());
  }
  return 0;
}
