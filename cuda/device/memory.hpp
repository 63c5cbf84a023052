#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "../sharing/shared_gpus.hpp"
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

  /// What was there before is lost where it has to grow; nothing may still use it then. The first time it is as large as
  /// demanded, then half as large again as before at least, so that it grows a few times only.
  void demand(std::size_t bytes) {
    if (bytes <= bytes_) return;
    const std::size_t ample = std::max(bytes, bytes_ + bytes_ / 2);
    (void)give(std::exchange(memory_, nullptr));
    bytes_ = 0;
    if (ample > bytes && take(&memory_, ample) == cudaSuccess) {
      bytes_ = ample;
      return;
    }
    if (ample > bytes) (void)cudaGetLastError();  // else the next launch reports it
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

/// Memory beyond what the backends of this process may have is memory that isn't there.
inline cudaError_t takeDevice(void** memory, std::size_t bytes) {
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return error;
  if (!sharing::reserveMemory(device, bytes)) return cudaErrorMemoryAllocation;
  const cudaError_t error = cudaMalloc(memory, bytes);
  if (error == cudaSuccess) {
    sharing::holdMemory(*memory, device, bytes);
  } else {
    sharing::releaseMemory(device, bytes);
  }
  return error;
}
inline cudaError_t giveDevice(void* memory) {
  const sharing::HeldMemory held = sharing::forgetMemory(memory);
  const cudaError_t error = cudaFree(memory);
  sharing::releaseMemory(held.device, held.bytes);
  return error;
}
inline cudaError_t takePinned(void** memory, std::size_t bytes) {
  return cudaHostAlloc(memory, bytes, cudaHostAllocPortable);
}
inline cudaError_t givePinned(void* memory) { return memory == nullptr ? cudaSuccess : cudaFreeHost(memory); }

/// Of the device that is current when it grows.
using DeviceMemory = GrowingMemory<takeDevice, giveDevice>;
/// Page-locked host memory, so that copies run beside kernels.
using PinnedMemory = GrowingMemory<takePinned, givePinned>;

}  // namespace roundhouse::device
