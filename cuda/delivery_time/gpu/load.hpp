#pragma once

#include "device_network.hpp"

namespace roundhouse::delivery_time::gpu {

/// As loadDeviceNetwork and whyNoTensorRt.
std::shared_ptr<DeviceNetwork> load(const DeviceNetworkOptions& options);
std::string whyNoLibrary(const std::string& library);

}  // namespace roundhouse::delivery_time::gpu
