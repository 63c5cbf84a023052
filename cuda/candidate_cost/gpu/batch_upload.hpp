#pragma once

#include <span>
#include <vector>

#include "../../device/memory.hpp"
#include "../../route_planner/gpu/summary.hpp"
#include "../shard.hpp"
#include "copies.hpp"
#include "device_shards.hpp"

namespace roundhouse::candidate_cost::gpu {

/// What a shard of a batch comes with.
struct ShardInput {
  const Shard* shard;
  /// The tables lie in page-locked memory.
  bool pinned;
  /// By vehicle class, in device memory; null for travel by speed.
  const std::int32_t* d_layers[kVehicles];
};

/// The bytes of a batch's shards and where they go in device memory: what is staged first (descriptions, tables of
/// pageable memory, states as they begin), then order times, then tables that are copied from where they are. Memory is
/// kept from batch to batch.
class BatchUpload {
 public:
  /// Lays the batch out, fills the staging memory and demands room on the GPU. Nothing of an earlier batch may run.
  void prepare(std::span<const ShardInput> inputs);
  /// Enqueues the copies: one, and one a shard whose tables are pinned and lie side by side.
  void enqueue(CopyBy how, cudaStream_t stream) const;

  /// After `prepare`: in device memory, each as many as shards.
  const DeviceShard* d_shards() const { return d_memory_.as<DeviceShard>(); }
  ShardState* d_states() const { return at<ShardState>(resultsAt_ + statesIn()); }
  BatchStamps* d_stamps() const { return at<BatchStamps>(resultsAt_ + stampsIn()); }
  /// All 0 after the copy.
  route_planner::gpu::Counters* d_counters() const { return at<route_planner::gpu::Counters>(resultsAt_); }
  std::int32_t* d_orderTimes() const { return at<std::int32_t>(resultsAt_ + timesIn()); }
  /// Counters, stamps, states and order times lie together, to be copied back at once; these say where in them.
  const std::byte* d_results() const { return at<std::byte>(resultsAt_); }
  std::size_t resultsBytes() const { return timesIn() + timesBytes(); }
  static constexpr std::size_t stampsIn() { return aligned(sizeof(route_planner::gpu::Counters)); }
  static constexpr std::size_t statesIn() { return stampsIn() + aligned(sizeof(BatchStamps)); }
  std::size_t timesIn() const { return statesIn() + aligned(sizeof(ShardState) * shards_.size()); }

  int orders() const { return orders_; }
  int candidates() const { return candidates_; }
  /// Of the network.
  int rows() const { return rows_; }
  int mostOrders() const { return mostOrders_; }
  int mostCandidates() const { return mostCandidates_; }
  /// No plan of the batch has more.
  int mostPlanOrders() const { return mostPlanOrders_; }
  /// Copies that `enqueue` makes from where the tables are.
  std::size_t directCopies() const { return direct_.size() - 1; }

 private:
  /// What copies need beside their bytes: they begin where they do in the host's memory, by 16 bytes, and own their lines.
  static constexpr std::size_t kAround = 32;
  /// Tables begin at whole cache lines.
  static constexpr std::size_t kAlign = 64;

  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

  /// Where the next staged and the next direct bytes go.
  struct Cursors {
    std::size_t staged, direct;
  };

  template <typename T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(d_memory_.as<std::byte>() + offset);
  }
  std::size_t timesBytes() const {
    return sizeof(std::int32_t) * layout::ORDER_TIME_COLUMNS * static_cast<std::size_t>(orders_);
  }
  void demandRoom(std::span<const ShardInput> inputs);
  std::byte* stage(std::size_t bytes);
  void placeTables(const ShardInput& input, const TensorBytes& stretch, DeviceShard& shard);
  void describe(const ShardInput& input, DeviceShard& shard);

  device::PinnedMemory staging_;
  device::DeviceMemory d_memory_;
  std::vector<DeviceShard> shards_;
  /// By shard: what is copied from where it is; no bytes for one that is staged.
  std::vector<TensorBytes> stretches_;
  /// The staged bytes, then the stretches.
  std::vector<BytesCopy> direct_;
  std::size_t resultsAt_ = 0;
  std::size_t stagedBytes_ = 0;
  Cursors next_{};
  int orders_ = 0, candidates_ = 0, rows_ = 0, mostOrders_ = 0, mostCandidates_ = 0, mostPlanOrders_ = 0;
};

}  // namespace roundhouse::candidate_cost::gpu
