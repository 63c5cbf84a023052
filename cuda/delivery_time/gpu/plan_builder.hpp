#pragma once

#include <string>

#include "device_network.hpp"
#include "profiles.hpp"
#include "tensorrt_library.hpp"

namespace roundhouse::delivery_time::gpu {

const char* nameOf(Precision precision);

struct PlanRecipe {
  /// The ONNX file's bytes, and its name for messages.
  const std::string& onnx;
  std::string name;
  Columns columns;
  Precision precision;
  Profiles profiles;
  /// TensorRT's, 0 to 5.
  int level;
};

/// The serialized plan for the current GPU. Takes seconds. Throws Error naming the file and TensorRT's reason, or the
/// library that is missing.
std::string buildPlan(TensorRt& library, const PlanRecipe& recipe);

}  // namespace roundhouse::delivery_time::gpu
