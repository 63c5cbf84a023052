#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../../device/device_count.hpp"
#include "general.hpp"
#include "kernel_resources.hpp"

namespace roundhouse::route_planner::gpu {

/// The problems of one call and what becomes of their answers. Everything here enqueues work on `stream` and returns;
/// what throws ends the call. A chunk's three calls use one stream, and chunks of kPlannerSlots streams take turns:
/// when `build` of one is called, what `build` of the last but one enqueued has run.
class DeviceWork {
 public:
  virtual ~DeviceWork() = default;
  /// How many problems the next chunk has, of at most `most` from number `first` on; 0 ends the call. Called on the host
  /// right before `build` of that chunk.
  virtual int take(int /*first*/, int most) { return most; }
  /// No problem has more orders; asked once a call.
  virtual int mostOrders() const { return kMaxOrders; }
  /// For a call that is solved at once: counters in device memory that are all 0 when its work begins, and whose owner
  /// calls `solveRest` with them afterwards. Null: the planner clears its own, and launches the general kernel in any case.
  virtual Counters* zeroCounters() const { return nullptr; }
  /// Builds problems to.first … to.first + to.count − 1 (SourceWork has it).
  virtual void build(const Building& to, cudaStream_t stream) = 0;
  /// Solves what the general kernel has to (SourceWork has it).
  virtual void solveGeneral(const Building& batch, int firstItem, GeneralScratch* d_scratch, int blocks,
                            cudaStream_t stream) = 0;
  /// Answers and summaries of a chunk are in device memory, the first that of problem solved.first, and are the
  /// planner's again after what is enqueued here. `refused` of them have a status that is not ok; kNotKnown in a call that
  /// is solved at once.
  virtual void finish(const Building& solved, int refused, cudaStream_t stream) = 0;

  static constexpr int kNotKnown = -1;
};

/// Chunks that are under way at a time: what is left of one when most of its problems are solved runs beside the next.
constexpr int kPlannerSlots = 4;

struct DevicePlannerOptions {
  int device = 0;
  /// Problems at a time: the grain of cancellation, and what the slots' memory is sized for.
  int chunk = 32768;
  /// In chunks of up to so many problems a warp searches those of 4 orders: one launch where trees take one a group, and
  /// each is over sooner, but the GPU holds fewer of them. For calls of few problems.
  int searchUpTo = 0;
  /// A call of up to so many problems (at most `chunk`) of up to 5 orders is enqueued as a whole, in the caller's stream,
  /// without a wait for the sizes of its groups. The caller has waited for a call before it makes the next.
  int atOnceUpTo = 0;
};

/**
 * Plans on one GPU, from problems that are built there to answers that stay there; equal to `solve` of algo/solve.hpp
 * but for Plan::nodes. Chunks go through kPlannerSlots slots, so that copies and building of one run beside
 * the kernels of others. One thread calls at a time; several planners of one GPU may work side by side.
 */
class DevicePlanner {
 public:
  /// Refuses a GPU on which a kernel can't run or would spill: std::runtime_error naming the kernel and what it needs.
  explicit DevicePlanner(const DevicePlannerOptions& options);
  ~DevicePlanner();

  /// Runs `work` for problems 0 … count − 1, or as many as it takes, behind what `stream` has now; what `stream` gets
  /// afterwards runs behind it.
  /// `stop` is asked before each chunk is enqueued and before its kernels are: false, once it says true and nothing of
  /// the call runs any more. Throws DeviceFault, and what `work` throws, when nothing of the call runs any more.
  bool solve(int count, DeviceWork& work, cudaStream_t stream, const std::function<bool()>& stop);

  /// The work of a call that was solved at once has passed and left these counters: enqueues what only the general kernel
  /// can, and `work.finish` once more. False where nothing was left.
  bool solveRest(const Counters& counters, DeviceWork& work, cudaStream_t stream);

  int device() const;
  /// One line a kernel: registers, shared and local memory, blocks a multiprocessor.
  const std::vector<std::string>& resources() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The line of a kernel for `resources`. Throws std::runtime_error where it can't run on the current GPU, or would use
/// local memory and is not one that may.
std::string requireFits(const KernelResources& kernel, bool mayUseLocalMemory);

}  // namespace roundhouse::route_planner::gpu
