#include "kernels.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

constexpr int kThreads = 128;
/// Groups of one number of orders: orders on board times whether capacity binds.
constexpr int kMostGroups = 2 * (kTreeOrders + 1);

/// Which blocks serve which items.
struct TreeGroups {
  int firstBlock[kMostGroups + 1];
  int firstItem[kMostGroups + 1];
};

template <int kOrders, int kHeld, bool kCapacity>
__device__ __forceinline__ void solveTree(const DeviceBatch& batch, Item item, bool writes) {
  constexpr int kWords = treeRecordWords<kOrders, kHeld>(kCapacity);
  const auto* record = reinterpret_cast<const int4*>(batch.d_arena) + item.offset;
  int32_t words[kWords];
#pragma unroll
  for (int four = 0; four < kWords / 4; ++four) {
    const int4 read = __ldg(record + four);
    words[4 * four] = read.x;
    words[4 * four + 1] = read.y;
    words[4 * four + 2] = read.z;
    words[4 * four + 3] = read.w;
  }
  TreeProblem<kOrders, kHeld> problem;
  readTreeRecord<kOrders, kHeld, kCapacity>(words, problem);
  Tree<kOrders, kHeld, kCapacity> tree(problem);
  tree.search();
  if (writes) batch.d_answers[item.index] = treeAnswer(tree.best);
}

template <int kOrders, int kGroup = 0>
__device__ __forceinline__ void solveGroup(int group, const DeviceBatch& batch, Item item, bool writes) {
  if (group == kGroup) {
    solveTree<kOrders, kGroup / 2, kGroup % 2 == 1>(batch, item, writes);
    return;
  }
  if constexpr (kGroup + 1 < kTreeGroupsOf[kOrders]) solveGroup<kOrders, kGroup + 1>(group, batch, item, writes);
}

/// One thread a problem; a block's problems are of one group.
template <int kOrders>
__global__ void __launch_bounds__(kThreads) treeKernel(DeviceBatch batch, TreeGroups groups) {
  const int block = static_cast<int>(blockIdx.x);
  int group = 0;
  while (block >= groups.firstBlock[group + 1]) ++group;
  const int number = (block - groups.firstBlock[group]) * kThreads + static_cast<int>(threadIdx.x);
  const int count = groups.firstItem[group + 1] - groups.firstItem[group];
  const Item item = batch.d_items[groups.firstItem[group] + min(number, count - 1)];
  solveGroup<kOrders>(group, batch, item, number < count);
}

template <int kOrders>
cudaError_t launch(const DeviceBatch& batch, const PackedBatch& packed, cudaStream_t stream) {
  TreeGroups groups{};
  int blocks = 0;
  for (int group = 0; group <= kMostGroups; ++group) {
    const int real = firstTreeGroup(kOrders) + smaller(group, kTreeGroupsOf[kOrders]);
    groups.firstItem[group] = packed.first(real);
    groups.firstBlock[group] = blocks;
    if (group < kTreeGroupsOf[kOrders]) blocks += (packed.first(real + 1) - packed.first(real) + kThreads - 1) / kThreads;
  }
  if (blocks == 0) return cudaSuccess;
  treeKernel<kOrders><<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(batch, groups);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launchTrees(int orders, const DeviceBatch& batch, const PackedBatch& packed, cudaStream_t stream) {
  switch (orders) {
    case 1: return launch<1>(batch, packed, stream);
    case 2: return launch<2>(batch, packed, stream);
    case 3: return launch<3>(batch, packed, stream);
    default: return launch<4>(batch, packed, stream);
  }
}

std::vector<KernelResources> treeResources() {
  return {resourcesOf("tree of 1", treeKernel<1>, kThreads), resourcesOf("tree of 2", treeKernel<2>, kThreads),
          resourcesOf("tree of 3", treeKernel<3>, kThreads), resourcesOf("tree of 4", treeKernel<4>, kThreads)};
}

}  // namespace roundhouse::route_planner::gpu
