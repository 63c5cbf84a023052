#include "../../delivery_time/device_network.hpp"
#include "error.hpp"

namespace roundhouse::delivery_time {

std::shared_ptr<DeviceNetwork> loadDeviceNetwork(const DeviceNetworkOptions&) {
  throw Error(ErrorCode::modelFailed, "this build has no TensorRT");
}

std::string whyNoTensorRt(const std::string&) { return "this build has no TensorRT"; }

}  // namespace roundhouse::delivery_time
