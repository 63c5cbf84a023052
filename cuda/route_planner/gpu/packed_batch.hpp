#pragma once

#include <span>
#include <vector>

#include "groups.hpp"
#include "host_memory.hpp"
#include "worker_pool.hpp"

namespace roundhouse::route_planner::gpu {

/// A problem of a kernel: its record in the arena, in units of 16 bytes, and where its answer goes.
struct Item {
  uint32_t offset;
  uint32_t index;
};

/// Problems as the kernels read them. Memory is kept from one batch to the next; one thread calls at a time.
class PackedBatch {
 public:
  explicit PackedBatch(HostAllocator allocator) : arena_(allocator), items_(allocator) {}

  /// Checks every problem into `statuses` and packs those that are ok, on the threads of `workers`.
  void pack(std::span<const Problem> problems, std::span<PrepareStatus> statuses, WorkerPool& workers);

  int size() const { return size_; }
  /// Piece of the arena in use; one for each thread that packed.
  struct Piece {
    std::size_t offset, bytes;
  };
  std::span<const Piece> pieces() const { return pieces_; }
  const std::byte* arena() const { return arena_.as<std::byte>(); }
  std::size_t arenaBytes() const { return arenaBytes_; }

  /// Items by group.
  const Item* items() const { return items_.as<Item>(); }
  int itemCount() const { return first_[kGeneralGroup]; }
  int first(int group) const { return first_[group]; }
  Group group(int index) const { return groups_[index]; }

  /// Problems for the general kernel, and their indices.
  std::span<const Prepared> general() const { return general_; }
  std::span<const uint32_t> generalIndices() const { return generalIndices_; }

 private:
  struct Range {
    int from, to;
    Piece piece;
    int counts[kGroups];
  };

  void packRange(std::span<const Problem> problems, std::span<PrepareStatus> statuses, Range& range);
  void sortItems(std::vector<Range>& ranges, WorkerPool& workers);
  void prepareGeneral(std::span<const Problem> problems);

  HostMemory arena_;
  HostMemory items_;
  std::size_t arenaBytes_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Group> groups_;
  std::vector<uint32_t> offsets_;
  std::vector<Prepared> general_;
  std::vector<uint32_t> generalIndices_;
  int first_[kGroups + 1] = {};
  int size_ = 0;
};

}  // namespace roundhouse::route_planner::gpu
