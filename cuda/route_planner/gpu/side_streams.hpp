#pragma once

#include "../../device/device_fault.hpp"
#include "kernels.hpp"

namespace roundhouse::route_planner::gpu {

/// Owns what SideStreams names.
class Sides {
 public:
  Sides() {
    device::require(cudaEventCreateWithFlags(&all_.begin, cudaEventDisableTiming), "no event");
    for (int side = 0; side < SideStreams::kStreams; ++side) {
      device::require(cudaStreamCreateWithFlags(&all_.streams[side], cudaStreamNonBlocking), "no stream");
      device::require(cudaEventCreateWithFlags(&all_.ends[side], cudaEventDisableTiming), "no event");
    }
  }
  Sides(const Sides&) = delete;
  Sides& operator=(const Sides&) = delete;
  ~Sides() {
    cudaEventDestroy(all_.begin);
    for (int side = 0; side < SideStreams::kStreams; ++side) {
      cudaStreamDestroy(all_.streams[side]);
      cudaEventDestroy(all_.ends[side]);
    }
  }
  const SideStreams& all() const { return all_; }

 private:
  SideStreams all_{};
};

}  // namespace roundhouse::route_planner::gpu
