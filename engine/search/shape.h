// Distinct hardware among offers: same accelerator, number, memory and link. Each is computed once, offers share it.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "memory/job.h"
#include "quantity/band.h"
#include "search/message.h"

namespace rigsizer {

struct Shape {
  std::vector<int> candidates;  ///< accelerator indices; the first stands for them
  std::string label;
  double count = 0;
  std::string interconnect;
  std::optional<double> usable_bytes;  ///< of one accelerator or slice; the least of the candidates
  bool usable_is_measured = false;
};

/// Shapes of the catalog's offers and, per offer, the index of its shape.
struct ShapeIndex {
  std::vector<Shape> shapes;
  std::vector<int> of_offer;
};

ShapeIndex index_shapes(const Catalog& catalog);

/// `count` accelerators of one kind in one machine, linked as the maker's boards are.
Shape shape_of(const Catalog& catalog, int accelerator, int count);

/// What programs can allocate of it: the published reading, else the marketed size times catalog.usable_share.
/// A slice gets its share of the card.
void set_usable_memory(const Catalog& catalog, Shape& shape, std::optional<double> memory_gib);

}  // namespace rigsizer
