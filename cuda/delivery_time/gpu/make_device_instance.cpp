#include <algorithm>

#include "device_instance.hpp"
#include "triton_error.hpp"

namespace roundhouse::delivery_time {
namespace {

DeviceNetworkOptions optionsOf(Model& model, int device) {
  const backend::ModelSettings& settings = model.settings;
  const auto parameter = [&](const char* key, const std::string& otherwise) { return settings.parameter(key, otherwise); };
  DeviceNetworkOptions options{networkSettingsOf(parameter)};
  const auto plan = settings.versionFolder() / "model.plan";
  options.file = std::filesystem::exists(plan) ? plan : model.file();
  options.device = device;
  options.columns = model.columns;
  options.reference = model.network.get();
  return options;
}

}  // namespace

std::unique_ptr<Instance> makeDeviceInstance(Model& model, int device, std::string& reason) {
  const DeviceNetworkOptions options = optionsOf(model, device);
  reason = whyNoTensorRt(options.library);
  if (!reason.empty()) return nullptr;
  const std::string where =
      model.settings.name + " " + std::to_string(model.settings.version) + " on GPU " + std::to_string(device) + ": ";
  backend::logInfo(__FILE__, __LINE__, where + "loads its network; where no plan is kept, building one takes a while");
  auto network = loadDeviceNetwork(options);
  backend::logInfo(__FILE__, __LINE__, where + network->description());
  const auto mostRows = static_cast<std::size_t>(std::max<std::int64_t>(1, model.settings.maxBatchSize));
  return std::make_unique<gpu::DeviceInstance>(model.columns, device, std::move(network), mostRows);
}

}  // namespace roundhouse::delivery_time
