#include "broken_kernel.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace roundhouse::fault_injection {
namespace {

constexpr std::uintptr_t kNowhere = std::uintptr_t{1} << 46;

__global__ void writeTo(int* place) { *place = 1; }

}  // namespace

bool start_broken_kernel() {
  int gpus = 0;
  cudaStream_t stream = nullptr;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0 || cudaSetDevice(0) != cudaSuccess) return false;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return false;
  writeTo<<<1, 1, 0, stream>>>(reinterpret_cast<int*>(kNowhere));
  return cudaGetLastError() == cudaSuccess;
}

}  // namespace roundhouse::fault_injection
