// Writes the tests' small catalog to a file: the seed of the catalog fuzzer.
#include <fstream>

#include "reference/small_catalog.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ofstream file{argv[1], std::ios::binary};
  file << rigsizer::test::small_bundle().dump() << '\n';
  return file ? 0 : 1;
}
