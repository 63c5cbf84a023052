#include "request_js.hpp"

#include "admission_js.hpp"
#include "failure.hpp"
#include "parameters_from_js.hpp"
#include "request_parameters.hpp"

namespace roundhouse {
namespace {

std::vector<std::int64_t> shape_of(Napi::Array array) {
  std::vector<std::int64_t> shape(array.Length());
  for (std::uint32_t i = 0; i < shape.size(); ++i) {
    shape[i] = array.Get(i).As<Napi::Number>().Int64Value();
  }
  return shape;
}

// inputs: [name, datatype, shape, bytes] each.
std::vector<InputTensor> inputs_of(Napi::Array array, Inference& inference) {
  std::vector<InputTensor> inputs;
  inputs.reserve(array.Length());
  for (std::uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Object entry = array.Get(i).As<Napi::Object>();
    const Napi::Value name = entry.Get("name");
    const Napi::Value datatype = entry.Get("datatype");
    const Napi::Value shape = entry.Get("shape");
    const Napi::Value data = entry.Get("data");
    if (!name.IsString() || !datatype.IsString() || !shape.IsArray() || !data.IsTypedArray()) {
      throw TritonFailure("INVALID_ARG", "inputs[" + std::to_string(i) + "] lacks name, datatype, shape or data");
    }
    const auto bytes = data.As<Napi::Uint8Array>();
    inputs.push_back({name.As<Napi::String>().Utf8Value(), datatype.As<Napi::String>().Utf8Value(),
                      shape_of(shape.As<Napi::Array>()), inference.aligned(bytes.Data(), bytes.ByteLength()),
                      bytes.ByteLength()});
  }
  return inputs;
}

}  // namespace

std::string text(const Napi::CallbackInfo& info, std::size_t index, const char* name) {
  if (!info[index].IsString()) throw TritonFailure("INVALID_ARG", std::string(name) + " must be a string");
  return info[index].As<Napi::String>().Utf8Value();
}

std::int64_t version_of(const Napi::CallbackInfo& info, std::size_t index) {
  if (!info[index].IsNumber()) throw TritonFailure("INVALID_ARG", "version must be a number");
  return info[index].As<Napi::Number>().Int64Value();
}

ServerSettings settings_of(Napi::Object object) {
  const auto string_of = [&object](const char* key) {
    const Napi::Value value = object.Get(key);
    if (!value.IsString()) throw TritonFailure("INVALID_ARG", std::string("settings.") + key + " must be a string");
    return value.As<Napi::String>().Utf8Value();
  };
  const auto number_of = [&object](const char* key) {
    const Napi::Value value = object.Get(key);
    if (!value.IsNumber()) throw TritonFailure("INVALID_ARG", std::string("settings.") + key + " must be a number");
    return value.As<Napi::Number>().DoubleValue();
  };
  ServerSettings settings;
  settings.core_library = string_of("coreLibrary");
  settings.server_id = string_of("serverId");
  settings.model_repository = string_of("modelRepository");
  settings.backend_directory = string_of("backendDirectory");
  settings.repo_agent_directory = string_of("repoAgentDirectory");
  settings.cache_directory = string_of("cacheDirectory");
  settings.min_compute_capability = number_of("minComputeCapability");
  settings.exit_timeout_seconds = static_cast<unsigned>(number_of("exitTimeoutSeconds"));
  settings.load_threads = static_cast<unsigned>(number_of("loadThreads"));
  settings.python_region_prefix = string_of("pythonRegionPrefix");
  settings.admission = admission_limits_of(object.Get("admission"));
  return settings;
}

RequestSpec request_of(const Napi::CallbackInfo& info, Inference& inference) {
  if (!info[4].IsArray() || !info[5].IsArray() || !info[6].IsTypedArray()) {
    throw TritonFailure("INVALID_ARG", "infer takes inputs, output names and an output buffer");
  }
  RequestSpec spec{text(info, 1, "model"), version_of(info, 2), text(info, 3, "requestId"), {}, {}};
  const auto outputs = info[5].As<Napi::Array>();
  for (std::uint32_t i = 0; i < outputs.Length(); ++i) {
    spec.outputs.push_back(outputs.Get(i).ToString().Utf8Value());
  }
  take_parameters(spec, shm::parameters_from_js(info[7]));
  if (info[8].IsNumber()) spec.deadline_ms = info[8].As<Napi::Number>().Int64Value();
  const auto arena = info[6].As<Napi::Uint8Array>();
  spec.inputs = inputs_of(info[4].As<Napi::Array>(), inference);
  inference.arena = reinterpret_cast<std::byte*>(const_cast<std::uint8_t*>(arena.Data()));
  inference.arena_size = arena.ByteLength();
  return spec;
}

}  // namespace roundhouse
