#include "kernels.hpp"
#include "small_batch.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

using Memory = SmallMemory<kSmallOrders, 192, 128>;

__global__ void __launch_bounds__(32) smallKernel(Building batch) {
  __shared__ Memory memory;
  solveSmallBatch(Warp{}, batch, blockIdx.x, gridDim.x, memory);
}

KernelResources resources() { return resourcesOf("few problems", smallKernel, 32); }

}  // namespace

int mostSmallWarps(int processors) { return processors * resources().blocksPerProcessor; }

cudaError_t launchSmall(const Building& batch, int mostWarps, cudaStream_t stream) {
  const int work = batch.count + kSmallTreeGroups;
  smallKernel<<<static_cast<unsigned>(smaller(work, mostWarps)), 32, 0, stream>>>(batch);
  return cudaGetLastError();
}

std::vector<KernelResources> smallResources() { return {resources()}; }

}  // namespace roundhouse::route_planner::gpu
