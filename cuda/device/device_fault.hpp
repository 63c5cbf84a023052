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

/// Too little memory is a std::runtime_error and breaks nothing; everything else is a DeviceFault.
inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  if (error != cudaErrorMemoryAllocation) throw DeviceFault(what, error);
  (void)cudaGetLastError();  // else the next launch reports it
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

}  // namespace roundhouse::device
