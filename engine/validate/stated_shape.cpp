#include "validate/stated_shape.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "model/reader.h"

namespace rigsizer {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The number right after `word`, as in "hidden 3072"; "250k" is 250,000.
std::optional<double> number_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word + " ");
  if (at == std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str() + at + word.size() + 1, &end);
  if (value <= 0) return std::nullopt;
  return *end == 'k' ? value * 1000 : value;
}

/// The number right before `word`, as in "32 heads".
std::optional<double> number_before(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(" " + word);
  if (at == std::string::npos || at == 0) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  const double value = std::strtod(text.c_str() + begin, nullptr);
  return value > 0 ? std::optional{value} : std::nullopt;
}

std::optional<Fields> geometry_of(const Catalog& catalog, const std::string& model) {
  const std::size_t at = model.find(" geometry, ");
  if (at == std::string::npos) return std::nullopt;
  const ModelEntry* entry = catalog.model(lower(model.substr(0, at)));
  const std::optional<double> layers = number_before(model, "layers");
  if (entry == nullptr || !layers) return std::nullopt;
  Fields fields = entry->config;
  fields["num_hidden_layers"] = *layers;
  // A cut model keeps one dense layer before its experts at most.
  const auto dense = fields.find("first_k_dense_replace");
  if (dense != fields.end()) dense->second = 1.0;
  return fields;
}

std::optional<Fields> sizes_in_words(const Row& row) {
  const std::string& notes = row.text("notes");
  const auto hidden = number_after(notes, "hidden");
  const auto vocabulary = number_after(notes, "vocab");
  if (!hidden || !vocabulary) return std::nullopt;
  const auto layers = number_before(notes, "layers");
  const auto heads = number_before(notes, "heads");
  const auto width = number_after(notes, "FFN");
  if (layers && heads && width) {
    return Fields{{"model_type", std::string{"llama"}}, {"hidden_size", *hidden},
                  {"num_hidden_layers", *layers},       {"num_attention_heads", *heads},
                  {"intermediate_size", *width},        {"vocab_size", *vocabulary},
                  {"num_key_value_heads", *heads},      {"tie_word_embeddings", notes.find("untied") == std::string::npos}};
  }
  const auto billions = row.number("params_b");
  const auto context = row.number("seq_len");
  if (!billions || !context || !row.mentions("model", "GPT")) return std::nullopt;
  // A GPT block has 12 h^2 weights; heads only matter for scores, 128 wide is the custom.
  const double block = 12 * *hidden * *hidden;
  const double count = std::round((*billions * 1e9 - *vocabulary * *hidden) / block);
  double with_heads = heads.value_or(std::round(*hidden / 128));
  while (!heads && with_heads > 1 && std::fmod(*hidden, with_heads) != 0) --with_heads;
  if (count < 1 || std::fmod(*hidden, with_heads) != 0) return std::nullopt;
  return Fields{{"model_type", std::string{"gpt2"}}, {"n_embd", *hidden},      {"n_layer", count}, {"n_head", with_heads},
                {"vocab_size", *vocabulary},         {"n_positions", *context}};
}

}  // namespace

Result<Architecture> stated_shape(const Catalog& catalog, const Row& row) {
  if (row.has("model_id")) {
    const ModelEntry* entry = catalog.model(row.text("model_id"));
    if (entry == nullptr) return unstated("the model " + row.text("model_id") + " is not in the catalog");
    return read_architecture(entry->config);
  }
  std::optional<Fields> fields = geometry_of(catalog, row.text("model"));
  if (!fields) fields = sizes_in_words(row);
  if (!fields) return unstated("the model is not in the catalog and its sizes are not stated");
  return read_architecture(*fields);
}

}  // namespace rigsizer
