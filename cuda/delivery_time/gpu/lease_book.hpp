#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace roundhouse::delivery_time::gpu {

/// Who has which bytes of an arena made of chunks. Two leases share bytes only where the later one waits for the earlier
/// one's end. Knows no device and no threads: its owner locks.
///
/// A lease is open while its owner still enqueues work, then closed (the work may run), then gone.
class LeaseBook {
 public:
  struct Lease {
    std::uint64_t id = 0;
    std::size_t chunk = 0;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    /// Closed leases that must have passed before these bytes are used.
    std::vector<std::uint64_t> after{};
  };

  /// Returns the chunk's index.
  std::size_t addChunk(std::size_t bytes);
  std::size_t largestChunk() const;
  std::size_t bytes() const;
  /// Bytes of the chunks up to the last that is leased in each, open or closed.
  std::size_t reach() const;

  /// Prefers free bytes, then those that were leased longest ago. Nothing where open leases leave no room; throws Error
  /// where no chunk is large enough.
  std::optional<Lease> take(std::size_t bytes);
  /// Opens a closed lease of the same stream once more, whose end need not have passed: work in a stream runs in order.
  /// False where it is gone, smaller than `bytes`, or others lease some of its bytes since.
  bool reopen(std::uint64_t id, std::size_t bytes);
  void close(std::uint64_t id);
  void drop(std::uint64_t id);
  /// The closed ones, the oldest first.
  std::vector<std::uint64_t> closed() const;
  /// That is held, open or closed.
  const Lease& lease(std::uint64_t id) const;

 private:
  struct Held {
    Lease lease;
    bool open = true;
  };
  struct Place {
    std::size_t offset = 0;
    std::vector<std::uint64_t> after;
    std::uint64_t newest() const { return after.empty() ? 0 : after.back(); }
  };
  std::optional<Place> bestPlace(std::size_t chunk, std::size_t bytes) const;
  static bool overlap(const Lease& one, const Lease& other);
  std::optional<Place> placeAt(std::size_t chunk, std::size_t offset, std::size_t bytes) const;

  std::vector<std::size_t> chunks_;
  /// By id.
  std::vector<Held> held_;
  std::uint64_t last_ = 0;
};

}  // namespace roundhouse::delivery_time::gpu
