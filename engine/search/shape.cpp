#include "search/shape.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "quantity/units.h"

namespace rigsizer {

void set_usable_memory(const Catalog& catalog, Shape& shape, std::optional<double> memory_gib) {
  std::optional<double> least;
  bool measured = true;
  for (const int candidate : shape.candidates) {
    const Accelerator& card = catalog.accelerators[static_cast<std::size_t>(candidate)];
    std::optional<double> usable = card.usable_gib;
    if (!usable && card.memory_gib) {
      usable = *card.memory_gib * catalog.usable_share;
      measured = false;
    }
    if (!usable) continue;
    // A slice is sold by its memory; the card's own loss is shared in proportion.
    if (shape.count > 0 && shape.count < 1 && memory_gib && card.memory_gib) usable = *usable * *memory_gib / *card.memory_gib;
    if (!least || *usable < *least) least = usable;
  }
  if (!least && memory_gib) {  // a card nobody describes, sold by its memory
    least = *memory_gib * catalog.usable_share;
    measured = false;
  }
  if (!least) return;
  shape.usable_bytes = *least * kGib;
  shape.usable_is_measured = measured;
}

Shape shape_of(const Catalog& catalog, int accelerator, int count) {
  const Accelerator& card = catalog.accelerators[static_cast<std::size_t>(accelerator)];
  Shape shape{.candidates = {accelerator}, .label = card.id, .count = static_cast<double>(count)};
  shape.interconnect = count == 1 ? "none" : card.nvlink_gb_per_s.value_or(0) > 0 ? "NVLink" : "PCIe";
  set_usable_memory(catalog, shape, card.memory_gib);
  return shape;
}

ShapeIndex index_shapes(const Catalog& catalog) {
  using Key = std::tuple<std::vector<int>, std::string, double, double, std::string>;
  std::map<Key, int> known;
  ShapeIndex index;
  for (const Offer& offer : catalog.offers) {
    const Key key{offer.accelerators, offer.label, offer.count, offer.memory_gib.value_or(0), offer.interconnect};
    const auto [at, added] = known.emplace(key, static_cast<int>(index.shapes.size()));
    if (added) {
      Shape shape{.candidates = offer.accelerators, .label = offer.label, .count = offer.count, .interconnect = offer.interconnect};
      set_usable_memory(catalog, shape, offer.memory_gib);
      index.shapes.push_back(std::move(shape));
    }
    index.of_offer.push_back(at->second);
  }
  return index;
}

}  // namespace rigsizer
