// The engine for JavaScript: one class, JSON text in and out. Types: rigsizer.d.ts.
#include <emscripten/bind.h>

#include <string>

#include "api/engine.h"

namespace {

using rigsizer::Engine;

std::string plan(const Engine& engine, const std::string& request) { return engine.plan(request); }
std::string offers(const Engine& engine, const std::string& request) { return engine.offers(request); }
std::string estimate(const Engine& engine, const std::string& request) { return engine.estimate(request); }
std::string describe(const Engine& engine, const std::string& request) { return engine.describe(request); }
#ifndef RIGSIZER_PAGE
std::string validate(const Engine& engine, const std::string& request) { return engine.validate(request); }
#endif
Engine* create(const std::string& catalog) { return new Engine{catalog}; }

}  // namespace

EMSCRIPTEN_BINDINGS(rigsizer) {
  emscripten::class_<Engine>("Engine")
      .constructor(&create, emscripten::allow_raw_pointers())
      .function("plan", &plan)
      .function("offers", &offers)
      .function("estimate", &estimate)
      .function("describe", &describe)
#ifndef RIGSIZER_PAGE
      .function("validate", &validate)
#endif
      .function("catalog", &Engine::catalog);
}
