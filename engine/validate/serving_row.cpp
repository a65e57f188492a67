#include "validate/serving_row.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "memory/serving_plain.h"
#include "model/census.h"
#include "quantity/units.h"
#include "validate/stated_format.h"
#include "validate/stated_shape.h"

namespace rigsizer {
namespace {

bool starts(const std::string& text, std::string_view with) { return text.rfind(with, 0) == 0; }

/// Bytes of one cached value.
std::optional<double> cache_bytes_of(const std::string& stated) {
  const std::string name = starts(stated, "MLA latent ") ? stated.substr(11) : stated;
  const auto formats = name.empty() ? KvFormats{} : parse_kv_format(name);
  if (!formats) return std::nullopt;
  return formats->bytes_per_element();
}

/// "file 4.578 bits/weight" of llama.cpp's logs.
std::optional<double> stated_bits(const std::string& notes) {
  const std::size_t end = notes.find(" bits/weight");
  const std::size_t begin = notes.rfind("file ", end);
  if (end == std::string::npos || begin == std::string::npos) return std::nullopt;
  return std::strtod(notes.c_str() + begin + 5, nullptr);
}

enum class Family { paged, llama, plain, other };
Family family_of(const std::string& engine) {
  if (engine == "vllm" || engine == "sglang" || engine == "tgi") return Family::paged;
  if (engine == "llama.cpp" || engine == "ik_llama.cpp" || engine == "ollama" || engine == "ollama/llama.cpp") return Family::llama;
  if (engine == "transformers" || engine == "autoawq" || engine == "litgpt" || engine == "exllama") return Family::plain;
  return Family::other;
}

constexpr std::array<std::pair<const char*, const char*>, 4> kFigures{{{"measured_total_gib", "memory_gib"},
                                                                       {"measured_weights_gib", "weights_gib"},
                                                                       {"measured_kv_gib", "kv_gib"},
                                                                       {"measured_kv_tokens", "kv_tokens"}}};

class ServingPrediction {
 public:
  ServingPrediction(const Catalog& catalog, const Row& row) : catalog_{catalog}, row_{row}, family_{family_of(row.text("engine"))} {}

  void fill(Comparison& one) const {
    one.kind = std::string{kEstimateKindNames[static_cast<std::size_t>(kind())]};
    if (row_.text("engine") == "diffusers" || row_.text("engine") == "reference code")
      return one.skip(unsupported("not a language model: estimated as media"));
    const Result<Architecture> shape = stated_shape(catalog_, row_);
    if (!shape) return one.skip(shape.failure());
    if (one.metric == "weights_gib") {
      weights(one, *shape);
    } else if (one.metric == "memory_gib") {
      total(one, *shape);
    } else {
      cache(one, *shape);
    }
  }

 private:
  [[nodiscard]] EstimateKind kind() const {
    if (family_ == Family::llama) return EstimateKind::serve_llama_cpp;
    return family_ == Family::plain ? EstimateKind::serve_plain : EstimateKind::serve_paged;
  }
  [[nodiscard]] BandedLines banded(const MemoryLines& lines) const { return {lines, catalog_.memory.of(kind())}; }
  static void predict_gib(Comparison& one, const Band& bytes) { one.predicted = Band{bytes.value / kGib, bytes.low / kGib, bytes.high / kGib}; }

  [[nodiscard]] int ranks() const { return static_cast<int>(row_.number("tp").value_or(1)); }
  [[nodiscard]] const MemoryConstants& constants() const { return catalog_.memory.value; }

  /// Nothing, and why, where the row's format is not known.
  std::optional<WeightFormat> format(Comparison& one) const {
    const auto known = stated_format(row_.text("weight_format"));
    if (!known) {
      one.skip(row_.has("weight_format") ? unsupported("the weight format " + row_.text("weight_format") + " is not known")
                                         : unstated("weight_format is not stated"));
    }
    return known;
  }

  void weights(Comparison& one, const Architecture& model) const {
    auto stored = format(one);
    if (!stored) return;
    if (stored->scheme == WeightScheme::gguf) {
      const double least = info(info(stored->gguf).base).bits_per_weight();
      if (const auto file = stated_bits(row_.text("notes")); file && *file < least) {
        return one.skip(unstated("at fewer bits per weight than its type has, the file is a mix whose types are not stated"));
      }
      stored->unties = counts_its_table_twice(model);
    }
    Shard shard{.tensor_parallel = ranks()};
    if (family_ == Family::llama) {
      shard.tower = false;  // a file of its own; what is stated is the model's file, whichever devices hold it
    } else if (const auto stages = row_.number("pp")) {
      if (!row_.mentions("notes", "pipeline stage 0")) return one.skip(unstated("which stage of the pipeline is not stated"));
      shard.layers = static_cast<int>(static_cast<double>(model.layers) / *stages);
      shard.head = false;
    }
    MemoryLines lines;
    lines[Line::weights] = shard_bytes(weight_bytes(model, *stored), shard);
    predict_gib(one, banded(lines).band(Line::weights));
  }

  /// Logs count what the file holds: a tied model with a head of its own shows as that many more parameters.
  [[nodiscard]] bool counts_its_table_twice(const Architecture& model) const {
    const auto stated = row_.number("params_b");
    if (!model.tied || !stated) return false;
    const double once = census_of(model).total.as_double();
    const double twice = once + static_cast<double>(model.vocabulary) * static_cast<double>(model.table_width);
    return std::abs(*stated * 1e9 - twice) < 0.01 * twice;
  }

  void total(Comparison& one, const Architecture& model) const {
    if (family_ != Family::plain) return one.skip(unsupported("what " + row_.text("engine") + " needs in all is not predicted"));
    ServingJob job;
    const auto prompt = row_.number("input_len");
    if (!prompt) return one.skip(unstated("input_len is not stated"));
    auto stored = format(one);
    if (!stored) return;
    // transformers keeps the tie of GPTQ and AWQ checkpoints.
    if (stored->scheme != WeightScheme::fp8_block) stored->unties = false;
    const ModelSizes sizes = sizes_of(model, *stored);
    job.concurrency = row_.number("batch_or_concurrency").value_or(1);
    job.context_tokens = *prompt + row_.number("output_len").value_or(0);
    job.keeps_prompt_logits = row_.mentions("notes", "prompt logits") && !row_.mentions("notes", "NOT all kept");
    job.eager_attention = row_.text("engine") == "autoawq";
    job.cards_in_turn = static_cast<int>(row_.number("gpu_count").value_or(1));
    // A table read when generation ended does not see what the prompt took.
    job.prompt_tokens = row_.mentions("notes", "peak at end") ? 0 : *prompt;
    MemoryLines lines = plain_serving_lines(sizes, job, constants());
    // PyTorch's own counters do not see the process's context; tools that read the driver do.
    if (row_.text("engine") == "transformers" && !job.keeps_prompt_logits) lines[Line::overhead] = 0;
    predict_gib(one, banded(lines).total());
  }

  void cache(Comparison& one, const Architecture& model) const {
    ModelSizes sizes = sizes_of(model);
    const auto bytes = cache_bytes_of(row_.text("kv_dtype"));
    if (!bytes) return one.skip(unsupported("the cache format " + row_.text("kv_dtype") + " is not known"));
    if (family_ == Family::llama) {
      const auto context = row_.number("max_model_len");
      if (!context || one.metric != "kv_gib") return one.skip(unstated("the context is not stated"));
      // This fork gives windowed layers the whole context; llama.cpp itself cuts them.
      const bool windows = row_.text("engine") != "ik_llama.cpp";
      const double elements = windows ? kv_elements_per_rank(sizes, *context, 1) : kv_elements_all_layers(sizes, *context, 1);
      MemoryLines lines;
      lines[Line::kv_cache] = row_.number("batch_or_concurrency").value_or(1) * elements * *bytes;
      predict_gib(one, banded(lines).total());
      return;
    }
    if (family_ != Family::paged) return one.skip(unsupported("what " + row_.text("engine") + " reserves is not predicted"));
    const double token = kv_elements_all_layers(sizes, 1, ranks()) * *bytes;
    const auto stated_pool = row_.number("measured_kv_gib");
    // Rows give the marketed size where the program's own reading was not printed.
    auto card = row_.number("gpu_mem_gib_reported");
    const Accelerator* known = catalog_.accelerator(row_.text("gpu_id"));
    if (card && known != nullptr && known->usable_gib) card = std::min(*card, *known->usable_gib);
    if (one.measured <= 0) return one.skip(unstated("a negative pool: the server did not start"));
    if (one.metric == "kv_tokens" && stated_pool && !card) {
      one.predicted = Band::exact(whole_blocks(*stated_pool * kGib, token));
      return;
    }
    if (!card) return one.skip(unstated("the card is not stated"));
    const auto stored = format(one);
    if (!stored) return;
    sizes.weights = weight_bytes(model, *stored);
    const ServingJob job;
    const Layout layout{.accelerators = ranks(), .tensor_parallel = ranks()};
    MemoryLines lines = serving_lines(serving_terms(sizes, job, layout, constants()));
    lines[Line::kv_cache] = lines[Line::state] = 0;
    lines[Line::overhead] = constants().serving_context_bytes;  // graphs come on top of the budget
    // What is left of the budget is as uncertain as what was taken from it.
    const double budget = row_.number("gpu_memory_utilization").value_or(0.9) * *card * kGib;
    const Band taken = banded(lines).total();
    const Band pool{budget - taken.value, std::max(0.0, budget - taken.high), budget - taken.low};
    if (one.metric == "kv_gib") return predict_gib(one, pool);
    one.predicted = Band{whole_blocks(pool.value, token), whole_blocks(pool.low, token), whole_blocks(pool.high, token)};
  }

  static double whole_blocks(double bytes, double token_bytes) { return std::floor(bytes / (kKvBlockTokens * token_bytes)) * kKvBlockTokens; }

  const Catalog& catalog_;
  const Row& row_;
  Family family_;
};

}  // namespace

std::vector<Comparison> compare_serving(const Catalog& catalog, const Row& row) {
  std::vector<Comparison> all;
  const ServingPrediction prediction{catalog, row};
  for (const auto& figure : kFigures) {
    const auto measured = row.number(figure.first);
    const std::string metric{figure.second};
    if (!measured || (metric == "memory_gib" && row.text("total_is") != "need")) continue;
    Comparison one = comparison_of(row, metric, *measured);
    prediction.fill(one);
    all.push_back(one);
  }
  return all;
}

}  // namespace rigsizer
