#include "kernels.hpp"
#include "split.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

using Memory = SearchMemory<7, 320, 128>;

__global__ void __launch_bounds__(32) splitKernel(Building batch, int firstGeneral) {
  __shared__ Memory memory;
  solvePieces(Warp{}, batch, firstGeneral, memory);
}

}  // namespace

cudaError_t launchSplit(const Building& batch, const GroupStarts& starts, int warps, cudaStream_t stream) {
  const int searches = starts.first[kGeneralGroup] - starts.first[firstSearchGroup(6)];
  if (searches == 0) return cudaSuccess;
  splitKernel<<<static_cast<unsigned>(warps), 32, 0, stream>>>(batch, starts.first[kGeneralGroup]);
  return cudaGetLastError();
}

std::vector<KernelResources> splitResources() { return {resourcesOf("split search", splitKernel, 32)}; }

}  // namespace roundhouse::route_planner::gpu
