#include "tree_kernel.cuh"

namespace roundhouse::route_planner::gpu {

cudaError_t launchFreeTree4(int held, const DeviceBatch& batch, int firstItem, int count, cudaStream_t stream) {
  return launchTree4<false>(held, batch, firstItem, count, stream);
}

KernelResources freeTree4Resources(int held) { return tree4Resources<false>(held); }

}  // namespace roundhouse::route_planner::gpu
