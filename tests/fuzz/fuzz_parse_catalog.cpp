#include "catalog/catalog.h"
#include "fuzz/entry.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const rigsizer::Engine engine{rigsizer::fuzz::text_of(data, size)};
  rigsizer::fuzz::must_be_sound(engine.catalog());
  rigsizer::fuzz::must_be_sound(engine.plan(R"({"model":"tiny","task":"serve"})"));
  rigsizer::fuzz::must_be_sound(engine.plan(R"({"model":"tiny","task":"full","currency":"CNY","today":"2026-12-01"})"));
  return 0;
}
