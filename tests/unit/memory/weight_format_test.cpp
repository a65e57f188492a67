// Bytes of weight formats, by matrix and by shard.
#include "memory/weight_format.h"

#include <gtest/gtest.h>

#include <set>

#include "memory/kv_format.h"
#include "model/census.h"
#include "model/reader.h"
#include "reference/test_data.h"
#include "validate/stated_format.h"

namespace rigsizer {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

WeightFormat format(std::string_view text) { return parse_weight_format(text).value(); }
double gib(const char* model, std::string_view text, const Shard& shard = {}) {
  return shard_bytes(weight_bytes(test::model(model), format(text)), shard) / kGiB;
}
double bits(std::string_view text) { return matrix_bytes(format(text), format(text).scheme, 4096, 4096) * 8 / (4096.0 * 4096); }

TEST(MemoryWeightFormat, BitsPerWeightOfALinear) {
  EXPECT_DOUBLE_EQ(bits("awq4:g128"), 4 + 20.0 / 128);
  EXPECT_DOUBLE_EQ(bits("gptq4:g32"), 4 + 20.0 / 32);
  EXPECT_DOUBLE_EQ(bits("gptq4:g128-act") - bits("gptq4:g128"), 32.0 / 4096);
  EXPECT_DOUBLE_EQ(bits("gptq8"), 8 + 24.0 / 128);
  EXPECT_DOUBLE_EQ(bits("w4a16:g128"), 4.125);
  EXPECT_DOUBLE_EQ(bits("nf4"), 4.5);
  EXPECT_NEAR(bits("nf4-dq"), 4.127, 0.0001);
  EXPECT_DOUBLE_EQ(bits("mxfp4"), 4.25);
  EXPECT_NEAR(bits("nvfp4"), 4.5, 0.0001);
  EXPECT_NEAR(bits("fp8"), 8.002, 0.0001);
  EXPECT_DOUBLE_EQ(bits("exl2:4.25bpw"), 4.25);
}

TEST(MemoryWeightFormat, MeasuredCheckpoints) {
  EXPECT_NEAR(gib("gpt-oss-120b", "mxfp4"), 60.768, 0.001);
  EXPECT_NEAR(gib("gemma-4-31b", "bf16"), 58.251, 0.001);
  EXPECT_NEAR(gib("qwen3-30b-a3b", "bf16", {.tensor_parallel = 4}), 14.247, 0.02);
  EXPECT_NEAR(gib("qwen2.5-7b", "awq4"), 5.2032, 0.02);
  EXPECT_NEAR(gib("qwen2-72b", "gptq8", {.tensor_parallel = 4}), 17.983, 0.1);
  EXPECT_NEAR(gib("llama-3.1-405b", "fp8 (mixed)", {.tensor_parallel = 8}), 57.752, 1.1);
}

TEST(MemoryWeightFormat, ATiedHeadIsUntiedByCheckpointsNotByEngines) {
  const WeightBytes awq = weight_bytes(test::model("llama-3.2-1b"), format("awq4"));
  const WeightBytes nf4 = weight_bytes(test::model("llama-3.2-1b"), format("nf4"));
  EXPECT_DOUBLE_EQ(awq.head, awq.table);
  EXPECT_DOUBLE_EQ(nf4.head, 0);
  EXPECT_DOUBLE_EQ(nf4.shared_head, nf4.table) << "the last stage of a pipeline holds it again";
}

TEST(MemoryWeightFormat, KeysAndValuesAreCopiedBeyondTheirHeads) {
  const WeightBytes bytes = weight_bytes(test::model("qwen3-30b-a3b"), WeightFormat::bf16);  // 4 KV heads
  const LayerWeightBytes all = bytes.all_layers();
  const double at4 = shard_bytes(bytes, {.tensor_parallel = 4});
  const double at8 = shard_bytes(bytes, {.tensor_parallel = 8});
  EXPECT_NEAR(at4 - at8, (all.linear + all.expert + bytes.table + bytes.head) / 8, 1) << "what is copied does not shrink";
}

TEST(MemoryWeightFormat, StagesAddUpToTheModel) {
  for (const char* const text : {"bf16", "awq4", "gguf:Q4_K_M", "fp8 (mixed)"}) {
    const WeightBytes bytes = weight_bytes(test::model("llama-3.1-8b"), format(text));
    const double first = shard_bytes(bytes, {.layers = 13, .head = false, .tower = false});
    const double second = shard_bytes(bytes, {.first_layer = 13, .table = false});
    EXPECT_NEAR(first + second, bytes.total(), 1) << text;
  }
}

TEST(MemoryWeightFormat, EveryModelIsTwoBytesAParameterInBf16) {
  for (const ModelEntry& entry : test::catalog().models) {
    const Result<Architecture> model = read_architecture(entry.config);
    ASSERT_TRUE(model) << entry.id;
    EXPECT_EQ(weight_bytes(*model, WeightFormat::bf16).total(), 2 * census_of(*model).total.as_double()) << entry.id;
  }
  EXPECT_EQ(test::catalog().models.size(), 435U);
}

TEST(MemoryWeightFormat, EveryNameIsReadAsTheFormatItNames) {
  std::set<std::string> seen;
  for (const std::string& name : weight_format_names()) {
    const auto format = parse_weight_format(name);
    ASSERT_TRUE(format) << name;
    EXPECT_EQ(name_of(*format), name);
    EXPECT_TRUE(seen.insert(name).second) << name << " twice";
  }
  EXPECT_EQ(parse_weight_format("awq"), WeightFormat::int4);
  EXPECT_EQ(parse_weight_format("Q4_K_M"), parse_weight_format("gguf:q4_k_m"));
}

// A file made from a checkpoint that holds the tied table twice: the table at Q4_K, the head at Q6_K (llama-bench: 1.04 GiB).
TEST(MemoryWeightFormat, AFileMayHoldATiedTableTwice) {
  EXPECT_NEAR(gib("qwen2.5-1.5b", "gguf:Q4_K_M:untied"), 1.04, 0.006);
  EXPECT_EQ(weight_bytes(test::model("qwen2.5-1.5b"), format("gguf:Q4_K_M:untied")).shared_head, 0);
  EXPECT_EQ(gib("llama-3.1-8b", "gguf:Q4_K_M:untied"), gib("llama-3.1-8b", "gguf:Q4_K_M"));
}

// Sizes that ik_llama.cpp printed for published files.
TEST(MemoryWeightFormat, MixturesInTheForksTypes) {
  EXPECT_NEAR(gib("deepseek-v3", "gguf:IQ4_K_R4"), 386.183, 0.001);
  EXPECT_NEAR(gib("deepseek-v3", "gguf:IQ2_K_R4"), 226.003, 0.001);
  EXPECT_NEAR(gib("deepseek-r1", "gguf:IQ4_KS_R4"), 367.77, 0.006);
  EXPECT_NEAR(gib("deepseek-r1", "gguf:IQ3_K_R4"), 300.94, 0.006);
  EXPECT_NEAR(gib("qwen3-235b-a22b", "gguf:IQ3_K"), 106.83, 0.01 * 106.83) << "attention of this one is not all Q8_0";
}

TEST(MemoryWeightFormat, MeasuredSpellingsAreReadAndWrittenBack) {
  const std::vector<std::string> words{"bf16",
                                       "fp16",
                                       "fp32",
                                       "fp8",
                                       "awq4:g128",
                                       "gptq4",
                                       "gptq8",
                                       "w4a16:g128",
                                       "int4-wo:g32",
                                       "nf4-dq",
                                       "bnb-int8",
                                       "nvfp4",
                                       "nvfp4+fp8",
                                       "fp8/fp4",
                                       "fp8 (mixed)",
                                       "exl2:4.0bpw",
                                       "gguf:Q4_K_M",
                                       "gguf:IQ4_K_R4",
                                       "gguf:MXFP4",
                                       "gguf:BF16",
                                       "4-bit",
                                       "gptq4:nogroup-act",
                                       "int4 (QAT experts)",
                                       "bf16+compile",
                                       "nf4 transformer+text-encoder",
                                       "q5_k_m",
                                       "mxfp4",
                                       "int8 (eetq)"};
  for (const std::string& word : words) {
    const auto read = stated_format(word);
    ASSERT_TRUE(read) << word;
    const auto again = parse_weight_format(name_of(*read));
    ASSERT_TRUE(again) << name_of(*read);
    EXPECT_TRUE(*again == *read) << word << " became " << name_of(*read);
  }
  for (const char* const word : {"", "gguf", "gguf:", "(quantised)", "exl2:", "exl2:99bpw", "gptq44", "gguf:Q9", "int3"}) {
    EXPECT_FALSE(stated_format(word)) << word;
  }
}

TEST(MemoryWeightFormat, NamesAreReadToTheirEnd) {
  for (const char* const word : {"bf16+compile", "awq4 except lm_head", "gptq4:g", "gptq4:g0", "gptq4:g32x", "awq:g128-act", "exl2:4.0bits",
                                 "exl2:4.", "exl2:.5", "gguf:Q4_K_M:", "gguf:Q4_K_M:imatrix:", "int4-wo", "4-bit", "w8a8"}) {
    EXPECT_FALSE(parse_weight_format(word)) << word;
  }
}

TEST(MemoryWeightFormatCache, KeysAndValuesApart) {
  const KvFormats mixed = parse_kv_format("q8_0/q4_0").value();
  EXPECT_DOUBLE_EQ(mixed.bytes(1024, 1024), 1088 + 576);
  EXPECT_DOUBLE_EQ(parse_kv_format("fp8_e4m3")->bytes_per_element(), 1);
  EXPECT_DOUBLE_EQ(parse_kv_format("f16")->bytes_per_element(), 2);
  EXPECT_DOUBLE_EQ(info(KvFormat::iq4_nl).bytes, 0.5625);
  EXPECT_FALSE(parse_kv_format("q8_0/"));
  EXPECT_FALSE(parse_kv_format("int3"));
}

}  // namespace
}  // namespace rigsizer
