#pragma once

#include <memory>
#include <string>

#include "batch.hpp"
#include "model_settings.hpp"
#include "network.hpp"

namespace roundhouse::delivery_time {

/// One instance of the model, used by its thread only.
class Instance {
 public:
  virtual ~Instance() = default;
  virtual void execute(backend::Batch& batch) = 0;
};

struct Model {
  backend::ModelSettings settings;
  /// As config.pbtxt declares them.
  Columns columns;
  /// On ONNX Runtime: what instances on the CPU run, and what those on GPUs are compared with.
  std::unique_ptr<Network> network;
  /// Why there is none; only where no instance runs on the CPU.
  std::string noNetwork;
  bool batchInvariant = false;

  std::filesystem::path file() const;
};

/// Throws Error naming the file and what is wrong with it.
std::unique_ptr<Model> loadModel(TRITONBACKEND_Model* handle);

/// On the GPU that the core gives it, else on the CPU: where the instance is the CPU's, where this build knows no GPUs or
/// where TensorRT is not there, which is logged.
std::unique_ptr<Instance> makeInstance(Model& model, TRITONBACKEND_ModelInstance* handle);

std::unique_ptr<Instance> makeCpuInstance(Model& model);
/// nullptr with a reason where networks can't run on GPUs here. Throws Error where this one is refused.
std::unique_ptr<Instance> makeDeviceInstance(Model& model, int device, std::string& reason);

}  // namespace roundhouse::delivery_time
