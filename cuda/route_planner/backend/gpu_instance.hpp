#pragma once

#include <memory>

#include "batch.hpp"

namespace roundhouse::route_planner {

/// An instance on a GPU; its thread alone uses it. This header knows no CUDA: a build without it has no such part.
class GpuInstance {
 public:
  virtual ~GpuInstance() = default;
  /// Answers every request of the batch; they are solved together.
  virtual void execute(backend::Batch& batch) = 0;
};

/// Solves a sample there before it returns. Null where the build has no CUDA. Throws Error and device::DeviceFault.
std::unique_ptr<GpuInstance> makeGpuInstance(int device);

}  // namespace roundhouse::route_planner
