// The pieces answers are made of.
#pragma once

#include <optional>

#include "api/answer.h"

namespace rigsizer {

nlohmann::json number_json(std::optional<double> value);
nlohmann::json values_json(const std::vector<MessageValue>& values);
nlohmann::json remarks_json(const std::vector<Remark>& remarks);
nlohmann::json input_json(const Input& input);
nlohmann::json band_json(Band band);

nlohmann::json workload_json(const WorkloadRequest& workload);
nlohmann::json assumed_json(const std::vector<Assumption>& assumed);
nlohmann::json model_json(const ResolvedModel& model);
nlohmann::json shape_json(const Catalog& catalog, const Shape& shape, const Fit& fit);
/// Null where no memory could be computed.
nlohmann::json memory_json(const Catalog& catalog, const WorkloadRequest& workload, const Shape& shape, const Fit& fit);

nlohmann::json model_entry_json(const ModelEntry& entry);
nlohmann::json provider_json(const Provider& provider);
nlohmann::json accelerator_json(const Accelerator& card);
nlohmann::json offer_json(const Catalog& catalog, const Offer& offer);
nlohmann::json source_json(const Source& source);

/// Remarks about the job whatever the machine, and about the model alone.
std::vector<Remark> workload_warnings(const WorkloadRequest& workload);
std::vector<Remark> model_remarks(const ResolvedModel& model);

}  // namespace rigsizer
