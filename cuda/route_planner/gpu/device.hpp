#pragma once

#include "../../device/device_count.hpp"
#include "../../device/memory.hpp"
#include "../../device/stream.hpp"
#include "host_memory.hpp"

namespace roundhouse::route_planner::gpu {

using device::DeviceMemory;
using device::require;
using device::Stream;

/// Page-locked, so that copies run beside kernels.
HostAllocator pinnedMemory();

}  // namespace roundhouse::route_planner::gpu
