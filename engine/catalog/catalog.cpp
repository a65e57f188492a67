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

Support known(bool there) { return there ? Support::yes : Support::no; }
Support published(const std::optional<double>& rate) { return rate ? Support::yes : Support::unknown; }

}  // namespace

Support Accelerator::bf16() const { return is_nvidia() ? known(cuda_capability(*this) >= 80) : published(bf16_tflops); }
// Pascal's P40 multiplies fp16 at a 64th of its fp32 rate; its column is empty for that reason.
Support Accelerator::fp16() const { return is_nvidia() ? known(cuda_capability(*this) >= 70 || fp16_tflops.has_value()) : published(fp16_tflops); }
Support Accelerator::fp8() const { return is_nvidia() ? known(cuda_capability(*this) >= 89) : published(fp8_tflops); }
Support Accelerator::fp4() const { return is_nvidia() ? known(cuda_capability(*this) >= 100) : published(fp4_tflops); }
bool Accelerator::has_weight_only_floats() const { return cuda_capability(*this) >= 80; }

CardTraits Accelerator::serving_traits() const {
  const int capability = cuda_capability(*this);
  return {.is_ampere_server = capability == 80, .is_hopper_server = capability == 90 || capability == 100 || capability == 103};
}

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
