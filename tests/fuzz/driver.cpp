// Runs a fuzz entry point without libFuzzer: every corpus file, then seeded mutations of them.
//
//   fuzz_plan [-runs=N] [-seed=N] CORPUS...
//
// The same mutations on every machine, so a failure repeats; the input that was running is kept in crash-input.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/entry.h"
#include "reference/random_jobs.h"

namespace {

using rigsizer::test::Random;

std::string current;  // NOLINT: read by the signal handler

void keep_input(int signal) {
  if (std::FILE* file = std::fopen("crash-input", "wb")) {
    std::fwrite(current.data(), 1, current.size(), file);
    std::fclose(file);
  }
  std::fprintf(stderr, "signal %d; the input is in crash-input (%zu bytes)\n", signal, current.size());
  std::_Exit(1);
}

void run(std::string input) {
  current = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

/// What tends to break readers of numbers and text.
const std::vector<std::string>& tokens() {
  static const std::vector<std::string> all{"null",
                                            "true",
                                            "-1",
                                            "0",
                                            "1e308",
                                            "1e999",
                                            "-0.0",
                                            "9223372036854775807",
                                            "9223372036854775808",
                                            "0.5",
                                            "NaN",
                                            "\"\"",
                                            "[]",
                                            "{}",
                                            "[[",
                                            "{\"\":",
                                            "\\u0000",
                                            "\\ud800",
                                            "\xff",
                                            "\"a\"",
                                            ",",
                                            ":",
                                            "}",
                                            "]",
                                            "1e-320",
                                            "4096",
                                            "65536",
                                            "2147483648",
                                            "\"layer_types\":[\"sliding_attention\"]",
                                            "\"num_hidden_layers\":8192",
                                            "\"num_key_value_heads\":3",
                                            "\"sliding_window\":1",
                                            "\"model_type\":\"deepseek_v3\"",
                                            "\"model_type\":\"nemotron_h\""};
  return all;
}

std::string mutated(std::string text, const std::vector<std::string>& corpus, Random& random) {
  const std::size_t changes = 1 + random.below(6);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t at = random.below(text.size() + 1);
    switch (random.below(8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 1: text.insert(at, 1, static_cast<char>(random.below(256))); break;
      case 2: text.erase(at, 1 + random.below(8)); break;
      case 3: text.insert(at, random.of(tokens())); break;
      case 4: {  // replace a number or word
        std::size_t end = at;
        while (end < text.size() && std::strchr(",:]}[{", text[end]) == nullptr) ++end;
        text.replace(at, end - at, random.of(tokens()));
        break;
      }
      case 5: {  // copy a stretch somewhere else
        const std::string piece = text.substr(at, random.below(40));
        text.insert(random.below(text.size() + 1), piece);
        break;
      }
      case 6: {  // splice with another seed
        const std::string& other = random.of(corpus);
        text = text.substr(0, at) + other.substr(std::min(other.size(), random.below(other.size() + 1)));
        break;
      }
      default: text.resize(at); break;
    }
  }
  return text;
}

void read_into(std::vector<std::string>& corpus, const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator{path}) files.push_back(entry.path());
    std::sort(files.begin(), files.end());  // folders list in any order
  } else {
    files.push_back(path);
  }
  for (const auto& file : files) {
    std::ifstream in{file, std::ios::binary};
    std::ostringstream text;
    text << in.rdbuf();
    corpus.push_back(text.str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t runs = 2000;
  std::uint64_t seed = 1;
  std::vector<std::string> corpus;
  for (int i = 1; i < argc; ++i) {
    const std::string option{argv[i]};
    if (option.starts_with("-runs=")) {
      runs = std::strtoull(option.c_str() + 6, nullptr, 10);
    } else if (option.starts_with("-seed=")) {
      seed = std::strtoull(option.c_str() + 6, nullptr, 10);
    } else {
      read_into(corpus, option);
    }
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "no corpus given\n");
    return 2;
  }
  std::signal(SIGABRT, keep_input);
  std::signal(SIGSEGV, keep_input);
  for (const std::string& seed_file : corpus) run(seed_file);
  Random random{seed};
  for (std::uint64_t i = 0; i < runs; ++i) run(mutated(random.of(corpus), corpus, random));
  std::printf("%zu corpus files and %llu mutations were answered soundly\n", corpus.size(), static_cast<unsigned long long>(runs));
  return 0;
}
