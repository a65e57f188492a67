#include "api/answer_parts.h"

#include "api/names.h"
#include "memory/capacity.h"
#include "model/census.h"
#include "model/reader.h"
#include "quantity/units.h"

namespace rigsizer {
namespace {

Json optional_text(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json support_json(Support support) { return support == Support::unknown ? Json(nullptr) : Json(support == Support::yes); }

Json layout_json(const Layout& layout) {
  return {{"accelerators", layout.accelerators},
          {"tensor_parallel", layout.tensor_parallel},
          {"data_parallel", layout.data_parallel},
          {"sharding", names::of(names::shards, layout.shards)}};
}

Json reasons_json(const std::vector<Reason>& reasons) {
  Json list = Json::array();
  for (const Reason& reason : reasons) list.push_back({{"code", reason.code}, {"values", values_json(reason.values)}});
  return list;
}

}  // namespace

Json values_json(const std::vector<MessageValue>& values) {
  Json json = Json::object();
  for (const MessageValue& value : values) {
    if (const auto* number = std::get_if<double>(&value.value)) {
      json[value.name] = number_json(*number);
    } else {
      json[value.name] = std::get<std::string>(value.value);
    }
  }
  return json;
}

Json remarks_json(const std::vector<Remark>& remarks) {
  Json list = Json::array();
  for (const Remark& remark : remarks) {
    list.push_back({{"code", remark.code}, {"severity", names::of(names::severity, remark.severity)}, {"values", values_json(remark.values)}});
  }
  return list;
}

Json input_json(const Input& input) {
  Json json{{"symbol", input.symbol}, {"value", number_json(input.value)}, {"unit", input.unit}};
  if (!input.source.empty()) json["source"] = input.source;
  return json;
}

Json band_json(Band band) { return {{"value", number_json(band.value)}, {"low", number_json(band.low)}, {"high", number_json(band.high)}}; }

Json workload_json(const WorkloadRequest& workload) {
  const Job& job = workload.job;
  Json json{{"version", 1}, {"task", names::of(names::task, job.task)}};
  json["model"] = workload.model.entry == nullptr ? Json(nullptr) : Json(workload.model.entry->id);
  if (job.task == Task::serve) {
    json["serve"] = {{"engine", names::of(names::engine, job.serving.engine)},
                     {"weight_format", name_of(workload.model.sizes.weights.format)},
                     {"kv_format", names::of(names::kv_format, job.serving.kv_format)},
                     {"context_tokens", number_json(job.serving.context_tokens)},
                     {"concurrency", number_json(job.serving.concurrency)}};
    return json;
  }
  const TrainingJob& train = job.training;
  json["train"] = {{"precision", names::of(names::precision, train.precision)},
                   {"optimizer", names::of(names::optimizer, train.optimizer)},
                   {"micro_batch", number_json(train.micro_batch)},
                   {"sequence_tokens", number_json(train.sequence_tokens)},
                   {"accumulation_steps", number_json(train.accumulation_steps)},
                   {"recompute", names::of(names::recompute, train.recompute)},
                   {"loss", names::of(names::loss, train.loss)},
                   {"sharding", names::of(names::sharding, train.sharding)}};
  if (job.task != Task::full) {
    json["train"]["lora_rank"] = number_json(train.lora_rank);
    json["train"]["lora_targets"] = names::of(names::lora_targets, train.lora_targets);
  }
  return json;
}

Json assumed_json(const std::vector<Assumption>& assumed) {
  Json list = Json::array();
  for (const Assumption& one : assumed) {
    Json value;
    if (const auto* number = std::get_if<double>(&one.value)) {
      value = number_json(*number);
    } else {
      value = std::get<std::string>(one.value);
    }
    list.push_back({{"path", one.path}, {"value", std::move(value)}, {"why", one.why}});
  }
  return list;
}

Json model_json(const ResolvedModel& model) {
  const Census& census = model.census;
  const Architecture& architecture = model.architecture;
  return {{"id", model.entry == nullptr ? Json(nullptr) : Json(model.entry->id)},
          {"name", model.entry == nullptr ? architecture.model_type : model.entry->name},
          {"architecture", architecture.model_type},
          {"parameters", census.total.value()},
          {"active_parameters", census.active.value()},
          {"layers", architecture.layers},
          {"hidden", architecture.hidden},
          {"kv_bytes_per_token_16bit", number_json(2 * census.kv_elements_per_token)},
          {"max_context_tokens", architecture.max_context_tokens > 0 ? Json(architecture.max_context_tokens) : Json(nullptr)},
          {"source", model.source()}};
}

Json shape_json(const Catalog& catalog, const Shape& shape, const Fit& fit) {
  Json candidates = Json::array();
  for (const int candidate : shape.candidates) candidates.push_back(catalog.accelerators[static_cast<std::size_t>(candidate)].id);
  const std::string vendor = shape.candidates.empty() ? "" : catalog.accelerators[static_cast<std::size_t>(shape.candidates.front())].vendor;
  return {{"accelerator", candidates.empty() ? Json(nullptr) : candidates.front()},
          {"candidates", candidates},
          {"label", shape.label},
          {"vendor", vendor},
          {"count", number_json(shape.count)},
          {"interconnect", shape.interconnect},
          {"usable_bytes", number_json(shape.usable_bytes)},
          {"usable_is_measured", shape.usable_is_measured},
          {"verdict", names::of(names::verdict, fit.verdict)},
          {"layout", fit.memory ? layout_json(fit.memory->layout) : Json(nullptr)},
          {"limit_bytes", fit.memory ? number_json(fit.memory->limit_bytes) : Json(nullptr)},
          {"needed_bytes", fit.memory ? band_json(fit.memory->lines.total()) : Json(nullptr)},
          {"reasons", reasons_json(fit.reasons)},
          {"notes", remarks_json(fit.notes)}};
}

/// What an engine makes of one accelerator; null for training.
Json serving_json(const Catalog& catalog, const WorkloadRequest& workload, const Shape& shape, const LayoutMemory& memory) {
  if (workload.job.task != Task::serve) return nullptr;
  const ModelSizes& sizes = workload.model.sizes;
  const ServingJob& job = workload.job.serving;
  const CardTraits card = card_traits(catalog, shape);
  const EngineSettings settings = serving_terms(sizes, job, memory.layout, catalog.memory.value, card).server.settings;
  const ServingCapacity capacity = serving_capacity(sizes, job, memory.layout, catalog.memory.value, card);
  const bool pooled = has_pool(job.engine);
  const auto of_pool = [pooled](double value) { return pooled ? number_json(value) : Json(nullptr); };
  return {{"engine", names::of(names::engine, job.engine)},
          {"memory_fraction", of_pool(settings.memory_fraction)},
          {"max_batched_tokens", of_pool(settings.chunk_tokens)},
          {"max_sequences", of_pool(settings.profiled_sequences)},
          {"needed_bytes", number_json(capacity.needed_bytes)},
          {"reserved_bytes", number_json(capacity.reserved_bytes)},
          {"pool_bytes", of_pool(capacity.pool_bytes)},
          {"cached_tokens", of_pool(capacity.cached_tokens)},
          {"longest_context_tokens", number_json(capacity.longest_context_tokens)},
          {"highest_concurrency", number_json(capacity.highest_concurrency * memory.layout.data_parallel)},
          {"least_memory_fraction", number_json(capacity.least_fraction)}};
}

Json memory_json(const Catalog& catalog, const WorkloadRequest& workload, const Shape& shape, const Fit& fit) {
  if (!fit.memory || !shape.usable_bytes) return nullptr;
  Json lines = Json::array();
  for (const ExplainedLine& line :
       explain_memory(catalog, workload.model.sizes, workload.job, *fit.memory, workload.model.source(), card_traits(catalog, shape))) {
    Json inputs = Json::array();
    for (const Input& input : line.inputs) inputs.push_back(input_json(input));
    lines.push_back({{"id", name_of(line.line)},
                     {"bytes", number_json(line.bytes.value)},
                     {"low", number_json(line.bytes.low)},
                     {"high", number_json(line.bytes.high)},
                     {"formula", line.formula},
                     {"inputs", std::move(inputs)},
                     {"source", line.source}});
  }
  return {{"label", shape.label},
          {"layout", layout_json(fit.memory->layout)},
          {"moment", workload.job.task == Task::serve ? "serving" : names::of(names::moment, fit.memory->moment)},
          {"lines", std::move(lines)},
          {"total", band_json(fit.memory->lines.total())},
          {"usable_bytes", number_json(shape.usable_bytes)},
          {"limit_bytes", number_json(fit.memory->limit_bytes)},
          {"serving", serving_json(catalog, workload, shape, *fit.memory)},
          {"verdict", names::of(names::verdict, fit.verdict)},
          {"reasons", reasons_json(fit.reasons)}};
}

Json model_entry_json(const ModelEntry& entry) {
  const Result<Architecture> architecture = read_architecture(entry.config);
  Json json{{"id", entry.id},
            {"name", entry.name},
            {"family", entry.family},
            {"parameters", number_json(entry.reported_parameters)},
            {"active_parameters", number_json(entry.reported_active)},
            {"modality", entry.modality},
            {"released", entry.released},
            {"license", entry.license},
            {"supported", architecture && architecture->takes_sequences()}};
  if (architecture) {
    const Census census = census_of(*architecture);
    json["parameters"] = census.total.value();
    json["active_parameters"] = census.active.value();
  }
  if (!json["supported"].get<bool>()) {
    const Failure why = architecture ? no_estimate(*architecture) : architecture.failure();
    json["why_not"] = why.message;
    json["why_not_code"] = why.code;
  }
  return json;
}

Json provider_json(const Provider& provider) {
  return {{"name", provider.name},
          {"kind", provider.kind},
          {"website", optional_text(provider.website)},
          {"billing", optional_text(provider.billing)},
          {"strengths", optional_text(provider.strengths)},
          {"weaknesses", optional_text(provider.weaknesses)},
          {"residency", optional_text(provider.residency)},
          {"source", provider.source},
          {"as_of", provider.as_of}};
}

Json accelerator_json(const Accelerator& card) {
  return {{"id", card.id},
          {"vendor", card.vendor},
          {"architecture", card.architecture},
          {"year", card.year},
          {"memory_gb", number_json(card.memory_gib)},
          {"usable_gib", number_json(card.usable_gib)},
          {"bf16", support_json(card.bf16())},
          {"fp8", support_json(card.fp8())},
          {"fp4", support_json(card.fp4())},
          {"nvlink", card.nvlink_gb_per_s.value_or(0) > 0},
          {"source", card.source},
          {"notes", optional_text(card.notes)}};
}

Json offer_json(const Catalog& catalog, const Offer& offer) {
  Json accelerators = Json::array();
  for (const int card : offer.accelerators) accelerators.push_back(catalog.accelerators[static_cast<std::size_t>(card)].id);
  Json json{{"id", offer.id},
            {"provider", catalog.providers[static_cast<std::size_t>(offer.provider)].name},
            {"machine", offer.machine},
            {"region", offer.region},
            {"label", optional_text(offer.label)},
            {"accelerators", std::move(accelerators)},
            {"count", number_json(offer.count)},
            {"memory_gb", number_json(offer.memory_gib)},
            {"interconnect", offer.interconnect},
            {"vcpus", number_json(offer.vcpus)},
            {"ram_gib", number_json(offer.ram_gib)},
            {"local_nvme_gb", number_json(offer.local_nvme_gb)},
            {"network_gbps", number_json(offer.network_gbps)},
            {"currency", offer.price ? Json(name_of(offer.price->currency)) : Json(nullptr)},
            {"as_of", offer.price ? offer.price->as_of : offer.as_of},
            {"source", offer.price ? offer.price->source : offer.source}};
  for (std::size_t i = 0; i < kTermNames.size(); ++i) {
    json[std::string{kTermNames.at(i)}] = offer.price ? number_json(offer.price->amount.at(i)) : Json(nullptr);
  }
  return json;
}

Json source_json(const Source& source) {
  Json json{{"title", source.title}, {"date", source.date}, {"license", source.license}};
  if (!source.url.empty()) json["url"] = source.url;
  if (!source.note.empty()) json["note"] = source.note;
  return json;
}

std::vector<Remark> model_remarks(const ResolvedModel& model) {
  std::vector<Remark> remarks;
  const ModelSizes& sizes = model.sizes;
  if (sizes.has_experts) {
    remarks.push_back(
        {"moe_all_experts_resident", Severity::info, {{"parameters", sizes.total}, {"active_parameters", model.census.active.as_double()}}});
  }
  if (model.architecture.tower_unstated) remarks.push_back({"tower_unstated", Severity::warn, {}});
  if (model.architecture.has_tower) remarks.push_back({"tower_activations_left_out", Severity::warn, {}});
  if (!model.architecture.extra.empty()) {
    double parameters = 0;
    for (const ExtraPart& part : model.architecture.extra) parameters += part.parameters.as_double();
    remarks.push_back({"extra_parts_left_out", Severity::info, {{"parameters", parameters}}});
  }
  return remarks;
}

std::vector<Remark> workload_warnings(const WorkloadRequest& workload) {
  std::vector<Remark> warnings = model_remarks(workload.model);
  const ModelSizes& sizes = workload.model.sizes;
  const Job& job = workload.job;
  const bool serves = job.task == Task::serve;
  const double context = serves ? job.serving.context_tokens : job.training.sequence_tokens;
  const auto maximum = static_cast<double>(workload.model.architecture.max_context_tokens);
  if (maximum > 0 && context > maximum) warnings.push_back({"context_above_max", Severity::warn, {{"context", context}, {"max", maximum}}});
  for (const Assumption& assumption : workload.assumed) {
    if (assumption.why != "published_format_unknown") continue;
    warnings.push_back({"published_format_unknown", Severity::warn, {{"format", workload.model.architecture.published_format}}});
  }
  if (serves && sizes.has_windows) {
    const double bytes = info(job.serving.kv_format).bytes * job.serving.concurrency;
    warnings.push_back({"windows_by_engine",
                        Severity::info,
                        {{"windowed_gib", kv_elements_per_rank(sizes, context, 1) * bytes / kGib},
                         {"all_layers_gib", kv_elements_all_layers(sizes, context, 1) * bytes / kGib}}});
  }
  if (!serves && sizes.has_recurrence) warnings.push_back({"recurrent_activations_rough", Severity::warn, {}});
  if (!serves && job.task != Task::full && sizes.has_experts && job.training.lora_targets == LoraTargets::all_linear) {
    warnings.push_back({"lora_skips_experts", Severity::info, {}});
  }
  if (serves && sizes.weights.format.scope == WeightScope::experts && !sizes.has_experts)
    warnings.push_back({"format_without_experts", Severity::warn, {{"format", name_of(sizes.weights.format)}}});
  return warnings;
}

}  // namespace rigsizer
