// Which stored formats a serving engine reads, and which cache formats it keeps. What an engine converts on loading counts as
// read: bitsandbytes in vLLM, GGUF in llama.cpp from a file of that type.
//
// Sources: the engines' documentation of quantisation and of --kv-cache-dtype, --quant-policy, -ctk and -ctv (2026).
#pragma once

#include "memory/engine.h"
#include "memory/kv_format.h"
#include "memory/weight_format.h"

namespace rigsizer {

bool reads(ServingEngine engine, const WeightFormat& format);
bool caches(ServingEngine engine, KvFormat format);

/// The one that people use for the format: llama.cpp for GGUF, exllamav2 for EXL2, transformers for what is no decoder, else
/// vLLM.
ServingEngine usual_engine(const Architecture& model, const WeightFormat& format);
/// 16 bits, in the float that the weights have.
KvFormat usual_cache(ServingEngine engine, const WeightFormat& format);

}  // namespace rigsizer
