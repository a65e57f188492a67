#include "validate/speed_row.h"

#include <array>

namespace rigsizer {
namespace {

using Figure = std::pair<const char*, const char*>;
constexpr std::array<Figure, 4> kTrainingFigures{{{"measured_tokens_per_s_per_gpu", "tokens_per_s"},
                                                  {"measured_samples_per_s", "samples_per_s"},
                                                  {"measured_step_s", "step_s"},
                                                  {"measured_mfu", "mfu"}}};
constexpr std::array<Figure, 4> kServingFigures{{{"measured_prefill_tok_s", "prefill_tokens_per_s"},
                                                 {"measured_decode_tok_s", "decode_tokens_per_s"},
                                                 {"measured_total_tok_s", "throughput_tokens_per_s"},
                                                 {"measured_requests_s", "requests_per_s"}}};

}  // namespace

std::vector<Comparison> compare_speed(const Row& row, bool training) {
  std::vector<Comparison> all;
  for (const Figure& figure : training ? kTrainingFigures : kServingFigures) {
    const auto measured = row.number(figure.first);
    if (!measured) continue;
    all.push_back(comparison_of(row, figure.second, *measured));
    all.back().skip(unsupported("speed is not predicted yet"));
  }
  return all;
}

}  // namespace rigsizer
