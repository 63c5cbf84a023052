#include "model.hpp"

#include <algorithm>

#include "onnx_network.hpp"
#include "triton_error.hpp"

namespace roundhouse::delivery_time {
namespace {

using namespace backend;

std::size_t columnsOf(const Json& config, const char* direction) {
  const std::vector<Json>& dims = config.at(direction).list.at(0).at("dims").list;
  const long long columns = dims.size() == 1 ? dims[0].integer() : 0;
  if (columns < 1) {
    throw Error(ErrorCode::modelFailed, std::string("config.pbtxt must declare one dimension of 1 or more for the ") +
                                            direction);
  }
  return static_cast<std::size_t>(columns);
}

bool runsOnCpu(const Json& config) {
  const std::vector<Json>& groups = config.at("instance_group").list;
  return std::any_of(groups.begin(), groups.end(), [](const Json& group) { return group.at("kind").text != "KIND_GPU"; });
}

void loadOnCpu(Model& model) {
  model.network = loadNetwork(model.file(), model.settings.parameter("onnxruntime", ""), model.columns);
  model.batchInvariant = dryRun(*model.network).batchInvariant;
  logInfo(__FILE__, __LINE__,
          model.settings.name + " " + std::to_string(model.settings.version) + ": " + model.network->description());
}

std::unique_ptr<Instance> onCpu(Model& model) {
  if (model.network == nullptr) throw Error(ErrorCode::modelFailed, "it can't run on the CPU: " + model.noNetwork);
  return makeCpuInstance(model);
}

}  // namespace

std::filesystem::path Model::file() const {
  return settings.versionFolder() / settings.parameter("network", "model.onnx");
}

std::unique_ptr<Model> loadModel(TRITONBACKEND_Model* handle) {
  auto model = std::make_unique<Model>();
  model->settings =
      readModelSettings(handle, {{"features", TRITONSERVER_TYPE_FP32}}, {{"quantiles", TRITONSERVER_TYPE_FP32}});
  const Json config = readModelConfig(handle);
  model->columns = {columnsOf(config, "input"), columnsOf(config, "output")};
  try {
    loadOnCpu(*model);
  } catch (const Error& error) {
    if (runsOnCpu(config)) throw;
    model->network.reset();
    model->noNetwork = error.what();
  }
  return model;
}

std::unique_ptr<Instance> makeInstance(Model& model, TRITONBACKEND_ModelInstance* handle) {
  TRITONSERVER_InstanceGroupKind kind;
  std::int32_t device = 0;
  check(TRITONBACKEND_ModelInstanceKind(handle, &kind));
  check(TRITONBACKEND_ModelInstanceDeviceId(handle, &device));
  if (kind != TRITONSERVER_INSTANCEGROUPKIND_GPU) return onCpu(model);
  std::string reason;
  if (auto instance = makeDeviceInstance(model, device, reason)) return instance;
  logError(__FILE__, __LINE__, model.settings.name + " runs on the CPU, not on GPU " + std::to_string(device) + ": " + reason);
  return onCpu(model);
}

}  // namespace roundhouse::delivery_time
