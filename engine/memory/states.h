// Weights, gradients and optimizer state: bytes per parameter by recipe, and how sharding divides them.
//
//   recipe                   weights  gradients  master + moments (AdamW)   sum
//   bf16 mixed               2        4          4 + 8                      18   fused kernels; others hold 2 + 4 of gradients: 20
//   fp16 mixed               2        2          4 + 8                      16   loss scaling keeps gradients in fp16
//   fully sharded mixed      4 / n    4 / n      8 / n                      16 / n: the fp32 shards are the weights
//   autocast over fp32       4 + 2    4          8                          18   + 2: casts kept through the step
//   pure bf16                2        2          4                          8
//   fp32                     4        4          8                          16
// AdamW in 8 bits: 2 moments of 1 + 4/256 bytes; SGD none, with momentum and Lion one moment; Adafactor row and column sums;
// Muon one moment for matrices, AdamW for tables, head and vectors.
// ZeRO stage 1 divides master and moments by the data-parallel degree, stage 2 gradients too, stage 3 (full) weights too.
// Sources: Rajbhandari et al. 2020 (arXiv 1910.02054); pytorch.org documentation of FSDP and torch.optim; Micikevicius et al. 2018.
#pragma once

#include "memory/job.h"
#include "memory/model_sizes.h"

namespace rigsizer {

/// Per trained parameter.
struct StateBytes {
  double weight = 0, cast = 0, gradient = 0, master = 0, moment = 0;
};

StateBytes state_bytes(Precision precision, bool fully_sharded);

/// Bytes per trained parameter of the optimizer's moments, and bytes in all that do not scale so.
struct OptimizerBytes {
  double per_parameter = 0;
  double per_table_parameter = 0;  ///< of tables, head and vectors where they differ from matrices
  double factored = 0;
};
OptimizerBytes optimizer_bytes(Optimizer optimizer, double moment_bytes, double factored_elements);

/// Bits per weight of a frozen base's linears, and whether its other weights are cast up to fp32 on loading.
double base_bits(BaseFormat format);

/// Parts that each kind of state is divided into.
struct ShardDegrees {
  double weights = 1, gradients = 1, optimizer = 1;
};
ShardDegrees shard_degrees(const Layout& layout);

}  // namespace rigsizer
