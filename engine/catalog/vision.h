// A vision network as catalog/vision.json lists it: sizes only, at one input.
#pragma once

#include <optional>
#include <string>

namespace rigsizer {

struct VisionNetwork {
  std::string id, name, input_px, source;
  double parameters = 0;
  std::optional<double> macs;         ///< multiply-adds of one image
  std::optional<double> activations;  ///< outputs of convolutions and linears, of one image
};

}  // namespace rigsizer
