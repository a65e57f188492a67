#include "fuzz/entry.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rigsizer::fuzz::must_be_sound(rigsizer::fuzz::engine().validate(rigsizer::fuzz::text_of(data, size)));
  return 0;
}
