#include "memory/capacity.h"

#include <algorithm>
#include <cmath>

#include "memory/llama_cpp.h"
#include "memory/serving_plain.h"

namespace rigsizer {
namespace {

/// Fractions people type have two or three digits; finer than this no engine can be told.
constexpr double kFractionStep = 1e-4;

/// The most of 1, 2, ... `most` that `fits`; 0 where not even 1 does. More never fits where less did not.
template <class Fits>
double most_that(double most, Fits fits) {
  double good = 0, bad = most + 1;
  while (bad - good > 1) {
    const double middle = std::floor((good + bad) / 2);
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

/// Sequences beyond those profiled wait (vLLM's max_num_seqs, TensorRT-LLM's max_batch_size).
bool schedules_at_most_profiled(ServingEngine engine) { return engine == ServingEngine::vllm || engine == ServingEngine::tensorrt_llm; }

/// No request asks for more sequences.
constexpr double kMostSequences = 1e6;

}  // namespace

double cache_bytes(const Pool& pool, double context_tokens, double sequences) {
  return sequences * pool.cost.sequence_bytes(std::ceil(context_tokens / pool.block_tokens) * pool.block_tokens);
}

double cached_tokens(const Pool& pool, double longest_tokens) {
  const CacheCost& cost = pool.cost;
  if (pool.bytes <= 0) return 0;
  if (cost.windowed.empty() && cost.state_bytes == 0 && cost.source_bytes == 0)
    return std::floor(pool.bytes / (pool.block_tokens * cost.full_bytes_per_token)) * pool.block_tokens;
  return std::floor(pool.bytes / cache_bytes(pool, longest_tokens, 1) * longest_tokens);
}

std::optional<double> least_fraction(const Architecture& model, const Server& server, double context_tokens, const MemoryConstants& constants,
                                     double sequences) {
  if (!has_pool(server.engine)) return std::nullopt;
  const auto fits = [&](double fraction) {
    Server tried = server;
    tried.settings.memory_fraction = fraction;
    const Pool pool = serving_pool(model, tried, constants);
    return cache_bytes(pool, context_tokens, sequences) <= pool.bytes;
  };
  if (!fits(1)) return std::nullopt;
  double low = 0, high = 1;
  while (high - low > kFractionStep) {
    const double middle = (low + high) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

ServingCapacity serving_capacity(const ModelSizes& sizes, const ServingJob& job, const Layout& layout, const MemoryConstants& constants,
                                 const CardTraits& card) {
  const ServingTerms terms = serving_terms(sizes, job, layout, constants, card);
  const bool pooled = has_pool(job.engine);
  ServingJob bare = job;
  bare.settings.profiled_sequences = terms.sequences;
  const ServingTerms needed = serving_terms(sizes, bare, layout, constants, card);
  const auto fits = [&](double context_tokens, double sequences) {
    ServingJob tried = job;
    tried.context_tokens = context_tokens;
    tried.concurrency = sequences * layout.data_parallel;
    const ServingTerms its = serving_terms(sizes, tried, layout, constants, card);
    const MemoryLines lines = serving_lines(its);
    return lines.total() <= serving_limit_bytes(its, lines);
  };
  const double longest = std::max(static_cast<double>(sizes.architecture.max_context_tokens), job.context_tokens);
  const double most = schedules_at_most_profiled(job.engine) ? terms.server.settings.profiled_sequences : kMostSequences;

  ServingCapacity capacity;
  capacity.needed_bytes = serving_lines(needed).total() - (pooled ? needed.pool.graphs_bytes : 0);
  capacity.reserved_bytes = pooled ? terms.pool.reserved_bytes : capacity.needed_bytes;
  capacity.longest_context_tokens = most_that(longest, [&](double tokens) { return fits(tokens, terms.sequences); });
  capacity.highest_concurrency = most_that(most, [&](double sequences) { return fits(job.context_tokens, sequences); });
  if (!pooled) return capacity;
  capacity.pool_bytes = std::max(0.0, terms.pool.bytes);
  capacity.cached_tokens = cached_tokens(terms.pool, terms.context_tokens);
  capacity.least_fraction = least_fraction(sizes.architecture, terms.server, terms.context_tokens, constants, terms.sequences);
  return capacity;
}

}  // namespace rigsizer
