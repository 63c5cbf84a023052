#include "device_count.hpp"

#include "device_fault.hpp"

namespace roundhouse::device {

int deviceCount() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

void useDevice(int device) { require(cudaSetDevice(device), "no such GPU"); }

}  // namespace roundhouse::device
