// Bytes of weight formats, by matrix and by shard.
#include "memory/weight_format.h"

#include <gtest/gtest.h>

#include <set>

#include "memory/kv_format.h"
#include "reference/test_data.h"

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

TEST(MemoryWeightFormat, EverySupportedModelIsTwoBytesAParameterInBf16) {
  for (const std::string& id : test::supported_models()) {
    EXPECT_NEAR(weight_bytes(test::model(id), WeightFormat::bf16).total() / (2 * test::sizes(id).total), 1, 1e-12) << id;
  }
}

TEST(MemoryWeightFormat, MeasuredSpellingsAreReadAndWrittenBack) {
  std::set<std::string> unread;
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
    const auto read = parse_weight_format(word);
    ASSERT_TRUE(read) << word;
    const auto again = parse_weight_format(name_of(*read));
    ASSERT_TRUE(again) << name_of(*read);
    EXPECT_TRUE(*again == *read) << word << " became " << name_of(*read);
  }
  for (const char* const word : {"", "gguf", "gguf:", "(quantised)", "exl2:", "exl2:99bpw", "gptq44", "gguf:Q9", "int3"}) {
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
