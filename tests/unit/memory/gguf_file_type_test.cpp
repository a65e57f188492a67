// Sizes of GGUF files by llama.cpp's recipe, against files people have measured.
#include "memory/gguf_file_type.h"

#include <gtest/gtest.h>

#include "reference/test_data.h"

namespace rigsizer {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

double gib(const char* model, const char* type, const GgufOptions& options = {}) {
  return gguf_bytes(test::model(model), *gguf_file_type_named(type), options) / kGiB;
}

struct Measured {
  const char* type;
  double gib;
  bool importance_matrix = false;
};

// Printed with two decimals by llama.cpp's quantize README (Llama 3.1 8B).
TEST(MemoryGgufFileType, EveryMixOfLlama8BIsExactToThePrintedDigit) {
  const Measured files[] = {{"IQ1_S", 1.87},   {"IQ1_M", 2.01},  {"IQ2_XXS", 2.23}, {"IQ2_XS", 2.42}, {"IQ2_S", 2.56},  {"IQ2_M", 2.74},
                            {"IQ3_XXS", 3.04}, {"IQ3_XS", 3.27}, {"IQ3_S", 3.42},   {"IQ3_M", 3.52},  {"IQ4_XS", 4.17}, {"IQ4_NL", 4.38},
                            {"Q2_K_S", 2.78},  {"Q2_K", 2.95},   {"Q3_K_S", 3.41},  {"Q3_K_L", 4.02}, {"Q4_K_S", 4.36}, {"Q4_K_M", 4.58},
                            {"Q5_K_S", 5.21},  {"Q5_K_M", 5.33}, {"Q6_K", 6.14},    {"Q8_0", 7.95},   {"F16", 14.96}};
  for (const Measured& file : files) EXPECT_NEAR(gib("llama-3.1-8b", file.type), file.gib, 0.005) << file.type;
}

// Files with their vocabulary: up to 0.008 GiB of header come on top.
TEST(MemoryGgufFileType, EveryMixOfLlama70B) {
  const Measured files[] = {{"IQ1_S", 14.29},        {"IQ1_M", 15.60},        {"IQ2_XXS", 17.79}, {"IQ2_XS", 19.69}, {"IQ2_S", 20.71},
                            {"IQ2_M", 22.46},        {"IQ3_XXS", 25.58},      {"IQ3_XS", 27.29},  {"IQ3_S", 28.79},  {"IQ3_M", 29.74},
                            {"IQ4_XS", 35.30, true}, {"IQ4_NL", 37.30, true}, {"Q2_K_S", 22.79},  {"Q2_K", 24.56},   {"Q3_K_S", 28.79},
                            {"Q3_K_M", 31.91},       {"Q3_K_L", 34.59},       {"Q4_K_S", 37.58},  {"Q4_K_M", 39.60}, {"Q5_K_S", 45.32},
                            {"Q5_K_M", 46.52},       {"Q6_K", 53.91},         {"Q8_0", 69.83},    {"F16", 131.43}};
  for (const Measured& file : files) {
    EXPECT_NEAR(gib("llama-3-70b", file.type, {.importance_matrix = file.importance_matrix}), file.gib - 0.0055, 0.0075) << file.type;
  }
}

TEST(MemoryGgufFileType, OtherFamilies) {
  EXPECT_NEAR(gib("codellama-7b", "F16"), 12.55, 0.005);
  EXPECT_NEAR(gib("codellama-7b", "Q8_0"), 6.67, 0.005);
  EXPECT_NEAR(gib("llama-2-7b", "Q4_0"), 3.56, 0.005);
  EXPECT_NEAR(gib("llama-2-13b", "Q8_0"), 12.881, 0.001);
  EXPECT_NEAR(gib("qwen3-235b-a22b", "Q8_0"), 232.77, 0.005);
  EXPECT_NEAR(gib("glm-4-32b-0414", "IQ4_XS", {.importance_matrix = true}), 16.382, 0.001);
  EXPECT_NEAR(gib("deepseek-r1", "Q4_K_M"), 376.65, 0.13) << "latent attention, 256 experts";
}

TEST(MemoryGgufFileType, ATiedTableIsTreatedAsTheHead) {
  const auto table_of = [](const char* config) {
    for (const GgufTensor& tensor : gguf_tensors(test::architecture(config), GgufFileType::q4_k_m)) {
      if (tensor.matrix == Matrix::token_table) return tensor.type;
    }
    return GgmlType::f64;
  };
  const std::string sizes = R"("hidden_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 512, "vocab_size": 1000)";
  EXPECT_EQ(table_of(("{\"model_type\": \"llama\", \"tie_word_embeddings\": false, " + sizes + "}").c_str()), GgmlType::q4_k);
  EXPECT_EQ(table_of(("{\"model_type\": \"llama\", \"tie_word_embeddings\": true, " + sizes + "}").c_str()), GgmlType::q6_k);
}

TEST(MemoryGgufFileType, RowsThatAreNotWholeBlocksFallBack) {
  // Hidden 64: a row of 64 weights fits blocks of 32, not of 256. MLP 256 wide: its down projection fits.
  for (const GgufTensor& tensor : gguf_tensors(test::architecture(test::small_config()), GgufFileType::q4_k_s)) {
    if (tensor.matrix == Matrix::query) {
      EXPECT_EQ(tensor.type, GgmlType::q5_0);
    }
    if (tensor.matrix == Matrix::down) {
      EXPECT_EQ(tensor.type, GgmlType::q4_k);
    }
    if (tensor.matrix == Matrix::norm) {
      EXPECT_EQ(tensor.type, GgmlType::f32);
    }
    if (tensor.matrix == Matrix::head) {
      EXPECT_EQ(tensor.type, GgmlType::q8_0);
    }
  }
}

TEST(MemoryGgufFileType, F32IsFourBytesAParameterOfEveryModel) {
  for (const std::string& id : test::supported_models()) {
    const Architecture model = test::model(id);
    double weights = 0, stored = 0;
    for (const Tensor& tensor : model.model_tensors) weights += tensor.role == Role::tower ? 0 : tensor.size().as_double();
    for (const LayerGroup& group : model.groups) {
      for (const Tensor& tensor : group.layer.tensors) weights += tensor.size().as_double() * static_cast<double>(group.shared ? 1 : group.count);
    }
    stored = gguf_bytes(model, GgufFileType::f32);
    EXPECT_DOUBLE_EQ(stored, 4 * weights) << id;
  }
}

TEST(MemoryGgufFileType, NamesAndIdsLeadBack) {
  EXPECT_EQ(gguf_file_type_named("q4_k"), GgufFileType::q4_k_m);
  EXPECT_EQ(gguf_file_type_named("MXFP4"), GgufFileType::mxfp4_moe);
  EXPECT_EQ(gguf_file_type_of_id(15), GgufFileType::q4_k_m);
  EXPECT_EQ(gguf_file_type_of_id(4), std::nullopt);
  EXPECT_EQ(gguf_file_type_named("UD-Q4_K_XL"), std::nullopt) << "third-party mixes follow no rule";
}

}  // namespace
}  // namespace rigsizer
