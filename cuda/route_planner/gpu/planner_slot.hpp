#pragma once

#include "../../device/memory.hpp"
#include "../../device/stream.hpp"
#include "device_planner.hpp"
#include "side_streams.hpp"

namespace roundhouse::route_planner::gpu {

/// Memory and a stream for one chunk at a time: build, then launch, then the next.
class PlannerSlot {
 public:
  /// For up to `chunk` problems; `scratches` warps solve what only the general kernel can. Tests have searches of their
  /// own, which give up early.
  PlannerSlot(int chunk, int scratches, SearchLauncher launchSearches = &gpu::launchSearches);

  const device::Stream& stream() const { return stream_; }
  /// In chunks of up to so many problems those of 4 orders are searched.
  void searchUpTo(int problems) { searchUpTo_ = problems; }

  /// Enqueues the building of problems first … first + count − 1.
  void build(int first, int count, DeviceWork& work);
  /// Waits until they are built, enqueues the kernels and what `work` does with the answers.
  void launch(DeviceWork& work);

  /// Enqueues all of a small batch of `count` problems, of which the first is number 0, in `stream`.
  void solveAtOnce(int count, int mostWarps, DeviceWork& work, cudaStream_t stream);
  /// As DevicePlanner::solveRest.
  bool solveRest(const Counters& counters, DeviceWork& work, cudaStream_t stream);

  /// For benchmarks: the fast kernels of the chunk that was built last, again.
  void launchKernels();
  /// For tests and benchmarks, after a wait.
  Counters counters() const;
  const Building& batch() const { return batch_; }

 private:
  void begin(int first, int count, bool searches4, Counters* d_zeroed, cudaStream_t stream);
  void readStarts();
  void launchGeneral(DeviceWork& work);
  void launchGeneralOf(int most, DeviceWork& work, cudaStream_t stream);

  Building batch_{};
  GroupStarts starts_{};
  device::DeviceMemory d_arena_, d_places_, d_items_, d_summaries_, d_answers_, d_counters_, d_scratch_, d_hard_;
  device::PinnedMemory counters_;
  device::Stream stream_;
  device::Event built_;
  Sides sides_;
  int scratches_;
  SearchLauncher launchSearches_;
  int searchUpTo_ = 0;
};

}  // namespace roundhouse::route_planner::gpu
