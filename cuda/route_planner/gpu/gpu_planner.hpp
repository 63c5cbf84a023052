#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../../device/device_count.hpp"
#include "../algo/solve.hpp"

namespace roundhouse::route_planner::gpu {

struct PlannerOptions {
  int device = 0;
  /// Problems of one launch: the grain of cancellation, and what two slots of memory are sized for.
  int chunk = 32768;
  /// Threads that check and pack problems and unpack answers.
  int threads = 1;
};

/**
 * Plans on one GPU, byte-equal to `solve` of algo/solve.hpp but for `Plan::nodes`, which is 0. Chunks go through two
 * slots, so that packing and copies of one run beside the kernels of the other. One thread calls at a time; several
 * planners of one GPU may work side by side.
 */
class GpuPlanner {
 public:
  /// Refuses a GPU on which a kernel can't run or would spill: std::runtime_error naming the kernel and what it needs.
  explicit GpuPlanner(const PlannerOptions& options);
  ~GpuPlanner();

  /// Solves `problems` into `plans`; where a status is not ok, the plan is all 0. `stop` is asked before each chunk is
  /// launched and before each is read back: false, with unspecified plans, once it says true. Throws DeviceFault, and
  /// std::runtime_error where memory is short.
  bool solve(std::span<const Problem> problems, std::span<Plan> plans, std::span<PrepareStatus> statuses,
             const std::function<bool()>& stop);

  /// One line a kernel: registers, shared and local memory, blocks a multiprocessor.
  const std::vector<std::string>& resources() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace roundhouse::route_planner::gpu
