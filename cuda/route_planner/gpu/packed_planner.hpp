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
  /// Throws as DevicePlanner's constructor does. `workers`, which outlive it, share the
  /// host's part of a call.
  explicit PackedPlanner(const DevicePlannerOptions& options, WorkerPool& workers = sharedWorkers());
  ~PackedPlanner();

  /// Enqueues the solving of the requests: each is then cancelled, has a fault that the host can see, or `read` waits for
  /// it. Throws DeviceFault, DeviceMemoryShort, when nothing of the call runs any more.
  void solve(std::span<PackedRequest> requests);

  /// Copies the rows of a request of the last call as they arrive, as docs/tensors.md says; each of any alignment. False
  /// where the GPU refused one of its problems, which is its fault then.
  bool read(PackedRequest& request, void* costs, void* sequences, void* flags);
  /// Of a request with a fault: a problem that the GPU refused before is its fault instead.
  void findRefused(PackedRequest& request);
  /// Until nothing of the last call runs any more and its words are the callers' again. `read` of all requests does as well.
  void wait();

  /// One line a kernel: registers, shared and local memory, blocks a multiprocessor.
  std::vector<std::string> resources() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace roundhouse::route_planner::gpu
