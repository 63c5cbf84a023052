#include "../../cuda/route_planner/gpu/search_kernel.cuh"

namespace roundhouse::test {

/// Searches with a stack that is too small for nearly every problem.
cudaError_t launchSmallSearches(int orders, const route_planner::gpu::Building& batch,
                                const route_planner::gpu::GroupStarts& starts, cudaStream_t stream) {
  using route_planner::gpu::launchSearch;
  switch (orders) {
    case 5: return launchSearch<5, 24, 128>(batch, starts, stream);
    case 6: return launchSearch<6, 24, 128>(batch, starts, stream);
    default: return launchSearch<7, 24, 128>(batch, starts, stream);
  }
}

}  // namespace roundhouse::test
