// A row of tests/measured/train.csv as a job, and the prediction of its peak beside the measured one.
//
// What a cell says is taken as it stands; what a run needs and no cell says makes the row a skipped one. `notes` is read for
// facts in words that have no column: the shape of a model that is in no catalog ("28 layers, hidden 3072, ..."), lengths that
// vary, a checkpointing rule, micro-batches a local batch is split into.
#pragma once

#include <vector>

#include "catalog/catalog.h"
#include "memory/training.h"
#include "validate/row.h"

namespace rigsizer {

/// What a memory figure counts.
enum class Measure : std::uint8_t {
  allocated,  ///< tensors
  reserved,   ///< what the allocator holds
  device,     ///< the process as the driver sees it
};

struct TrainingCase {
  Task task = Task::full;
  TrainingJob job;
  Layout layout;
  ModelSizes sizes;
  Measure measure = Measure::device;
  double usable_bytes = 0;  ///< of the card; 0: not known
};

/// Failure codes: row_unstated (a cell the prediction needs is empty), row_unsupported (ours).
Result<TrainingCase> training_case(const Catalog& catalog, const Row& row);

/// The peak as measured figures count it. The allocator gives back what it holds before it fails, so what is reserved does not
/// go beyond the card as long as what is allocated fits.
Band predicted_peak(const TrainingCase& wanted, const MemoryCalibration& calibration);

std::vector<Comparison> compare_training(const Catalog& catalog, const Row& row);

}  // namespace rigsizer
