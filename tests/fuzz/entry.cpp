#include "fuzz/entry.h"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "reference/small_catalog.h"

namespace rigsizer::fuzz {
namespace {

[[noreturn]] void unsound(const char* why, const std::string& answer) {
  std::fprintf(stderr, "unsound answer, %s: %.500s\n", why, answer.c_str());
  std::abort();
}

}  // namespace

const Engine& engine() {
  static const Engine engine{test::small_bundle().dump()};
  return engine;
}

void must_be_sound(const std::string& answer) {
  const nlohmann::json parsed = nlohmann::json::parse(answer, nullptr, false);
  if (!parsed.is_object()) unsound("not a JSON object", answer);
  const auto error = parsed.find("error");
  if (error == parsed.end()) return;
  for (const char* const part : {"code", "path", "message", "hint"}) {
    if (!error->contains(part) || !(*error)[part].is_string()) unsound(part, answer);
  }
  for (const char* const part : {"code", "message", "hint"}) {
    if ((*error)[part].get_ref<const std::string&>().empty()) unsound(part, answer);
  }
}

}  // namespace rigsizer::fuzz
