#include "search_kernel.cuh"

namespace roundhouse::route_planner::gpu {

/// ADRs 0012 and 0014 say why these sizes of stack and table.
cudaError_t launchSearches(int orders, const Building& batch, const GroupStarts& starts, cudaStream_t stream) {
  switch (orders) {
    case 5: return launchSearch<5, 192, 128>(batch, starts, stream);
    case 6: return launchSearch<6, 256, 128, kHandOverAfter>(batch, starts, stream);
    default: return launchSearch<7, 320, 128, kHandOverAfter>(batch, starts, stream);
  }
}

std::vector<KernelResources> searchResources() {
  return {resourcesOf("search of 5", searchKernel<5, 192, 128>, 32),
          resourcesOf("search of 6", searchKernel<6, 256, 128, kHandOverAfter>, 32),
          resourcesOf("search of 7", searchKernel<7, 320, 128, kHandOverAfter>, 32)};
}

}  // namespace roundhouse::route_planner::gpu
