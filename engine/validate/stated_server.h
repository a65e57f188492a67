// The server a row of tests/measured/infer.csv describes, as settings of memory/.
//
// Columns are taken as they stand; of `notes` only facts in words that have no column are read:
//   "ubatch 2048", "flash_attn 1", "mla mode 3", "attn_max_b 512"   llama.cpp's options (the cap in MiB)
//   "compute buffers MiB: 2096/2502"                                one device each, the first measured
//   "max_num_seqs 16", "16384 batched tokens"                       vLLM's options
//   "all 36 layers", "decode-context-parallel 8", "of one worker"   how a pool was counted
#pragma once

#include "catalog/catalog.h"
#include "memory/llama_cpp.h"
#include "memory/pool.h"
#include "validate/row.h"

namespace rigsizer {

struct StatedServer {
  Server server;
  double longest_tokens = 0;  ///< configured maximum length; 0: neither the row nor the model says
  bool card_known = false;
  bool of_worker = false;  ///< the pool printed is that of a rank that does not sample
};

/// Failure codes row_unstated and row_unsupported. Weights are left 0.
Result<StatedServer> stated_server(const Catalog& catalog, const Row& row, const Architecture& model);

/// Of the measured device: the first of those listed.
Result<LlamaGraph> stated_graph(const Row& row, const StatedServer& stated, const Architecture& model);

}  // namespace rigsizer
