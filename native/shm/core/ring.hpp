// A ring of frames in shared memory with one producer and one consumer. Neither believes the other's counter
// before it is checked, and a frame is copied out before it is read: the peer can break the session, never us.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace roundhouse::shm {

using Bytes = std::vector<std::byte>;

// Longer ones are refused on both ends: what a peer sends is copied.
constexpr std::uint64_t kMostFrameBytes = 1ULL << 20;

struct RingControl {
  alignas(64) std::atomic<std::uint64_t> head;  // bytes written, ever
  alignas(64) std::atomic<std::uint64_t> tail;  // bytes read, ever
  alignas(64) std::atomic<std::uint32_t> consumer_sleeps;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class RingProducer {
 public:
  RingProducer(std::byte* control, std::byte* data, std::uint64_t bytes, int event_fd);
  // False where there is no room. Throws PEER_INVALID for a counter that can't be.
  bool push(std::span<const std::byte> frame);
  // A frame of so many bytes fits into an empty ring and isn't too long.
  bool could_hold(std::size_t frame_bytes) const;

 private:
  void copy_in(std::uint64_t at, const void* from, std::size_t size);

  RingControl* control_;
  std::byte* data_;
  std::uint64_t bytes_;
  int event_fd_;
  std::uint64_t head_ = 0;
};

class RingConsumer {
 public:
  RingConsumer(std::byte* control, std::byte* data, std::uint64_t bytes, int event_fd);
  // False where there is none. Throws PEER_INVALID for counters or lengths that can't be.
  bool pop(Bytes& frame);
  // Is there something to pop? A look, for who spins.
  bool has_frame() const { return control_->head.load(std::memory_order_acquire) != tail_; }
  // No event comes for what is written from now on: who calls it looks again and again.
  void stay_awake() { control_->consumer_sleeps.store(0, std::memory_order_relaxed); }
  // Call it before waiting for the event; false: there is a frame already.
  bool fall_asleep();
  // Call it when the event came.
  void wake_up();

 private:
  void copy_out(std::uint64_t at, void* to, std::size_t size) const;

  RingControl* control_;
  std::byte* data_;
  std::uint64_t bytes_;
  int event_fd_;
  std::uint64_t tail_ = 0;
};

}  // namespace roundhouse::shm
