#pragma once

#include "accuracy_limit.hpp"
#include "tensorrt_network.hpp"

namespace roundhouse::delivery_time::gpu {

/// Runs the network on the device in a batch of each profile's size, since each has kernels of its own, and compares it with
/// `reference`. Without one it only runs it. Throws Error where a value is not finite.
Deviation dryRunOnDevice(TensorRtNetwork& network, Network* reference);

}  // namespace roundhouse::delivery_time::gpu
