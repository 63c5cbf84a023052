#include "ring.hpp"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "failure.hpp"

namespace roundhouse::shm {
namespace {

constexpr std::uint64_t kWord = 8;

// A frame is its length in one word and its bytes in whole words.
std::uint64_t footprint(std::uint64_t frame_bytes) { return kWord + ((frame_bytes + kWord - 1) & ~(kWord - 1)); }

bool is_ready(int event_fd, short events) {
  pollfd ready{event_fd, events, 0};
  return ::poll(&ready, 1, 0) > 0;
}

// An eventfd has its flags with the peer in common, who may take O_NONBLOCK away at any time.
void read_without_waiting(int event_fd) {
  std::uint64_t count = 0;
  const iovec part{&count, sizeof count};
  if (::preadv2(event_fd, &part, 1, -1, RWF_NOWAIT) >= 0 || errno != EOPNOTSUPP) return;
  // Linux before 5.8.
  if (is_ready(event_fd, POLLIN)) (void)!::read(event_fd, &count, sizeof count);
}

// One whose counter is full rings already.
void ring_without_waiting(int event_fd) {
  const std::uint64_t one = 1;
  if (is_ready(event_fd, POLLOUT)) (void)!::write(event_fd, &one, sizeof one);
}

}  // namespace

RingProducer::RingProducer(std::byte* control, std::byte* data, std::uint64_t bytes, int event_fd)
    : control_(reinterpret_cast<RingControl*>(control)), data_(data), bytes_(bytes), event_fd_(event_fd) {}

bool RingProducer::could_hold(std::size_t frame_bytes) const {
  return frame_bytes <= kMostFrameBytes && footprint(frame_bytes) <= bytes_;
}

void RingProducer::copy_in(std::uint64_t at, const void* from, std::size_t size) {
  if (size == 0) return;
  const std::uint64_t start = at & (bytes_ - 1);
  const std::size_t first = std::min<std::uint64_t>(size, bytes_ - start);
  std::memcpy(data_ + start, from, first);
  std::memcpy(data_, static_cast<const std::byte*>(from) + first, size - first);
}

bool RingProducer::push(std::span<const std::byte> frame) {
  const std::uint64_t used = head_ - control_->tail.load(std::memory_order_acquire);
  if (used > bytes_) throw ShmFailure("PEER_INVALID", "the reader of a ring is ahead of its writer");
  const std::uint64_t needed = footprint(frame.size());
  if (needed > bytes_ - used) return false;
  const std::uint64_t length = frame.size();
  copy_in(head_, &length, sizeof length);
  copy_in(head_ + kWord, frame.data(), frame.size());
  head_ += needed;
  control_->head.store(head_, std::memory_order_seq_cst);
  if (control_->consumer_sleeps.exchange(0, std::memory_order_seq_cst) != 0) ring_without_waiting(event_fd_);
  return true;
}

RingConsumer::RingConsumer(std::byte* control, std::byte* data, std::uint64_t bytes, int event_fd)
    : control_(reinterpret_cast<RingControl*>(control)), data_(data), bytes_(bytes), event_fd_(event_fd) {}

void RingConsumer::copy_out(std::uint64_t at, void* to, std::size_t size) const {
  if (size == 0) return;
  const std::uint64_t start = at & (bytes_ - 1);
  const std::size_t first = std::min<std::uint64_t>(size, bytes_ - start);
  std::memcpy(to, data_ + start, first);
  std::memcpy(static_cast<std::byte*>(to) + first, data_, size - first);
}

bool RingConsumer::pop(Bytes& frame) {
  const std::uint64_t written = control_->head.load(std::memory_order_acquire) - tail_;
  if (written == 0) return false;
  std::uint64_t length = 0;
  if (written > bytes_ || written < kWord) throw ShmFailure("PEER_INVALID", "the writer of a ring is out of bounds");
  copy_out(tail_, &length, sizeof length);
  if (length > kMostFrameBytes) throw ShmFailure("PEER_INVALID", "a frame is too long");
  if (footprint(length) > written) throw ShmFailure("PEER_INVALID", "a frame is cut short");
  frame.resize(length);
  copy_out(tail_ + kWord, frame.data(), length);
  tail_ += footprint(length);
  control_->tail.store(tail_, std::memory_order_release);
  return true;
}

bool RingConsumer::fall_asleep() {
  control_->consumer_sleeps.store(1, std::memory_order_seq_cst);
  if (control_->head.load(std::memory_order_seq_cst) == tail_) return true;
  control_->consumer_sleeps.store(0, std::memory_order_relaxed);
  return false;
}

void RingConsumer::wake_up() { read_without_waiting(event_fd_); }

}  // namespace roundhouse::shm
