#pragma once

#include <string>

namespace roundhouse::delivery_time::gpu {

/// What a plan was made from and for. Any difference makes it another plan.
struct PlanKey {
  /// SHA-256 of the ONNX file.
  std::string network;
  /// Name, compute capability and multiprocessors.
  std::string gpu;
  /// TensorRT's version with its build.
  std::string library;
  std::string precision;
  std::string profiles;

  bool operator==(const PlanKey&) const = default;
};

/// "NAME VALUE" a line, in a fixed order.
std::string textOf(const PlanKey& key);

/// Of the plan in a cache folder.
std::string fileNameOf(const PlanKey& key);

/// "was built for gpu A, this is gpu B" for what differs in `gpu` and `library`; '' where such a plan runs here.
std::string obstacle(const PlanKey& found, const PlanKey& here);

}  // namespace roundhouse::delivery_time::gpu
