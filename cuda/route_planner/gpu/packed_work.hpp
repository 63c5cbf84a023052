#pragma once

#include <array>
#include <deque>

#include "../../device/memory.hpp"
#include "../../device/stream.hpp"
#include "packed_intake.hpp"
#include "packed_kernels.hpp"
#include "worker_pool.hpp"

namespace roundhouse::route_planner::gpu {

/// Memory that packed problems and their rows pass through; kept from call to call.
class PackedBuffers {
 public:
  /// For chunks of up to `chunk` problems. `d_` memory is taken here, so that it does not grow later.
  explicit PackedBuffers(int chunk, WorkerPool& workers = sharedWorkers());

  /// As memcpy, on several threads where that is worth it.
  void copy(void* to, const void* from, std::size_t bytes);

  /// Chunks take turns.
  struct Turn {
    device::DeviceMemory d_words, d_offsets, d_rows;
    device::PinnedMemory offsets, staging;
  };
  /// Rows of a chunk, in page-locked memory.
  struct Result {
    device::PinnedMemory memory;
    int first, count, refused;
    /// They are there.
    device::Event done;
    PackedRows rows() const { return {memory.as<std::byte>(), count}; }
  };

  std::array<Turn, kPlannerSlots> turns;
  std::deque<Result> results;
  std::size_t mostWords;
  WorkerPool& workers;
  PackedWalk walk{workers};
};

/// The requests of one call as the planner's work.
class PackedWork final : public DeviceWork {
 public:
  PackedWork(std::span<PackedRequest> requests, PackedBuffers& buffers) : intake_(requests, buffers.walk), buffers_(buffers) {}

  bool allCancelled() { return intake_.allCancelled(); }
  /// Chunks whose rows are, or will be, in buffers.results.
  int chunks() const { return finished_; }

  int take(int first, int most) override;
  void build(const Building& to, cudaStream_t stream) override;
  void solveGeneral(const Building& batch, int firstItem, GeneralScratch* d_scratch, int blocks,
                    cudaStream_t stream) override;
  void finish(const Building& solved, int refused, cudaStream_t stream) override;

 private:
  /// The turn of the chunk that is built, and of the one that is launched.
  PackedBuffers::Turn& building() { return buffers_.turns[static_cast<std::size_t>(taken_ - 1) % kPlannerSlots]; }
  PackedBuffers::Turn& launching() { return buffers_.turns[static_cast<std::size_t>(finished_) % kPlannerSlots]; }
  PackedSource sourceOf(const PackedBuffers::Turn& turn, int first) const;
  void copyWords(PackedBuffers::Turn& turn, cudaStream_t stream);

  PackedIntake intake_;
  PackedBuffers& buffers_;
  int taken_ = 0;
  int finished_ = 0;
};

}  // namespace roundhouse::route_planner::gpu
