#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "lease_book.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace roundhouse::delivery_time::gpu {

/// Device memory for the activations of all networks of a GPU: as much as the two largest calls need, however many
/// networks and contexts there are. A lease orders streams, so the host never waits for the GPU here. Any thread.
class ActivationArena {
 public:
  explicit ActivationArena(int device) : device_(device) {}

  /// The one of a GPU, made with its first user and gone with its last. That GPU must be current, in all calls.
  static std::shared_ptr<ActivationArena> of(int device);

  /// Makes room for two calls that need `bytes` each, or for one where memory is short. Throws DeviceMemoryShort.
  void demand(std::size_t bytes);
  /// Of device memory that it holds.
  std::size_t bytes() const;

  /// Of a lease, for the next one of the same owner: it gets the same memory while nobody else wants it.
  struct Last {
    std::uint64_t id = 0;
    cudaStream_t stream = nullptr;
  };

  /// Memory for the work that the owner enqueues on `stream` until the lease ends. That work runs once no earlier lease
  /// of these bytes is in use.
  class Lease {
   public:
    Lease(ActivationArena& arena, std::size_t bytes, cudaStream_t stream, Last& last);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    void* memory() const { return memory_; }
    std::size_t bytes() const { return bytes_; }

   private:
    LeaseBook::Lease take(std::size_t bytes, std::unique_lock<std::mutex>& lock);

    ActivationArena& arena_;
    cudaStream_t stream_;
    std::uint64_t id_ = 0;
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
  };

 private:
  void forgetPassed();
  std::unique_ptr<device::Event> freshEvent();

  const int device_;
  mutable std::mutex mutex_;
  /// There was no memory for two.
  bool isShort_ = false;
  std::condition_variable closed_;
  LeaseBook book_;
  std::vector<device::DeviceMemory> chunks_;
  /// Recorded behind the work of each closed lease.
  std::map<std::uint64_t, std::unique_ptr<device::Event>> ends_;
  std::vector<std::unique_ptr<device::Event>> spare_;
};

}  // namespace roundhouse::delivery_time::gpu
