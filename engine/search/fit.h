// Whether a job fits one machine, how it is best laid out there, and if not, why not.
#pragma once

#include <optional>
#include <vector>

#include "memory/lines.h"
#include "memory/model_sizes.h"
#include "memory/training.h"
#include "search/shape.h"

namespace rigsizer {

enum class Verdict { fits, tight, lacking, unsuitable, unknown };

/// Memory of one accelerator under one layout.
struct LayoutMemory {
  Layout layout;
  BandedLines lines;
  PeakMoment moment = PeakMoment::loss;
  double limit_bytes = 0;  ///< the most the lines may sum up to: the card, or what a serving engine keeps within
};

struct Fit {
  Verdict verdict = Verdict::unknown;
  std::optional<LayoutMemory> memory;  ///< of the layout chosen, or of the one that comes closest
  std::vector<Reason> reasons;         ///< why not, or why only just
  std::vector<Remark> notes;           ///< true of this hardware and job whatever the price
};

LayoutMemory layout_memory(const ModelSizes& sizes, const Job& job, const Layout& layout, const MemoryCalibration& calibration,
                           const CardTraits& card = {});

/// Of one accelerator of the shape.
CardTraits card_traits(const Catalog& catalog, const Shape& shape);

/// Layouts worth trying, the one with least communication first.
/// Serving: replicas x tensor parallel t for each t that divides both the machine and the heads; with engines that spread layers
/// over cards in turn, replicas x cards for each number of cards that divides the machine.
/// Training: data parallel with whole copies, then fully sharded.
std::vector<Layout> layouts_for(const ModelSizes& sizes, const Job& job, int accelerators);

/// First layout that fits; else the first that is tight; else the one that lacks least.
Fit fit_shape(const Catalog& catalog, const ModelSizes& sizes, const Job& job, const Shape& shape);

/// high end within `usable_bytes`: fits; value within: tight; else lacking.
Verdict verdict_of(Band needed, double usable_bytes);

}  // namespace rigsizer
