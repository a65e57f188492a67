// Layers of a model, assembled from the blocks its family and config name.
#pragma once

#include <vector>

#include "model/architecture.h"
#include "model/dimensions.h"
#include "model/layer_plan.h"

namespace rigsizer {

/// One layer of a kind. Problems go to `config`.
Layer make_layer(FieldReader& config, const Dimensions& dimensions, const LayerKind& kind);

/// All layers, equal ones together, in the order in which their kinds first stand.
std::vector<LayerGroup> make_layers(FieldReader& config, const Dimensions& dimensions);

}  // namespace rigsizer
