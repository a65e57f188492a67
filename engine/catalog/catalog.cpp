#include "catalog/catalog.h"

#include <algorithm>
#include <charconv>

namespace rigsizer {
namespace {

/// Major and minor of "8.9" as 89; 0 where it is not a CUDA capability.
int cuda_capability(const Accelerator& accelerator) {
  if (!accelerator.is_nvidia()) return 0;
  const std::string& text = accelerator.compute_capability;
  int major = 0;
  int minor = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, major);
  if (parsed.ec == std::errc{} && parsed.ptr != end && *parsed.ptr == '.') std::from_chars(parsed.ptr + 1, end, minor);
  return major * 10 + minor;
}

}  // namespace

bool Accelerator::has_bf16() const { return is_nvidia() ? cuda_capability(*this) >= 80 : bf16_tflops.has_value(); }
bool Accelerator::has_fp16() const {
  // Pascal's P40 multiplies fp16 at a 64th of its fp32 rate; its column is empty for that reason.
  return is_nvidia() ? cuda_capability(*this) >= 70 || fp16_tflops.has_value() : fp16_tflops.has_value() || bf16_tflops.has_value();
}
bool Accelerator::has_fp8() const { return is_nvidia() ? cuda_capability(*this) >= 89 : fp8_tflops.has_value(); }
bool Accelerator::has_fp4() const { return is_nvidia() ? cuda_capability(*this) >= 100 : fp4_tflops.has_value(); }
bool Accelerator::has_weight_only_fp8() const { return cuda_capability(*this) >= 80; }

const ModelEntry* Catalog::model(std::string_view id) const {
  const auto found = std::find_if(models.begin(), models.end(), [&](const ModelEntry& entry) { return entry.id == id; });
  return found == models.end() ? nullptr : &*found;
}

const Accelerator* Catalog::accelerator(std::string_view id) const {
  const auto found = std::find_if(accelerators.begin(), accelerators.end(), [&](const Accelerator& entry) { return entry.id == id; });
  return found == accelerators.end() ? nullptr : &*found;
}

const Constant* Catalog::constant(std::string_view name) const {
  const auto found = std::find_if(constants.begin(), constants.end(), [&](const Constant& entry) { return entry.name == name; });
  return found == constants.end() ? nullptr : &*found;
}

}  // namespace rigsizer
