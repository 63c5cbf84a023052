#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace roundhouse::sharing {

/// Device memory of one GPU that the backends of a process hold.
struct MemoryUse {
  std::int32_t device = 0;
  std::uint64_t bytes = 0, peak = 0;
  /// 0: as much as there is.
  std::uint64_t limit = 0;
  /// The arena that networks share, part of `bytes`, and the most of it that was leased at a time.
  std::uint64_t arena = 0, arenaPeak = 0;
  /// Times that memory was refused for the limit.
  std::uint64_t refusals = 0;
};

/// Device memory that was taken: of which GPU, and how much. 0 bytes: none.
struct HeldMemory {
  int device = 0;
  std::uint64_t bytes = 0;
};

/// Who holds how much device memory, and whether there may be more. What is taken is reserved first, so the limit is never
/// passed. Any thread.
class MemoryLedger {
 public:
  /// `limit` bytes a GPU; 0: none.
  explicit MemoryLedger(std::uint64_t limit) : limit_(limit) {}

  /// False where the limit leaves no room.
  bool reserve(int device, std::uint64_t bytes);
  /// Gives reserved bytes back.
  void release(int device, std::uint64_t bytes);
  /// What was reserved is at `memory`, until `forget`.
  void hold(const void* memory, int device, std::uint64_t bytes);
  /// What is held there is not any more, but for its bytes: whoever gives the memory back releases them afterwards, so that
  /// nobody counts on what the GPU still has.
  HeldMemory forget(const void* memory);

  void noteArena(int device, std::uint64_t bytes);
  void noteLeased(int device, std::uint64_t bytes);

  /// By device.
  std::vector<MemoryUse> uses() const;
  std::uint64_t limit() const { return limit_; }

 private:
  MemoryUse& of(int device);

  const std::uint64_t limit_;
  mutable std::mutex mutex_;
  std::map<int, MemoryUse> uses_;
  std::map<const void*, HeldMemory> held_;
};

}  // namespace roundhouse::sharing
