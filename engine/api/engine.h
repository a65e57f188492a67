// The engine's face: JSON text in, JSON text out. Never throws, never prints NaN, stays usable after any input.
//
//   Engine engine{catalog_text};
//   engine.plan(R"({"model": "llama-3-8b", "task": "serve"})")
//
// Shapes of requests and answers: wasm/rigsizer.d.ts. A failure is {"error": {"code", "path", "message", "hint", "values"}}.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace rigsizer {

class Engine {
 public:
  /// A catalog that cannot be read makes every call answer with the reason.
  explicit Engine(std::string_view catalog_text);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  /// Every offer of the catalog against one job.
  [[nodiscard]] std::string plan(std::string_view request) const;
  /// Offers and their prices, whatever the job.
  [[nodiscard]] std::string offers(std::string_view request) const;
  /// One accelerator type, without offers.
  [[nodiscard]] std::string estimate(std::string_view request) const;
  /// A model by itself: parameters, caches, FLOPs.
  [[nodiscard]] std::string describe(std::string_view request) const;
  /// Measured runs beside what this engine predicts for them.
  [[nodiscard]] std::string validate(std::string_view request) const;
  /// What the engine was built over.
  [[nodiscard]] std::string catalog() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rigsizer
