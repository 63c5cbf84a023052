#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <vector>

#include "../../route_planner/gpu/device_planner.hpp"
#include "device_shards.hpp"

namespace roundhouse::candidate_cost::gpu {

/// These enqueue a step for all shards of a batch (shard_steps.hpp); the largest shard has so many rows. They throw
/// DeviceFault.
/// Checks candidates and gathers features.
void launchOpening(const DeviceShards& batch, int mostCandidates, int mostOrders, cudaStream_t stream);
void launchTimes(const DeviceShards& batch, int mostOrders, cudaStream_t stream);

/// The candidates as the planner's work: built from the tables, their plans, of up to `mostOrders` orders, written as
/// records. `d_zero` as DeviceWork::zeroCounters.
std::unique_ptr<route_planner::gpu::DeviceWork> candidateWork(const DeviceShards& batch, int mostOrders,
                                                              route_planner::gpu::Counters* d_zero);

/// One line a kernel. Throws where one can't run on the current GPU.
std::vector<std::string> costKernelResources();

}  // namespace roundhouse::candidate_cost::gpu
