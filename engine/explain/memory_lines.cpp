#include "explain/memory_lines.h"

#include "explain/explainer.h"

namespace rigsizer {

std::string_view name_of(Line line) { return kLineNames[static_cast<std::size_t>(line)]; }

std::vector<ExplainedLine> explain_memory(const Catalog& catalog, const ModelSizes& sizes, const Job& job, const LayoutMemory& memory,
                                          const std::string& model_source, const CardTraits& card) {
  Explainer explainer{catalog, memory.lines, model_source};
  if (job.task == Task::serve) {
    explain_serving(explainer, serving_terms(sizes, job.serving, memory.layout, catalog.memory.value, card));
  } else {
    explain_training(explainer, training_terms(sizes, job.task, job.training, memory.layout, catalog.memory.value), memory.lines.value);
  }
  return explainer.take();
}

}  // namespace rigsizer
