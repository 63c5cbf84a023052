#include <algorithm>

#include "device_instance.hpp"
#include "profiles.hpp"
#include "triton_error.hpp"

namespace roundhouse::delivery_time {
namespace {

std::optional<Precision> precisionOf(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "fp32") return Precision::fp32;
  if (text == "tf32") return Precision::tf32;
  if (text == "fp16") return Precision::fp16;
  throw Error(ErrorCode::modelFailed, "the parameter precision is '" + text + "'; it must be fp32, tf32 or fp16");
}

std::size_t callGraphRowsOf(const backend::ModelSettings& settings) {
  const std::string text = settings.parameter("graph_rows", std::to_string(kCallGraphRows));
  const bool whole = !text.empty() && text.size() <= 7 && text.find_first_not_of("0123456789") == std::string::npos;
  if (whole) return std::stoul(text);
  throw Error(ErrorCode::modelFailed, "the parameter graph_rows is '" + text + "'; it must be a number of rows");
}

bool flagOf(const backend::ModelSettings& settings, const char* name) {
  const std::string text = settings.parameter(name, "true");
  if (text != "true" && text != "false") {
    throw Error(ErrorCode::modelFailed, std::string("the parameter ") + name + " is '" + text +
                                            "'; it must be true or false");
  }
  return text == "true";
}

DeviceNetworkOptions optionsOf(Model& model, int device) {
  const backend::ModelSettings& settings = model.settings;
  DeviceNetworkOptions options;
  const auto plan = settings.versionFolder() / "model.plan";
  options.file = std::filesystem::exists(plan) ? plan : model.file();
  options.device = device;
  options.columns = model.columns;
  options.precision = precisionOf(settings.parameter("precision", ""));
  options.reference = model.network.get();
  if (const std::string sizes = settings.parameter("batch_sizes", ""); !sizes.empty()) {
    options.profiles = gpu::parseProfiles(sizes);
  }
  options.library = settings.parameter("tensorrt", "");
  options.planFolder = settings.parameter("plan_folder", "");
  options.graphs = flagOf(settings, "graphs");
  options.callGraphRows = callGraphRowsOf(settings);
  options.sharedArena = flagOf(settings, "shared_arena");
  return options;
}

}  // namespace

std::unique_ptr<Instance> makeDeviceInstance(Model& model, int device, std::string& reason) {
  const DeviceNetworkOptions options = optionsOf(model, device);
  reason = whyNoTensorRt(options.library);
  if (!reason.empty()) return nullptr;
  auto network = loadDeviceNetwork(options);
  backend::logInfo(__FILE__, __LINE__, model.settings.name + " " + std::to_string(model.settings.version) + " on GPU " +
                                           std::to_string(device) + ": " + network->description());
  const auto mostRows = static_cast<std::size_t>(std::max<std::int64_t>(1, model.settings.maxBatchSize));
  return std::make_unique<gpu::DeviceInstance>(model.columns, device, std::move(network), mostRows);
}

}  // namespace roundhouse::delivery_time
