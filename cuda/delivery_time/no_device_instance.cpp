#include "model.hpp"

namespace roundhouse::delivery_time {

std::unique_ptr<Instance> makeDeviceInstance(Model&, int, std::string& reason) {
  reason = "it was built without CUDA or without TensorRT's headers";
  return nullptr;
}

}  // namespace roundhouse::delivery_time
