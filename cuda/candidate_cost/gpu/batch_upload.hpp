#pragma once

#include <span>
#include <vector>

#include "../../device/memory.hpp"
#include "../shard.hpp"
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
/// pageable memory), then tables that are copied from where they are. Memory is kept from batch to batch.
class BatchUpload {
 public:
  /// Lays the batch out, fills the staging memory and demands room on the GPU. Nothing of an earlier batch may run.
  void prepare(std::span<const ShardInput> inputs);
  /// Enqueues the copies: one, and one a shard whose tables are pinned and lie side by side.
  void enqueue(cudaStream_t stream) const;

  /// After `prepare`: in device memory, each as many as shards.
  const DeviceShard* d_shards() const { return d_memory_.as<DeviceShard>(); }
  ShardState* d_states() const { return reinterpret_cast<ShardState*>(d_memory_.as<std::byte>() + statesAt_); }

  int orders() const { return orders_; }
  int candidates() const { return candidates_; }
  /// Of the network.
  int rows() const { return rows_; }
  int mostOrders() const { return mostOrders_; }
  int mostCandidates() const { return mostCandidates_; }
  /// Copies that `enqueue` makes from where the tables are.
  std::size_t directCopies() const { return direct_.size(); }

 private:
  struct Direct {
    const void* from;
    std::size_t at, bytes;
  };
  /// Where the next staged and the next direct bytes go.
  struct Cursors {
    std::size_t staged, direct;
  };

  void demandRoom(std::span<const ShardInput> inputs);
  std::byte* stage(std::size_t bytes);
  void placeTables(const ShardInput& input, const TensorBytes& stretch, DeviceShard& shard);
  void describe(const ShardInput& input, DeviceShard& shard);

  device::PinnedMemory staging_;
  device::DeviceMemory d_memory_;
  std::vector<DeviceShard> shards_;
  /// By shard: what is copied from where it is; no bytes for one that is staged.
  std::vector<TensorBytes> stretches_;
  std::vector<Direct> direct_;
  std::size_t statesAt_ = 0;
  std::size_t stagedBytes_ = 0;
  Cursors next_{};
  int orders_ = 0, candidates_ = 0, rows_ = 0, mostOrders_ = 0, mostCandidates_ = 0;
};

}  // namespace roundhouse::candidate_cost::gpu
