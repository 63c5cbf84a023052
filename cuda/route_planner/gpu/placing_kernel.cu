#include "kernels.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads) placingKernel(Building batch) {
  __shared__ uint32_t firsts[kGroups];
  if (threadIdx.x < kGroups) firsts[threadIdx.x] = firstOf(*batch.d_counters, static_cast<int>(threadIdx.x));
  __syncthreads();
  const int number = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (number < batch.count) placeItem(batch, number, firsts);
}

}  // namespace

cudaError_t launchPlacing(const Building& batch, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((batch.count + kThreads - 1) / kThreads);
  placingKernel<<<blocks, kThreads, 0, stream>>>(batch);
  return cudaGetLastError();
}

std::vector<KernelResources> placingResources() { return {resourcesOf("placing", placingKernel, kThreads)}; }

}  // namespace roundhouse::route_planner::gpu
