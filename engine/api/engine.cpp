#include "api/engine.h"

#include "api/answer.h"
#include "api/request.h"
#include "api/validation.h"

namespace rigsizer {
namespace {

/// Requests are small; a longer one is a mistake, and reading it would take memory before anything could be said.
constexpr std::size_t kLongestRequest = 8u << 20;

std::string text_of(const Json& json) {
  // Texts may hold bytes a caller pasted: what is not UTF-8 is replaced, not thrown at.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

struct Engine::State {
  Result<Catalog> catalog;
  ShapeIndex shapes;

  /// Runs `answer(catalog)` unless the catalog or the request's length forbids it.
  template <class Answer>
  std::string reply(std::string_view request, Answer answer) const {
    if (!catalog) return text_of(failure_json(catalog.failure()));
    if (request.size() > kLongestRequest) {
      return text_of(failure_json({.code = "request_too_long",
                                   .path = "",
                                   .message = "The request is longer than 8 MiB.",
                                   .hint = "A config.json has a few kilobytes; check that the right file was given.",
                                   .values = {{"bytes", static_cast<double>(request.size())}}}));
    }
    return text_of(answer(*catalog));
  }
};

Engine::Engine(std::string_view catalog_text) : state_{std::make_unique<State>(State{parse_catalog(catalog_text), {}})} {
  if (state_->catalog) state_->shapes = index_shapes(*state_->catalog);
}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::string Engine::plan(std::string_view text) const {
  return state_->reply(text, [&](const Catalog& catalog) {
    const Result<PlanRequest> request = read_plan_request(catalog, text);
    if (!request) return failure_json(request.failure());
    const Plan plan = make_plan(catalog, state_->shapes, request->workload.model.sizes, request->query);
    return plan_json(catalog, state_->shapes, *request, plan);
  });
}

std::string Engine::offers(std::string_view text) const {
  return state_->reply(text, [&](const Catalog& catalog) {
    const Result<OffersRequest> request = read_offers_request(catalog, text);
    if (!request) return failure_json(request.failure());
    return offers_json(catalog, *request, price_offers(catalog, state_->shapes, request->query));
  });
}

std::string Engine::estimate(std::string_view text) const {
  return state_->reply(text, [&](const Catalog& catalog) {
    const Result<EstimateRequest> request = read_estimate_request(catalog, text);
    if (!request) return failure_json(request.failure());
    const Shape shape = shape_of(catalog, request->accelerator, request->count);
    const Fit fit = fit_shape(catalog, request->workload.model.sizes, request->workload.job, shape);
    return estimate_json(catalog, *request, shape, fit);
  });
}

std::string Engine::describe(std::string_view text) const {
  return state_->reply(text, [&](const Catalog& catalog) {
    const Result<DescribeRequest> request = read_describe_request(catalog, text);
    return request ? description_json(*request) : failure_json(request.failure());
  });
}

std::string Engine::validate(std::string_view text) const {
  return state_->reply(text, [&](const Catalog& catalog) {
    const Result<std::vector<Row>> rows = read_rows(text);
    if (!rows) return failure_json(rows.failure());
    const Result<Validation> validation = rigsizer::validate(catalog, *rows);
    return validation ? validation_json(*validation) : failure_json(validation.failure());
  });
}

std::string Engine::catalog() const {
  return state_->reply("", [](const Catalog& catalog) { return catalog_json(catalog); });
}

}  // namespace rigsizer
