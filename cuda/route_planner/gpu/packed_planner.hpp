#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device_planner.hpp"
#include "packed_intake.hpp"

namespace roundhouse::route_planner::gpu {

/**
 * Plans of packed problems on one GPU: words go up as they are, are unpacked, solved and answered there, and rows come
 * down. Requests of one call share chunks. One thread calls at a time.
 */
class PackedPlanner {
 public:
  /// Throws as DevicePlanner's constructor does.
  explicit PackedPlanner(const DevicePlannerOptions& options);
  ~PackedPlanner();

  /// Solves the requests: each is cancelled, has a fault, or all its rows. Throws DeviceFault, DeviceMemoryShort.
  void solve(std::span<PackedRequest> requests);

  /// Copies the rows of a request of the last call, as docs/tensors.md says; each of any alignment.
  void read(const PackedRequest& request, void* costs, void* sequences, void* flags);

  /// One line a kernel: registers, shared and local memory, blocks a multiprocessor.
  std::vector<std::string> resources() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace roundhouse::route_planner::gpu
