#pragma once

#include "device.hpp"
#include "kernels.hpp"

namespace roundhouse::route_planner::gpu {

/// Owns what SideStreams names.
class Sides {
 public:
  Sides();
  Sides(const Sides&) = delete;
  Sides& operator=(const Sides&) = delete;
  ~Sides();
  const SideStreams& all() const { return all_; }

 private:
  SideStreams all_{};
};

/// Memory and a stream for one chunk at a time.
class Slot {
 public:
  explicit Slot(int workspaces);

  /// Packs and launches; returns before the GPU is done. `problems` must stay until `collect` returns.
  void submit(std::span<const Problem> problems, std::span<PrepareStatus> statuses, WorkerPool& workers);
  /// Waits for the chunk and writes its plans.
  void collect(std::span<Plan> plans, WorkerPool& workers);
  void abandon() { busy_ = false; }
  bool busy() const { return busy_; }

  /// For benchmarks: the parts of `submit` one by one.
  void pack(std::span<const Problem> problems, std::span<PrepareStatus> statuses, WorkerPool& workers);
  void copyIn();
  void launch();
  void copyOut();
  const Stream& stream() const { return stream_; }
  /// After copyOut and a wait: problems that a search gave up.
  std::vector<uint32_t> unsolved() const;

 private:
  void launchGeneral(std::span<const Prepared> problems, std::span<const uint32_t> indices);
  void solveUnsolved();
  void write(std::span<Plan> plans, int from, int to) const;

  PackedBatch packed_;
  HostMemory answers_;
  DeviceMemory d_arena_, d_items_, d_answers_, d_prepared_, d_indices_, d_workspaces_;
  Stream stream_;
  Sides sides_;
  int workspaces_;
  std::span<const Problem> problems_;
  bool busy_ = false;
};

}  // namespace roundhouse::route_planner::gpu
