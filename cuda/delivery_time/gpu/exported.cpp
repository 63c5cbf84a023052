// The shared library's two functions; its code is in load.cpp.
#include "device_network.hpp"
#include "load.hpp"

namespace roundhouse::delivery_time {

std::shared_ptr<DeviceNetwork> loadDeviceNetwork(const DeviceNetworkOptions& options) { return gpu::load(options); }

std::string whyNoTensorRt(const std::string& library) { return gpu::whyNoLibrary(library); }

}  // namespace roundhouse::delivery_time
