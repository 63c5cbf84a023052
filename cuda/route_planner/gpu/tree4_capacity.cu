#include "tree_kernel.cuh"

namespace roundhouse::route_planner::gpu {

cudaError_t launchCapacityTree4(int held, const DeviceBatch& batch, int firstItem, int count, cudaStream_t stream) {
  return launchTree4<true>(held, batch, firstItem, count, stream);
}

KernelResources capacityTree4Resources(int held) { return tree4Resources<true>(held); }

}  // namespace roundhouse::route_planner::gpu
