// Page-locked memory: copies between it and a GPU need no staging and run beside kernels. The GPU driver is found at run
// time; without one, or without a GPU that this process may see, nothing happens here.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>

namespace roundhouse {

// Locks mapped memory on a thread of its own, since that takes a millisecond for some MiB; until then, and where it
// fails, the memory is used as it is.
class PinnedMemory {
 public:
  // Locked memory of a process is at most this: a peer decides how large its segment is.
  static constexpr std::size_t kMostBytes = std::size_t{4} << 30;

  // Empty: the memory is locked. Otherwise why it is not.
  using Told = std::function<void(const std::string& failure)>;

  // `told` is called at most once, on that thread; not at all without a GPU.
  PinnedMemory(std::byte* start, std::size_t bytes, Told told);
  // Waits for the thread and unlocks. The memory is mapped until then.
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  // Any thread: are these bytes locked by now?
  bool holds(const void* at, std::size_t bytes) const;

 private:
  void lock(const Told& told);

  std::byte* start_;
  std::size_t bytes_;
  std::atomic<bool> locked_{false};
  std::thread thread_;
};

}  // namespace roundhouse
