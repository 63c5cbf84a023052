#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <utility>

namespace roundhouse::route_planner::gpu {

/// What a kernel needs of the GPU, as the compiler and the driver say.
struct KernelResources {
  std::string name;
  cudaError_t error;
  int threads, registers, blocksPerProcessor;
  std::size_t sharedBytes, localBytes;
};

template <typename Kernel>
KernelResources resourcesOf(std::string name, Kernel* kernel, int threads) {
  KernelResources result{std::move(name), cudaSuccess, threads, 0, 0, 0, 0};
  cudaFuncAttributes attributes{};
  result.error = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
  if (result.error != cudaSuccess) return result;
  result.registers = attributes.numRegs;
  result.sharedBytes = attributes.sharedSizeBytes;
  result.localBytes = attributes.localSizeBytes;
  result.error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&result.blocksPerProcessor,
                                                               reinterpret_cast<const void*>(kernel), threads, 0);
  return result;
}

}  // namespace roundhouse::route_planner::gpu
