#pragma once

#include <memory>
#include <string>

#include "onnxruntime_c_api.h"

namespace roundhouse::delivery_time {

/// ONNX Runtime, opened at run time so that nothing links to a version of it. Opened once and never closed.
class OnnxRuntime {
 public:
  /// Tries `path` where it is not empty, else the environment's ROUNDHOUSE_ONNXRUNTIME, the library found when
  /// this was built, and the loader's search path. Throws Error naming what was tried.
  static const OnnxRuntime& open(const std::string& path);

  const OrtApi& api() const { return *api_; }
  OrtEnv* environment() const { return environment_; }
  std::string version() const { return version_; }
  /// Throws Error with the status's message and releases it; nullptr is success.
  void check(OrtStatus* status, const std::string& doing) const;

 private:
  explicit OnnxRuntime(const std::string& path);

  const OrtApi* api_ = nullptr;
  OrtEnv* environment_ = nullptr;
  std::string version_;
};

}  // namespace roundhouse::delivery_time
