#pragma once

#include "accuracy_limit.hpp"
#include "tensorrt_network.hpp"

namespace roundhouse::delivery_time::gpu {

/// Runs the network on the device, as a large batch and as graphs, and compares it with `reference`. Without one it only
/// runs it. Throws Error where a value is not finite.
Deviation dryRunOnDevice(TensorRtNetwork& network, Network* reference);

}  // namespace roundhouse::delivery_time::gpu
