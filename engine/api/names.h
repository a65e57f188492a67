// Names of choices as requests and answers write them.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "memory/job.h"
#include "search/plan.h"

namespace rigsizer::names {

template <class T, std::size_t N>
using Choices = std::array<std::pair<std::string_view, T>, N>;

inline constexpr Choices<Task, 4> task{{{"serve", Task::serve}, {"full", Task::full}, {"lora", Task::lora}, {"qlora", Task::qlora}}};
inline constexpr auto kv_format = [] {
  Choices<KvFormat, kKvFormats.size()> choices{};
  for (std::size_t i = 0; i < choices.size(); ++i) choices[i] = {kKvFormats[i].name, kKvFormats[i].format};
  return choices;
}();
inline constexpr Choices<Precision, 4> precision{
    {{"bf16_mixed", Precision::bf16_mixed}, {"bf16_pure", Precision::bf16_pure}, {"fp16_mixed", Precision::fp16_mixed}, {"fp32", Precision::fp32}}};
inline constexpr Choices<Optimizer, 5> optimizer{{{"adamw", Optimizer::adamw},
                                                  {"adamw_8bit", Optimizer::adamw_8bit},
                                                  {"adafactor", Optimizer::adafactor},
                                                  {"lion", Optimizer::lion},
                                                  {"sgd_momentum", Optimizer::sgd_momentum}}};
inline constexpr Choices<Recompute, 3> recompute{{{"none", Recompute::none}, {"selective", Recompute::selective}, {"full", Recompute::full}}};
inline constexpr Choices<Loss, 2> loss{{{"plain", Loss::plain}, {"fused", Loss::fused}}};
inline constexpr Choices<Sharding, 3> sharding{{{"auto", Sharding::automatic}, {"ddp", Sharding::ddp}, {"full", Sharding::full}}};
inline constexpr Choices<LoraTargets, 2> lora_targets{{{"attention", LoraTargets::attention}, {"all_linear", LoraTargets::all_linear}}};
inline constexpr Choices<Layout::Shards, 3> shards{{{"none", Layout::Shards::none}, {"ddp", Layout::Shards::ddp}, {"full", Layout::Shards::full}}};
inline constexpr Choices<PeakMoment, 4> moment{
    {{"loss", PeakMoment::loss}, {"backward", PeakMoment::backward}, {"end", PeakMoment::end}, {"step", PeakMoment::step}}};
inline constexpr Choices<Term, 5> term{{{"on_demand", Term::on_demand},
                                        {"spot", Term::spot},
                                        {"monthly", Term::monthly},
                                        {"reserved_1y", Term::reserved_1y},
                                        {"reserved_3y", Term::reserved_3y}}};
inline constexpr Choices<Currency, 3> currency{{{"USD", Currency::usd}, {"CNY", Currency::cny}, {"EUR", Currency::eur}}};
inline constexpr Choices<Verdict, 5> verdict{{{"fits", Verdict::fits},
                                              {"tight", Verdict::tight},
                                              {"short", Verdict::lacking},
                                              {"unsuitable", Verdict::unsuitable},
                                              {"unknown", Verdict::unknown}}};
inline constexpr Choices<OfferVerdict, 7> offer_verdict{{{"fits", OfferVerdict::fits},
                                                         {"tight", OfferVerdict::tight},
                                                         {"over_budget", OfferVerdict::over_budget},
                                                         {"no_price", OfferVerdict::no_price},
                                                         {"short", OfferVerdict::lacking},
                                                         {"unsuitable", OfferVerdict::unsuitable},
                                                         {"unknown", OfferVerdict::unknown}}};
inline constexpr Choices<Severity, 3> severity{{{"info", Severity::info}, {"warn", Severity::warn}, {"serious", Severity::serious}}};

template <class T, std::size_t N>
constexpr std::string_view of(const Choices<T, N>& choices, T value) {
  for (const auto& [name, choice] : choices) {
    if (choice == value) return name;
  }
  return "";
}

}  // namespace rigsizer::names
