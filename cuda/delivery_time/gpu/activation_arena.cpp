#include "activation_arena.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

constexpr std::size_t kSideBySide = 2;

/// Where memory is short, calls run one after the other.
device::DeviceMemory chunkOf(std::size_t needed) {
  device::DeviceMemory chunk;
  try {
    chunk.demand(needed);
  } catch (const device::DeviceMemoryShort&) {
    chunk.demand(needed / kSideBySide);
  }
  return chunk;
}

}  // namespace

std::shared_ptr<ActivationArena> ActivationArena::of(int device) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<ActivationArena>> arenas;
  const std::lock_guard lock(mutex);
  auto arena = arenas[device].lock();
  if (!arena) arenas[device] = arena = std::make_shared<ActivationArena>(device);
  return arena;
}

void ActivationArena::demand(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  // A multiple of what leases are rounded to, so that two fit side by side.
  const std::size_t needed = kSideBySide * ((bytes + 511) / 512 * 512);
  if (book_.largestChunk() >= needed || (book_.largestChunk() >= needed / kSideBySide && isShort_)) return;
  chunks_.push_back(chunkOf(needed));
  isShort_ = chunks_.back().bytes() < needed;
  book_.addChunk(chunks_.back().bytes());
  sharing::noteArena(device_, book_.bytes());
}

std::size_t ActivationArena::bytes() const {
  const std::lock_guard lock(mutex_);
  return book_.bytes();
}

void ActivationArena::forgetPassed() {
  for (const std::uint64_t id : book_.closed()) {
    const auto end = ends_.find(id);
    const cudaError_t state = cudaEventQuery(*end->second);
    if (state == cudaErrorNotReady) {
      (void)cudaGetLastError();  // else the next launch reports it
      continue;
    }
    device::require(state, "the GPU failed");
    spare_.push_back(std::move(end->second));
    ends_.erase(end);
    book_.drop(id);
  }
}

std::unique_ptr<device::Event> ActivationArena::freshEvent() {
  if (spare_.empty()) return std::make_unique<device::Event>();
  auto event = std::move(spare_.back());
  spare_.pop_back();
  return event;
}

ActivationArena::Lease::Lease(ActivationArena& arena, std::size_t bytes, cudaStream_t stream, Last& last)
    : arena_(arena), stream_(stream) {
  std::unique_lock lock(arena_.mutex_);
  const bool again = last.stream == stream && arena_.book_.reopen(last.id, bytes);
  const LeaseBook::Lease lease = again ? arena_.book_.lease(last.id) : take(bytes, lock);
  last = {lease.id, stream};
  id_ = lease.id;
  bytes_ = lease.bytes;
  memory_ = arena_.chunks_[lease.chunk].as<char>() + lease.offset;
}

LeaseBook::Lease ActivationArena::Lease::take(std::size_t bytes, std::unique_lock<std::mutex>& lock) {
  auto end = arena_.freshEvent();
  std::optional<LeaseBook::Lease> lease;
  while (!lease) {
    arena_.forgetPassed();
    lease = arena_.book_.take(bytes);
    // Open leases last as long as it takes to enqueue a call.
    if (!lease) arena_.closed_.wait(lock);
  }
  for (const std::uint64_t earlier : lease->after) (void)cudaStreamWaitEvent(stream_, *arena_.ends_.at(earlier));
  arena_.ends_[lease->id] = std::move(end);
  sharing::noteLeased(arena_.device_, arena_.book_.reach());
  return *lease;
}

ActivationArena::Lease::~Lease() {
  const std::lock_guard lock(arena_.mutex_);
  // An error here is the device's; who waits for the stream sees it.
  (void)cudaEventRecord(*arena_.ends_.at(id_), stream_);
  arena_.book_.close(id_);
  arena_.closed_.notify_all();
}

}  // namespace roundhouse::delivery_time::gpu
