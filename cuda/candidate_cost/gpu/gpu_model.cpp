#include "../gpu_model.hpp"

#include <charconv>
#include <map>
#include <mutex>

#include "device_instance.hpp"
#include "host_network_context.hpp"
#include "triton_error.hpp"

namespace roundhouse::candidate_cost {
namespace gpu {
namespace {

using delivery_time::DeviceNetwork;

/// What the instances of one GPU share.
struct OneGpu {
  /// Null where the network can't run there: then it runs on the CPU.
  std::shared_ptr<DeviceNetwork> network;
  std::shared_ptr<DeviceMatrices> matrices = std::make_shared<DeviceMatrices>();
};

int numberOf(const backend::ModelSettings& settings, const std::string& key, int otherwise, int most) {
  const std::string text = settings.parameter(key, std::to_string(otherwise));
  int value = -1;
  const auto end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && read == end && value >= 0 && value <= most) return value;
  throw Error(ErrorCode::modelFailed, "parameter '" + key + "' is not within 0.." + std::to_string(most) + ": " + text);
}

int buildLanesOf(const backend::ModelSettings& settings, int otherwise) {
  const int lanes = numberOf(settings, "build_lanes", otherwise, 32);
  if (lanes == 1 || lanes == 4 || lanes == 8 || lanes == 16 || lanes == 32) return lanes;
  throw Error(ErrorCode::modelFailed, "parameter 'build_lanes' is not 1, 4, 8, 16 or 32: " + std::to_string(lanes));
}

/// Whether a parameter has the first of two values.
bool isFirst(const backend::ModelSettings& settings, const std::string& key, const std::string& first,
             const std::string& second, bool otherwise) {
  const std::string text = settings.parameter(key, otherwise ? first : second);
  if (text == first || text == second) return text == first;
  throw Error(ErrorCode::modelFailed, "parameter '" + key + "' is neither '" + first + "' nor '" + second + "': " + text);
}

constexpr int kMostRowSteps = 16;

/// Parameters of config.pbtxt choose between ways to compute the same, for measurements.
DeviceCosterOptions optionsOf(const backend::ModelSettings& settings, int device) {
  DeviceCosterOptions options;
  options.device = device;
  options.atOnceUpTo = numberOf(settings, "at_once_up_to", options.atOnceUpTo, options.chunk);
  const bool byKernel = isFirst(settings, "copies", "kernel", "engine", options.copyBy == CopyBy::kernel);
  options.copyBy = byKernel ? CopyBy::kernel : CopyBy::engine;
  options.buildLanes = buildLanesOf(settings, options.buildLanes);
  options.takesTurns = isFirst(settings, "turns", "on", "off", sharing::takesTurns());
  options.rowSteps = std::max(1, numberOf(settings, "row_steps", options.rowSteps, kMostRowSteps));
  return options;
}

class ModelOnGpus final : public GpuModel {
 public:
  explicit ModelOnGpus(Model& model) : model_(model) {}

  std::unique_ptr<GpuInstance> instance(int device) override {
    const std::lock_guard lock(mutex_);
    device::useDevice(device);
    if (gpus_.count(device) == 0) gpus_.emplace(device, OneGpu{load(device)});
    const OneGpu& gpu = gpus_.at(device);
    DeviceCosterOptions options = optionsOf(model_.settings, device);
    options.padsRows = gpu.network != nullptr;
    auto coster = std::make_unique<DeviceCoster>(options, contextOf(gpu), gpu.matrices);
    auto instance = std::make_unique<DeviceInstance>(model_, std::move(coster));
    instance->dryRun();
    return instance;
  }

 private:
  std::shared_ptr<DeviceNetwork> load(int device) const {
    const std::string where = model_.settings.name + " on GPU " + std::to_string(device) + ": ";
    const auto parameter = [this](const char* key, const std::string& otherwise) {
      return model_.settings.parameter(key, otherwise);
    };
    delivery_time::DeviceNetworkOptions options{delivery_time::networkSettingsOf(parameter)};
    if (const std::string reason = delivery_time::whyNoTensorRt(options.library); !reason.empty()) {
      backend::logError(__FILE__, __LINE__, where + "the network runs on the CPU, since " + reason);
      return nullptr;
    }
    options.file = model_.networkFile;
    options.device = device;
    options.reference = model_.network.get();
    backend::logInfo(__FILE__, __LINE__, where + "loads its network; where no plan is kept, building one takes a while");
    auto network = delivery_time::loadDeviceNetwork(options);
    backend::logInfo(__FILE__, __LINE__, where + network->description());
    return network;
  }

  std::unique_ptr<DeviceNetwork::Context> contextOf(const OneGpu& gpu) const {
    if (gpu.network != nullptr) return gpu.network->context();
    return std::make_unique<HostNetworkContext>(*model_.network);
  }

  Model& model_;
  std::mutex mutex_;
  std::map<int, OneGpu> gpus_;
};

}  // namespace
}  // namespace gpu

std::unique_ptr<GpuModel> makeGpuModel(Model& model) { return std::make_unique<gpu::ModelOnGpus>(model); }

}  // namespace roundhouse::candidate_cost
