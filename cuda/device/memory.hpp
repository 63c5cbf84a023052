#pragma once

#include <cstddef>
#include <utility>

#include "device_fault.hpp"

namespace roundhouse::device {

/// Memory that grows without keeping its content.
template <cudaError_t (*take)(void**, std::size_t), cudaError_t (*give)(void*)>
class GrowingMemory {
 public:
  GrowingMemory() = default;
  GrowingMemory(GrowingMemory&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  GrowingMemory& operator=(GrowingMemory&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~GrowingMemory() { (void)give(memory_); }

  /// What was there before is lost where it has to grow; nothing may still use it then.
  void demand(std::size_t bytes) {
    if (bytes <= bytes_) return;
    (void)give(std::exchange(memory_, nullptr));
    bytes_ = 0;
    require(take(&memory_, bytes), "no memory for the GPU");
    bytes_ = bytes;
  }
  std::size_t bytes() const { return bytes_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

inline cudaError_t takeDevice(void** memory, std::size_t bytes) { return cudaMalloc(memory, bytes); }
inline cudaError_t giveDevice(void* memory) { return cudaFree(memory); }
inline cudaError_t takePinned(void** memory, std::size_t bytes) {
  return cudaHostAlloc(memory, bytes, cudaHostAllocPortable);
}
inline cudaError_t givePinned(void* memory) { return memory == nullptr ? cudaSuccess : cudaFreeHost(memory); }

/// Of the device that is current when it grows.
using DeviceMemory = GrowingMemory<takeDevice, giveDevice>;
/// Page-locked host memory, so that copies run beside kernels.
using PinnedMemory = GrowingMemory<takePinned, givePinned>;

}  // namespace roundhouse::device
