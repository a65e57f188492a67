// The memory formulas once more, slow and obvious: one function per formula, straight from the tensors of an architecture.
//
// Written from the documents the engine cites (vLLM's accounting, Korthikanti et al. 2022, what optimizers store per
// parameter), not from the engine's code, so that the two can disagree. All results are bytes on one accelerator.
#pragma once

#include "memory/constants.h"
#include "memory/job.h"
#include "memory/lines.h"
#include "model/architecture.h"

namespace rigsizer::reference {

/// `format` by one of the names in weight_format_names, other than GGUF types: those are files, see gguf_file_type_test.
MemoryLines serving(const Architecture& model, const std::string& format, const ServingJob& job, const Layout& layout,
                    const MemoryConstants& constants);

/// At the moment that needs most; one copy of the model, unsharded, replicated or fully sharded, with PyTorch's own kernels.
MemoryLines training(const Architecture& model, Task task, const TrainingJob& job, const Layout& layout, const MemoryConstants& constants);

/// KV bytes of one sequence on one tensor-parallel rank, windows applied.
double kv_bytes_of_sequence(const Architecture& model, double context_tokens, int tensor_parallel, double bytes_per_value);

/// Weights a LoRA of this rank trains: r (in + out) over the targeted linears.
double adapter_weights(const Architecture& model, const TrainingJob& job);

}  // namespace rigsizer::reference
