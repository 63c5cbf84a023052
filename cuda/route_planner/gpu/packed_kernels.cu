#include "packed_kernels.hpp"

#include "device_planner.cuh"

namespace roundhouse::route_planner::gpu {
namespace {

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads) rowsKernel(Building solved, PackedRows rows) {
  const int number = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (number < solved.count) writeRow(solved.d_answers[number], solved.d_summaries[number], rows, number);
}

}  // namespace

void buildPacked(const PackedSource& source, const Building& to, cudaStream_t stream) {
  launchBuild(source, to, stream);
}

void solvePackedGenerally(const PackedSource& source, const Building& batch, int firstItem, GeneralScratch* d_scratch,
                          int blocks, cudaStream_t stream) {
  launchGeneral(source, batch, firstItem, d_scratch, blocks, stream);
}

void writePacked(const Building& solved, const PackedRows& rows, cudaStream_t stream) {
  rowsKernel<<<static_cast<unsigned>((solved.count + kThreads - 1) / kThreads), kThreads, 0, stream>>>(solved, rows);
  device::require(cudaGetLastError(), "answers can't be written");
}

std::vector<std::string> packedResources() {
  std::vector<std::string> all = sourceResources<PackedSource>();
  all.push_back(requireFits(resourcesOf("rows", rowsKernel, kThreads), true));
  return all;
}

}  // namespace roundhouse::route_planner::gpu
