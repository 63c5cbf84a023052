#include "model_settings.hpp"

#include "triton_error.hpp"

namespace roundhouse::backend {
namespace {

std::map<std::string, std::string> declared(const Json& tensors) {
  std::map<std::string, std::string> found;
  for (const Json& tensor : tensors.list) found[tensor.at("name").text] = tensor.at("data_type").text;
  return found;
}

std::string listOf(const std::map<std::string, std::string>& tensors) {
  std::string text;
  for (const auto& [name, type] : tensors) text += (text.empty() ? "" : ", ") + name + " " + type;
  return text.empty() ? "none" : text;
}

void requireTensors(const char* kind, const Json& tensors, const std::vector<TensorDeclaration>& wanted) {
  std::map<std::string, std::string> expected;
  for (const TensorDeclaration& tensor : wanted) {
    expected[tensor.name] = std::string("TYPE_") + TRITONSERVER_DataTypeString(tensor.datatype);
  }
  const auto found = declared(tensors);
  if (found == expected) return;
  throw Error(ErrorCode::modelFailed, std::string("config.pbtxt declares the ") + kind + "s " + listOf(found) +
                                          "; this backend has " + listOf(expected));
}

}  // namespace

Json readModelConfig(TRITONBACKEND_Model* model) {
  TRITONSERVER_Message* message = nullptr;
  check(TRITONBACKEND_ModelConfig(model, 1, &message));
  const char* text = nullptr;
  std::size_t size = 0;
  TRITONSERVER_Error* error = TRITONSERVER_MessageSerializeToJson(message, &text, &size);
  Json config;
  if (error == nullptr) config = parseJson({text, size});
  OwnedError ignored(TRITONSERVER_MessageDelete(message));
  check(error);
  return config;
}

std::string ModelSettings::parameter(const std::string& key, const std::string& otherwise) const {
  const auto found = parameters.find(key);
  return found == parameters.end() ? otherwise : found->second;
}

ModelSettings readModelSettings(TRITONBACKEND_Model* model, const std::vector<TensorDeclaration>& inputs,
                                const std::vector<TensorDeclaration>& outputs) {
  ModelSettings settings;
  const char* text = nullptr;
  check(TRITONBACKEND_ModelName(model, &text));
  settings.name = text;
  check(TRITONBACKEND_ModelVersion(model, &settings.version));
  TRITONBACKEND_ArtifactType kind;
  check(TRITONBACKEND_ModelRepository(model, &kind, &text));
  // The core sees links to the versions that are served; what lies beside them is in the repository itself.
  settings.folder = std::filesystem::path(text);
  std::error_code absent;
  const auto version = std::filesystem::canonical(settings.versionFolder(), absent);
  if (!absent) settings.folder = version.parent_path();
  const Json config = readModelConfig(model);
  settings.maxBatchSize = config.at("max_batch_size").integer();
  for (const auto& [key, value] : config.at("parameters").members) {
    settings.parameters[key] = value.at("string_value").text;
  }
  requireTensors("input", config.at("input"), inputs);
  requireTensors("output", config.at("output"), outputs);
  return settings;
}

}  // namespace roundhouse::backend
