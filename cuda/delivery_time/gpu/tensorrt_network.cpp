#include "tensorrt_network.hpp"

#include <algorithm>

#include "error.hpp"
#include "tensorrt_context.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

using nvinfer1::ICudaEngine;
using nvinfer1::TensorIOMode;

struct Port {
  const char* kind;
  const char* name;
  std::size_t columns;
  TensorIOMode mode;
};

std::string shapeText(const nvinfer1::Dims& shape) {
  std::string text;
  for (std::int32_t axis = 0; axis < shape.nbDims; ++axis) {
    if (axis > 0) text += ", ";
    text += shape.d[axis] < 0 ? std::string("N") : std::to_string(shape.d[axis]);
  }
  return "[" + text + "]";
}

std::string names(const ICudaEngine& engine, TensorIOMode mode) {
  std::string all;
  for (std::int32_t index = 0; index < engine.getNbIOTensors(); ++index) {
    const char* name = engine.getIOTensorName(index);
    if (engine.getTensorIOMode(name) == mode) all += (all.empty() ? "" : ", ") + std::string(name);
  }
  return all;
}

void requirePort(const ICudaEngine& engine, const std::string& file, const Port& port) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorCode::modelFailed, file + ": " + port.kind + " " + reason + "; it must be one FP32 '" + port.name +
                                            "' of shape [N, " + std::to_string(port.columns) + "]");
  };
  const std::string found = names(engine, port.mode);
  if (found != port.name) refuse("is named '" + found + "'");
  if (engine.getTensorDataType(port.name) != nvinfer1::DataType::kFLOAT) refuse("is not FP32");
  const nvinfer1::Dims shape = engine.getTensorShape(port.name);
  if (shape.nbDims != 2 || shape.d[0] >= 0 || shape.d[1] != static_cast<std::int64_t>(port.columns)) {
    refuse("has shape " + shapeText(shape));
  }
}

}  // namespace

TensorRtNetwork::Share::Share(int device, std::size_t bytes) : device_(device), bytes_(bytes) {
  if (sharing::reserveMemory(device_, bytes_)) return;
  throw device::DeviceMemoryShort("no memory for a network's weights", cudaErrorMemoryAllocation);
}

TensorRtNetwork::TensorRtNetwork(TensorRt& library, const std::string& plan, const Settings& settings)
    : library_(library), settings_(settings), weights_(settings.device, plan.size()) {
  (void)library_.log().take();
  engine_.reset(library_.runtime().deserializeCudaEngine(plan.data(), plan.size()));
  if (!engine_) {
    throw Error(ErrorCode::modelFailed, settings_.name + ": TensorRT " + library_.version() + " refuses the plan: " +
                                            library_.log().take());
  }
  requirePort(*engine_, settings_.name, {"input", kInputName, settings_.columns.features, TensorIOMode::kINPUT});
  requirePort(*engine_, settings_.name, {"output", kOutputName, settings_.columns.quantiles, TensorIOMode::kOUTPUT});
  readProfiles();
  if (!settings_.sharedArena) return;
  arena_ = ActivationArena::of(settings_.device);
  // A larger profile needs more only as a rule.
  std::size_t most = 0;
  for (std::size_t profile = 0; profile < profiles_.size(); ++profile) most = std::max(most, activationBytes(profile));
  arena_->demand(most);
}

void TensorRtNetwork::readProfiles() {
  std::size_t last = 0;
  for (std::int32_t index = 0; index < engine_->getNbOptimizationProfiles(); ++index) {
    using Selector = nvinfer1::OptProfileSelector;
    const auto least = static_cast<std::size_t>(engine_->getProfileShape(kInputName, index, Selector::kMIN).d[0]);
    const auto most = static_cast<std::size_t>(engine_->getProfileShape(kInputName, index, Selector::kMAX).d[0]);
    if (least > last + 1 || most <= last) {
      throw Error(ErrorCode::modelFailed, settings_.name + ": profile " + std::to_string(index) + " is for " +
                                              std::to_string(least) + " to " + std::to_string(most) +
                                              " rows; profiles must ascend from 1 without a gap");
    }
    profiles_.push_back(last = most);
  }
}

std::size_t TensorRtNetwork::activationBytes(std::size_t profile) const {
  return static_cast<std::size_t>(engine_->getDeviceMemorySizeForProfileV2(static_cast<std::int32_t>(profile)));
}

std::unique_ptr<nvinfer1::IExecutionContext> TensorRtNetwork::execution(std::size_t profile, cudaStream_t stream) {
  using Strategy = nvinfer1::ExecutionContextAllocationStrategy;
  const std::lock_guard lock(mutex_);
  (void)library_.log().take();
  std::unique_ptr<nvinfer1::IExecutionContext> execution(
      engine_->createExecutionContext(arena_ ? Strategy::kUSER_MANAGED : Strategy::kON_PROFILE_CHANGE));
  if (!execution || !execution->setOptimizationProfileAsync(static_cast<std::int32_t>(profile), stream)) {
    throw Error(ErrorCode::modelFailed, settings_.name + ": no execution context: " + library_.log().take());
  }
  device::require(cudaStreamSynchronize(stream), "the GPU failed");
  return execution;
}

std::unique_ptr<DeviceNetwork::Context> TensorRtNetwork::context() {
  return std::make_unique<TensorRtContext>(shared_from_this());
}

}  // namespace roundhouse::delivery_time::gpu
