#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace roundhouse::device {

/// The GPU or its context is broken: nothing on it can be trusted again. The message begins with the error's code.
class DeviceFault : public std::runtime_error {
 public:
  DeviceFault(const std::string& what, cudaError_t error)
      : std::runtime_error("DEVICE_FAULT: " + what + ": " + cudaGetErrorString(error)) {}
};

/// The GPU, or the host for it, has too little memory, which breaks nothing.
class DeviceMemoryShort : public std::runtime_error {
 public:
  DeviceMemoryShort(const std::string& what, cudaError_t error)
      : std::runtime_error(what + ": " + cudaGetErrorString(error)) {}
};

/// Too little memory is a DeviceMemoryShort; everything else is a DeviceFault.
inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  if (error != cudaErrorMemoryAllocation) throw DeviceFault(what, error);
  (void)cudaGetLastError();  // else the next launch reports it
  throw DeviceMemoryShort(what, error);
}

}  // namespace roundhouse::device
