#include "memory/engine_formats.h"

namespace rigsizer {
namespace {

bool is_llama_cpp(ServingEngine engine) { return engine == ServingEngine::llama_cpp || engine == ServingEngine::ollama; }

}  // namespace

bool reads(ServingEngine engine, const WeightFormat& format) {
  const WeightScheme scheme = format.scheme;
  if (scheme == WeightScheme::gguf) return is_llama_cpp(engine) || engine == ServingEngine::vllm;
  if (scheme == WeightScheme::exl2) return engine == ServingEngine::exllamav2;
  switch (engine) {
    case ServingEngine::llama_cpp:
    case ServingEngine::ollama: return scheme == WeightScheme::floats || scheme == WeightScheme::mxfp4;
    case ServingEngine::exllamav2: return (scheme == WeightScheme::floats && format.bits == 16) || (scheme == WeightScheme::gptq && format.bits == 4);
    case ServingEngine::lmdeploy:
      return scheme == WeightScheme::floats || scheme == WeightScheme::awq || scheme == WeightScheme::gptq || scheme == WeightScheme::mxfp4 ||
             scheme == WeightScheme::fp8_block;
    case ServingEngine::tensorrt_llm: return scheme != WeightScheme::bnb4;
    case ServingEngine::vllm:
    case ServingEngine::sglang:
    case ServingEngine::tgi:
    case ServingEngine::transformers: break;
  }
  return true;
}

bool caches(ServingEngine engine, KvFormat format) {
  switch (format) {
    case KvFormat::bf16:
    case KvFormat::fp16: return true;
    case KvFormat::f32: return is_llama_cpp(engine) || engine == ServingEngine::transformers;
    case KvFormat::fp8:
      return engine == ServingEngine::vllm || engine == ServingEngine::sglang || engine == ServingEngine::tensorrt_llm ||
             engine == ServingEngine::tgi || engine == ServingEngine::exllamav2;
    case KvFormat::int8: return engine == ServingEngine::lmdeploy || engine == ServingEngine::tensorrt_llm || engine == ServingEngine::vllm;
    case KvFormat::q8_0:
    case KvFormat::q5_1:
    case KvFormat::q5_0:
    case KvFormat::q4_1:
    case KvFormat::q4_0:
    case KvFormat::iq4_nl: break;
  }
  return is_llama_cpp(engine);
}

ServingEngine usual_engine(const Architecture& model, const WeightFormat& format) {
  if (format.scheme == WeightScheme::gguf) return ServingEngine::llama_cpp;
  if (format.scheme == WeightScheme::exl2) return ServingEngine::exllamav2;
  return model.kind == Architecture::Kind::decoder ? ServingEngine::vllm : ServingEngine::transformers;
}

KvFormat usual_cache(ServingEngine engine, const WeightFormat& format) {
  return is_llama_cpp(engine) || !format.brain_float || format.scheme == WeightScheme::gguf ? KvFormat::fp16 : KvFormat::bf16;
}

}  // namespace rigsizer
