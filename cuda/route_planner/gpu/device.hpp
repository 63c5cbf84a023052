#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "host_memory.hpp"

namespace roundhouse::route_planner::gpu {

/// The GPU or its context is broken: nothing on it can be trusted again. The message begins with the error's code.
class DeviceFault : public std::runtime_error {
 public:
  DeviceFault(const std::string& what, cudaError_t error)
      : std::runtime_error("DEVICE_FAULT: " + what + ": " + cudaGetErrorString(error)) {}
};

/// Too little memory is a std::runtime_error and breaks nothing; everything else is a DeviceFault.
inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  if (error != cudaErrorMemoryAllocation) throw DeviceFault(what, error);
  (void)cudaGetLastError();  // else the next launch reports it
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// Page-locked, so that copies run beside kernels.
HostAllocator pinnedMemory();

/// Device memory that grows without keeping its content.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { cudaFree(memory_); }

  void demand(std::size_t bytes) {
    if (bytes <= bytes_) return;
    cudaFree(memory_);
    memory_ = nullptr;
    bytes_ = 0;
    require(cudaMalloc(&memory_, bytes), "no device memory");
    bytes_ = bytes;
  }
  template <typename T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

class Stream {
 public:
  Stream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "no stream"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }

  operator cudaStream_t() const { return stream_; }
  void wait() const { require(cudaStreamSynchronize(stream_), "the GPU failed"); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace roundhouse::route_planner::gpu
