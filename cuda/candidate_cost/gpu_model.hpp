#pragma once

#include <memory>

#include "batch.hpp"

namespace roundhouse::candidate_cost {

struct Model;

/// An instance on a GPU; its thread alone uses it.
class GpuInstance {
 public:
  virtual ~GpuInstance() = default;
  /// Answers every request of the batch.
  virtual void execute(backend::Batch& batch) = 0;
};

/// What the instances of a model on GPUs share. This header knows no CUDA: a build without it has no such part.
class GpuModel {
 public:
  virtual ~GpuModel() = default;
  /// Costs the sample shard on the GPU before it returns. Throws Error, DeviceFault. Any thread.
  virtual std::unique_ptr<GpuInstance> instance(int device) = 0;
};

/// Null where the build has no CUDA; instances on a GPU are then served by the CPU. The model outlives it.
std::unique_ptr<GpuModel> makeGpuModel(Model& model);

}  // namespace roundhouse::candidate_cost
