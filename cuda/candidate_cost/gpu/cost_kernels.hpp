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

struct PlanningOptions {
  /// Orders of a plan, at most.
  int mostOrders = 0;
  /// As DeviceWork::zeroCounters.
  route_planner::gpu::Counters* d_zero = nullptr;
  /// Lanes that build a problem together: 4, 8, 16 or 32; 1: a lane builds one alone.
  int lanes = 8;
};

/// The candidates as the planner's work: built from the tables, their plans written as records.
std::unique_ptr<route_planner::gpu::DeviceWork> candidateWork(const DeviceShards& batch, const PlanningOptions& options);

/// One line a kernel. Throws where one can't run on the current GPU.
std::vector<std::string> costKernelResources();

}  // namespace roundhouse::candidate_cost::gpu
