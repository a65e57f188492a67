#include "api/request.h"

#include <algorithm>
#include <cmath>

#include "api/names.h"
#include "catalog/json_fields.h"
#include "memory/engine_formats.h"
#include "memory/pool.h"
#include "model/reader.h"

namespace rigsizer {
namespace {

constexpr std::string_view kCode = "request";
constexpr double kMostTokens = 1e9;
constexpr double kMostSequences = 1e6;

template <class T, std::size_t N>
T choose(JsonReader& in, std::string_view name, T fallback, const names::Choices<T, N>& choices) {
  if (!in.has(name)) return fallback;
  const std::string word = in.text_or(name, "");
  std::string known;
  std::vector<std::string_view> all;
  for (const auto& [choice, value] : choices) {
    if (choice == word) return value;
    all.push_back(choice);
    known += (known.empty() ? "" : ", ") + std::string{choice};
  }
  const std::string near = nearest_word(word, all);
  in.fail(name, "choice", in.path(name) + " cannot be \"" + word.substr(0, 80) + "\".",
          (near.empty() ? "" : "Did you mean " + near + "? ") + "Choices: " + known + ".", {{"value", word.substr(0, 80)}, {"nearest", near}});
  return fallback;
}

WeightFormat weight_format(JsonReader& in, std::string_view name, const WeightFormat& fallback) {
  if (!in.has(name)) return fallback;
  const std::string word = in.text_or(name, "");
  if (const auto format = parse_weight_format(word)) return *format;
  std::string known;
  std::vector<std::string_view> all;
  for (const std::string& one : weight_format_names()) {
    all.push_back(one);
    known += (known.empty() ? "" : ", ") + one;
  }
  const std::string near = nearest_word(word, all);
  in.fail(name, "choice", in.path(name) + " cannot be \"" + word.substr(0, 80) + "\".",
          (near.empty() ? "" : "Did you mean " + near + "? ") + "Choices: " + known +
              "; awq, gptq and w4a16 also with a group size (gptq4:g32), gptq with act-order (gptq4:g128-act), exl2 with its bits (exl2:4.0bpw).",
          {{"value", word.substr(0, 80)}, {"nearest", near}});
  return fallback;
}

/// Reads settings and records the defaults it filled in.
class Settings {
 public:
  Settings(JsonReader reader, std::vector<Assumption>& assumed) : in{std::move(reader)}, assumed_{assumed} {}

  void weights(std::string_view name, WeightFormat& value, std::string why) {
    if (!in.has(name)) assumed_.push_back({in.path(name), name_of(value), std::move(why)});
    value = weight_format(in, name, value);
  }
  template <class T, std::size_t N>
  void choice(std::string_view name, T& value, const names::Choices<T, N>& choices, std::string why = "default") {
    if (!in.has(name)) assumed_.push_back({in.path(name), std::string{names::of(choices, value)}, std::move(why)});
    value = choose(in, name, value, choices);
  }
  void whole(std::string_view name, double& value, double low, double high, std::string why = "default") {
    if (!in.has(name)) assumed_.push_back({in.path(name), value, std::move(why)});
    value = in.whole_or(name, value, low, high);
  }

  JsonReader in;

 private:
  std::vector<Assumption>& assumed_;
};

Failure unknown_model(const Catalog& catalog, const std::string& id) {
  std::vector<std::string_view> ids;
  for (const ModelEntry& entry : catalog.models) ids.push_back(entry.id);
  const std::string near = nearest_word(id, ids);
  return {.code = "unknown_model",
          .path = "/model",
          .message = "The catalog has no model \"" + id.substr(0, 120) + "\".",
          .hint = (near.empty() ? "" : "Did you mean " + near + "? ") + "Or give its config.json as {\"config\": {...}}.",
          .values = {{"model", id.substr(0, 120)}, {"nearest", near}}};
}

}  // namespace

Failure no_estimate(const Architecture& model) {
  return {.code = "unsupported_task",
          .path = "/model",
          .message = "The parameters of \"" + model.model_type +
                     "\" are known; what it needs at work is not answered yet, as its work is not counted in tokens.",
          .hint = "describe gives its parameters.",
          .values = {{"model_type", model.model_type}}};
}

namespace {

Result<ResolvedModel> resolve(const Catalog& catalog, const Json& request) {
  const auto given = request.find("model");
  ResolvedModel model;
  Fields pasted;
  const Fields* fields = &pasted;
  if (given != request.end() && given->is_string()) {
    model.entry = catalog.model(given->get_ref<const std::string&>());
    if (model.entry == nullptr) return unknown_model(catalog, given->get<std::string>());
    fields = &model.entry->config;
  } else if (given != request.end() && given->is_object() && given->contains("config_text") && (*given)["config_text"].is_string()) {
    Result<Json> config = parse_json(without_python_constants((*given)["config_text"].get<std::string>()), "config", "The config");
    if (!config) {
      Failure failure = config.failure();
      failure.path = "/model/config_text";
      return failure;
    }
    pasted = fields_of(*config);
  } else if (given != request.end() && given->is_object() && given->contains("config")) {
    pasted = fields_of((*given)["config"]);
  } else {
    return Failure{.code = "request_field",
                   .path = "/model",
                   .message = "The request names no model.",
                   .hint = "Give a catalog id such as \"llama-3-8b\", or {\"config\": {...}} with the fields of a config.json.",
                   .values = {{"field", std::string{"model"}}}};
  }
  Result<Architecture> architecture = read_architecture(*fields);
  if (!architecture) return architecture.failure();
  model.architecture = std::move(architecture.value());
  model.census = census_of(model.architecture);
  model.sizes = sizes_of(model.architecture);
  return model;
}

/// Nothing for a published format that cannot be served as such yet.
std::optional<WeightFormat> published_weights(const std::string& format) {
  if (format == "fp16") return WeightFormat::fp16;
  if (format == "fp8") return WeightFormat::fp8;
  if (format == "mxfp4") return WeightFormat::mxfp4;
  if (format == "awq") return WeightFormat::int4;
  if (format == "gptq") return WeightFormat::gptq4;
  if (format == "bitsandbytes") return WeightFormat::nf4;
  if (format.empty() || format == "bf16" || format == "fp32") return WeightFormat::bf16;
  return std::nullopt;
}

/// Defaults of these depend on the card, so they are said with each answer, not here.
void read_engine_settings(Settings& s, ServingJob& job) {
  for (const char* const name : {"memory_fraction", "max_batched_tokens", "max_sequences"}) {
    if (!s.in.has(name) || has_pool(job.engine)) continue;
    s.in.fail(name, "unknown_field", s.in.path(name) + " has no meaning for " + std::string{names::of(names::engine, job.engine)} + ".",
              "Leave it out: this engine takes what it needs and reserves no pool.");
  }
  job.settings.memory_fraction = s.in.optional_number("memory_fraction", 0.01, 1).value_or(0);
  job.settings.chunk_tokens = s.in.whole_or("max_batched_tokens", 0, 1, kMostTokens);
  job.settings.profiled_sequences = s.in.whole_or("max_sequences", 0, 1, kMostSequences);
}

/// "0.8", "0.10.2", "2025-05" for llama.cpp. Left out: the newest.
void read_version(Settings& s, ServingJob& job) {
  const std::string text = s.in.text_or("engine_version", "");
  const std::string_view name = names::of(names::engine, job.engine);
  const auto named = text.empty() ? std::nullopt : engine_named(name, text);
  if (!text.empty() && !named->version_known) {
    s.in.fail("engine_version", "field", s.in.path("engine_version") + " \"" + text.substr(0, 40) + "\" is no version of " + std::string{name} + ".",
              "Write it as 0.8.5; for llama.cpp, whose builds are numbered by day, as a date like 2025-05. Leave it out for the newest.");
  }
  job.behaviour = named ? named->behaviour : behaviour_of(job.engine, std::nullopt);
}

void refuse_unread(Settings& s, const ServingJob& job, const WeightFormat& format) {
  const std::string engine{names::of(names::engine, job.engine)};
  if (!reads(job.engine, format)) {
    s.in.fail("weight_format", "engine_format", engine + " does not read weights in " + name_of(format) + ".",
              "Take another format or engine: GGUF goes with llama.cpp and ollama, EXL2 with exllamav2.",
              {{"engine", engine}, {"format", name_of(format)}});
  }
  if (!caches(job.engine, job.kv_format)) {
    const std::string cache{names::of(names::kv_format, job.kv_format)};
    s.in.fail("kv_format", "engine_format", engine + " does not keep its cache in " + cache + ".",
              "q8_0 and its kin are llama.cpp's, fp8 is vLLM's, SGLang's and TensorRT-LLM's, int8 LMDeploy's and TensorRT-LLM's.",
              {{"engine", engine}, {"format", cache}});
  }
}

WeightFormat read_serving(Settings& s, const Architecture& model, ServingJob& job) {
  s.in.only({"engine", "engine_version", "weight_format", "kv_format", "context_tokens", "concurrency", "memory_fraction", "max_batched_tokens",
             "max_sequences"});
  const std::optional<WeightFormat> published = published_weights(model.published_format);
  WeightFormat format = published.value_or(WeightFormat::bf16);
  std::string why = published ? "published_format" : "published_format_unknown";
  if (s.in.has("engine")) {
    s.choice("engine", job.engine, names::engine);
    if (!reads(job.engine, format)) {  // every engine reads 16-bit floats
      format = WeightFormat::bf16;
      why = "engine_reads";
    }
    s.weights("weight_format", format, std::move(why));
  } else {
    s.weights("weight_format", format, std::move(why));
    job.engine = usual_engine(model, format);
    s.choice("engine", job.engine, names::engine, "usual_engine");
  }
  read_version(s, job);
  job.kv_format = usual_cache(job.engine, format);
  s.choice("kv_format", job.kv_format, names::kv_format);
  refuse_unread(s, job, format);
  const auto maximum = static_cast<double>(model.max_context_tokens);
  const bool shorter = maximum > 0 && maximum < job.context_tokens;
  if (shorter) job.context_tokens = maximum;
  s.whole("context_tokens", job.context_tokens, 1, kMostTokens, shorter ? "model_maximum" : "default");
  s.whole("concurrency", job.concurrency, 1, kMostSequences);
  read_engine_settings(s, job);
  return format;
}

void read_training(Settings& s, const Architecture& model, Task task, TrainingJob& job) {
  if (task == Task::full) {
    s.in.only({"precision", "optimizer", "micro_batch", "sequence_tokens", "accumulation_steps", "recompute", "loss", "sharding"});
  } else {
    s.in.only({"precision", "optimizer", "micro_batch", "sequence_tokens", "accumulation_steps", "recompute", "loss", "sharding", "lora_rank",
               "lora_targets"});
  }
  s.choice("precision", job.precision, names::precision);
  s.choice("optimizer", job.optimizer, names::optimizer);
  s.whole("micro_batch", job.micro_batch, 1, kMostSequences);
  const auto maximum = static_cast<double>(model.max_context_tokens);
  const bool shorter = maximum > 0 && maximum < job.sequence_tokens;
  if (shorter) job.sequence_tokens = maximum;
  s.whole("sequence_tokens", job.sequence_tokens, 1, kMostTokens, shorter ? "model_maximum" : "default");
  s.whole("accumulation_steps", job.accumulation_steps, 1, kMostSequences);
  s.choice("recompute", job.recompute, names::recompute);
  s.choice("loss", job.loss, names::loss);
  s.choice("sharding", job.sharding, names::sharding);
  if (task == Task::full) return;
  s.whole("lora_rank", job.lora_rank, 1, 65536);
  s.choice("lora_targets", job.lora_targets, names::lora_targets);
}

Result<WorkloadRequest> read_workload(const Catalog& catalog, const Json& request, JsonReader& in) {
  WorkloadRequest workload;
  if (in.whole_or("version", 1, 0, 1e6) != 1)
    in.fail("version", "version", "This engine reads request version 1.", "Leave version out or set it to 1.");
  if (!in.has("task")) in.fail("task", "field", "/task is missing.", "Say what to do with the model: serve, full, lora or qlora.");
  workload.job.task = choose(in, "task", Task::serve, names::task);
  if (in.errors().first()) return *in.errors().first();
  Result<ResolvedModel> model = resolve(catalog, request);
  if (!model) return model.failure();
  workload.model = std::move(model.value());
  if (!workload.model.architecture.takes_sequences()) return no_estimate(workload.model.architecture);
  const std::string_view other = workload.job.task == Task::serve ? "train" : "serve";
  if (in.has(other)) {
    in.fail(other, "unknown_field", "/" + std::string{other} + " has no meaning for this task.",
            "Leave it out: settings that would be ignored are refused.");
  }
  Settings serving{in.object("serve"), workload.assumed};
  Settings training{in.object("train"), workload.assumed};
  if (workload.job.task == Task::serve) {
    const WeightFormat format = read_serving(serving, workload.model.architecture, workload.job.serving);
    workload.model.sizes.weights = weight_bytes(workload.model.architecture, format);
  } else {
    read_training(training, workload.model.architecture, workload.job.task, workload.job.training);
  }
  if (in.errors().first()) return *in.errors().first();
  return workload;
}

/// A name that nothing in the catalog has would leave out everything without a word.
void check_names(JsonReader& in, std::string_view field, const std::vector<std::string>& names, const std::vector<std::string_view>& known) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest_word(name, known);
    in.fail(field, "choice", in.path(field) + " names \"" + name.substr(0, 80) + "\", which is not in the catalog.",
            near.empty() ? "Names are those of the catalog, to the letter." : "Did you mean " + near + "?",
            {{"value", name.substr(0, 80)}, {"nearest", near}});
  }
}

void read_filter(const Catalog& catalog, JsonReader in, Filter& filter) {
  in.only({"providers", "provider_kinds", "vendors", "min_count", "max_count", "whole_accelerators_only", "max_price_per_h"});
  filter.providers = in.words("providers");
  filter.provider_kinds = in.words("provider_kinds");
  filter.vendors = in.words("vendors");
  std::vector<std::string_view> names;
  std::vector<std::string_view> kinds;
  for (const Provider& provider : catalog.providers) {
    names.push_back(provider.name);
    kinds.push_back(provider.kind);
  }
  std::vector<std::string_view> vendors;
  for (const Accelerator& card : catalog.accelerators) vendors.push_back(card.vendor);
  check_names(in, "providers", filter.providers, names);
  check_names(in, "provider_kinds", filter.provider_kinds, kinds);
  check_names(in, "vendors", filter.vendors, vendors);
  if (const auto least = in.optional_number("min_count", 0, 4096)) filter.min_count = *least;
  if (const auto most = in.optional_number("max_count", 0, 4096)) filter.max_count = *most;
  filter.whole_accelerators_only = in.flag_or("whole_accelerators_only", false);
  if (filter.min_count > filter.max_count) {
    in.fail("min_count", "range", in.path("min_count") + " is above max_count, so no machine could be left.", "Swap the two or leave one out.",
            {{"low", filter.min_count}, {"high", filter.max_count}});
  }
  filter.max_price_per_h = in.optional_number("max_price_per_h", 0, 1e9);
}

/// The catalog's rates, overridden by the request's.
void read_rates(const Catalog& catalog, JsonReader in, Rates& rates, std::vector<ExchangeRate>& used) {
  in.only({"USD", "CNY", "EUR"});
  for (const Currency currency : kCurrencies) {
    if (currency == Currency::usd) continue;
    std::optional<ExchangeRate> rate;
    for (const ExchangeRate& known : catalog.exchange_rates) {
      if (known.from == Currency::usd && known.to == currency) rate = known;
    }
    if (const auto own = in.optional_number(name_of(currency), 1e-6, 1e6)) rate = {Currency::usd, currency, *own, "", "request"};
    if (!rate) continue;
    rates.set(currency, rate->rate);
    used.push_back(std::move(*rate));
  }
}

/// What prices depend on, common to plans and to lists of offers.
void read_pricing(const Catalog& catalog, JsonReader& in, PlanQuery& query, std::vector<ExchangeRate>& rates_used) {
  read_filter(catalog, in.object("filter"), query.filter);
  query.term = choose(in, "term", Term::on_demand, names::term);
  query.currency = choose(in, "currency", Currency::usd, names::currency);
  read_rates(catalog, in.object("exchange_rates"), query.rates, rates_used);
  const std::string today = in.text_or("today", "");
  if (today.empty()) return;
  query.today = day_number(today);
  if (!query.today) in.fail("today", "field", "/today must be a date.", "Write it as 2026-12-01.");
}

Result<Json> parse_request(std::string_view text) { return parse_json(text, kCode, "The request"); }

}  // namespace

Result<PlanRequest> read_plan_request(const Catalog& catalog, std::string_view text) {
  const Result<Json> parsed = parse_request(text);
  if (!parsed) return parsed.failure();
  JsonErrors errors;
  JsonReader in{*parsed, "", kCode, errors};
  in.only({"version", "model", "task", "serve", "train", "filter", "term", "currency", "exchange_rates", "today", "select"});
  Result<WorkloadRequest> workload = read_workload(catalog, *parsed, in);
  if (!workload) return workload.failure();

  PlanRequest request{.workload = std::move(workload.value())};
  PlanQuery& query = request.query;
  query.job = request.workload.job;
  read_pricing(catalog, in, query, request.rates_used);
  query.select = in.text_or("select", "");
  if (errors.first()) return *errors.first();
  return request;
}

Result<OffersRequest> read_offers_request(const Catalog& catalog, std::string_view text) {
  const Result<Json> parsed = parse_request(text);
  if (!parsed) return parsed.failure();
  JsonErrors errors;
  JsonReader in{*parsed, "", kCode, errors};
  in.only({"version", "filter", "term", "currency", "exchange_rates", "today"});
  OffersRequest request;
  read_pricing(catalog, in, request.query, request.rates_used);
  if (errors.first()) return *errors.first();
  return request;
}

Result<EstimateRequest> read_estimate_request(const Catalog& catalog, std::string_view text) {
  const Result<Json> parsed = parse_request(text);
  if (!parsed) return parsed.failure();
  JsonErrors errors;
  JsonReader in{*parsed, "", kCode, errors};
  in.only({"version", "model", "task", "serve", "train", "accelerator", "count"});
  Result<WorkloadRequest> workload = read_workload(catalog, *parsed, in);
  if (!workload) return workload.failure();

  EstimateRequest request{.workload = std::move(workload.value())};
  const std::string id = in.text("accelerator");
  request.count = static_cast<int>(in.whole_or("count", 1, 1, 1024));
  if (errors.first()) return *errors.first();
  const Accelerator* card = catalog.accelerator(id);
  if (card == nullptr) {
    std::vector<std::string_view> ids;
    for (const Accelerator& known : catalog.accelerators) ids.push_back(known.id);
    const std::string near = nearest_word(id, ids);
    return Failure{.code = "unknown_accelerator",
                   .path = "/accelerator",
                   .message = "The catalog has no accelerator \"" + id.substr(0, 120) + "\".",
                   .hint = near.empty() ? "See the accelerators of the catalog for the known ids." : "Did you mean " + near + "?",
                   .values = {{"accelerator", id.substr(0, 120)}, {"nearest", near}}};
  }
  request.accelerator = static_cast<int>(card - catalog.accelerators.data());
  return request;
}

Result<DescribeRequest> read_describe_request(const Catalog& catalog, std::string_view text) {
  const Result<Json> parsed = parse_request(text);
  if (!parsed) return parsed.failure();
  JsonErrors errors;
  JsonReader in{*parsed, "", kCode, errors};
  in.only({"model", "contexts"});
  if (errors.first()) return *errors.first();
  Result<ResolvedModel> model = resolve(catalog, *parsed);
  if (!model) return model.failure();

  DescribeRequest request{.model = std::move(model.value())};
  const auto maximum = static_cast<double>(request.model.architecture.max_context_tokens);
  if (const Json* contexts = in.find("contexts"); contexts != nullptr) {
    const bool good = contexts->is_array() && contexts->size() <= 1000 && std::all_of(contexts->begin(), contexts->end(), [](const Json& item) {
                        return item.is_number() && item.get<double>() >= 1 && item.get<double>() <= kMostTokens &&
                               item.get<double>() == std::floor(item.get<double>());
                      });
    if (!good)
      in.fail("contexts", "field", "/contexts must be a list of up to 1000 whole token counts from 1 to 1e9.", "For example [4096, 131072].");
    if (errors.first()) return *errors.first();
    request.contexts = contexts->get<std::vector<double>>();
    return request;
  }
  for (const double context : {1.0, 4096.0, 8192.0, 32768.0, 131072.0}) {
    if (maximum == 0 || context <= maximum) request.contexts.push_back(context);
  }
  return request;
}

}  // namespace rigsizer
