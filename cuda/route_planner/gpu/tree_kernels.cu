#include "kernels.hpp"
#include "tree_kernel.cuh"

namespace roundhouse::route_planner::gpu {
namespace {

/// Groups of one number of orders: orders on board times whether capacity binds.
constexpr int kMostGroups = 2 * kTreeOrders;

/// Which blocks serve which items.
struct TreeGroups {
  int firstBlock[kMostGroups + 1];
  int firstItem[kMostGroups + 1];
};

template <int kOrders, int kGroup = 0>
__device__ __forceinline__ void solveGroup(int group, const DeviceBatch& batch, Item item, bool writes) {
  if (group == kGroup) {
    solveTree<kOrders, kGroup / 2, kGroup % 2 == 1>(batch, item, writes);
    return;
  }
  if constexpr (kGroup + 1 < treeGroupsOf(kOrders)) solveGroup<kOrders, kGroup + 1>(group, batch, item, writes);
}

/// Up to 3 orders: all groups in one launch; a block's problems are of one group.
template <int kOrders>
__global__ void __launch_bounds__(kTreeThreads) treeKernel(DeviceBatch batch, const __grid_constant__ TreeGroups groups) {
  const int block = static_cast<int>(blockIdx.x);
  int group = 0;
  while (block >= groups.firstBlock[group + 1]) ++group;
  const int number = (block - groups.firstBlock[group]) * kTreeThreads + static_cast<int>(threadIdx.x);
  const int count = groups.firstItem[group + 1] - groups.firstItem[group];
  const Item item = batch.d_items[groups.firstItem[group] + min(number, count - 1)];
  solveGroup<kOrders>(group, batch, item, number < count);
}

template <int kOrders>
cudaError_t launch(const DeviceBatch& batch, const GroupStarts& starts, cudaStream_t stream) {
  TreeGroups groups{};
  int blocks = 0;
  for (int group = 0; group <= kMostGroups; ++group) {
    const int real = firstTreeGroup(kOrders) + smaller(group, treeGroupsOf(kOrders));
    groups.firstItem[group] = starts.first[real];
    groups.firstBlock[group] = blocks;
    if (group >= treeGroupsOf(kOrders)) continue;
    blocks += static_cast<int>(treeBlocks(starts.count(real)));
  }
  if (blocks == 0) return cudaSuccess;
  treeKernel<kOrders><<<static_cast<unsigned>(blocks), kTreeThreads, 0, stream>>>(batch, groups);
  return cudaGetLastError();
}

cudaError_t launchGroup4(int group, const DeviceBatch& batch, const GroupStarts& starts, cudaStream_t stream) {
  const int real = firstTreeGroup(4) + group;
  const int first = starts.first[real];
  const int count = starts.count(real);
  return group % 2 == 0 ? launchFreeTree4(group / 2, batch, first, count, stream)
                        : launchCapacityTree4(group / 2, batch, first, count, stream);
}

/// A kernel a group, side by side: alone, a small group leaves most of the GPU idle.
cudaError_t launch4(const DeviceBatch& batch, const GroupStarts& starts, cudaStream_t stream, const SideStreams& sides) {
  int used = 0;
  cudaError_t error = cudaSuccess;
  for (int group = 0; group < treeGroupsOf(4) && error == cudaSuccess; ++group) {
    const int real = firstTreeGroup(4) + group;
    if (starts.count(real) == 0) continue;
    if (used == 0) error = cudaEventRecord(sides.begin, stream);
    const int side = used++ % SideStreams::kStreams;
    if (error == cudaSuccess) error = cudaStreamWaitEvent(sides.streams[side], sides.begin);
    if (error == cudaSuccess) error = launchGroup4(group, batch, starts, sides.streams[side]);
  }
  for (int side = 0; side < smaller(used, SideStreams::kStreams) && error == cudaSuccess; ++side) {
    error = cudaEventRecord(sides.ends[side], sides.streams[side]);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(stream, sides.ends[side]);
  }
  return error;
}

}  // namespace

cudaError_t launchTrees(int orders, const DeviceBatch& batch, const GroupStarts& starts, cudaStream_t stream,
                        const SideStreams& sides) {
  switch (orders) {
    case 1: return launch<1>(batch, starts, stream);
    case 2: return launch<2>(batch, starts, stream);
    case 3: return launch<3>(batch, starts, stream);
    default: return launch4(batch, starts, stream, sides);
  }
}

std::vector<KernelResources> treeResources() {
  std::vector<KernelResources> all = {resourcesOf("tree of 1", treeKernel<1>, kTreeThreads),
                                      resourcesOf("tree of 2", treeKernel<2>, kTreeThreads),
                                      resourcesOf("tree of 3", treeKernel<3>, kTreeThreads)};
  for (int held = 0; held <= 4; ++held) {
    all.push_back(freeTree4Resources(held));
    all.push_back(capacityTree4Resources(held));
  }
  return all;
}

}  // namespace roundhouse::route_planner::gpu
