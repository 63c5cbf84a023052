#pragma once

#include "../model.hpp"
#include "device_coster.hpp"

namespace roundhouse::candidate_cost::gpu {

/// Answers batches with a coster of its own.
class DeviceInstance final : public GpuInstance {
 public:
  DeviceInstance(Model& model, std::unique_ptr<DeviceCoster> coster) : model_(model), coster_(std::move(coster)) {}

  void execute(backend::Batch& batch) override;

  /// Costs the sample shard and holds its plans against the CPU's for the same times. Throws Error where they differ.
  void dryRun();

 private:
  Model& model_;
  std::unique_ptr<DeviceCoster> coster_;
};

}  // namespace roundhouse::candidate_cost::gpu
