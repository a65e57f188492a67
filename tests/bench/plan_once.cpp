// One plan over the whole catalog, for counting instructions: plan_once CATALOG.json N plans N times.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "api/engine.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream file{argv[1], std::ios::binary};
  std::ostringstream text;
  text << file.rdbuf();
  const rigsizer::Engine engine{text.str()};
  std::size_t bytes = 0;
  for (int i = std::atoi(argv[2]); i > 0; --i) bytes = engine.plan(R"({"model":"llama-3-70b","task":"serve","filter":{"max_count":8}})").size();
  std::printf("%zu\n", bytes);
  return 0;
}
