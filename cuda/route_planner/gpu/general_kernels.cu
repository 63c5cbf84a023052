#include "general.hpp"
#include "kernels.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

/// One block of one warp a workspace; it takes every so many problems.
__global__ void __launch_bounds__(32) generalKernel(GeneralBatch batch) {
  const Warp warp;
  for (int number = static_cast<int>(blockIdx.x); number < batch.count; number += static_cast<int>(gridDim.x)) {
    WarpPlanner<Warp> planner(warp, batch.d_problems[number], batch.d_workspaces[blockIdx.x]);
    const Answer answer = planner.solve();
    if (threadIdx.x == 0) batch.d_answers[batch.d_indices[number]] = answer;
    warp.sync();
  }
}

}  // namespace

cudaError_t launchGeneral(const GeneralBatch& batch, cudaStream_t stream) {
  if (batch.count == 0) return cudaSuccess;
  const auto blocks = static_cast<unsigned>(smaller(batch.count, batch.workspaces));
  generalKernel<<<blocks, 32, 0, stream>>>(batch);
  return cudaGetLastError();
}

std::vector<KernelResources> generalResources() { return {resourcesOf("general", generalKernel, 32)}; }

}  // namespace roundhouse::route_planner::gpu
