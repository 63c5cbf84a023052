#pragma once

#include "device_batch.hpp"
#include "kernel_resources.hpp"
#include "tree_record.hpp"

namespace roundhouse::route_planner::gpu {

constexpr int kTreeThreads = 128;

template <int kOrders, int kHeld, bool kCapacity>
__device__ __forceinline__ void solveTree(const DeviceBatch& batch, Item item, bool writes) {
  constexpr int kWords = TreeForm{kOrders, kHeld}.words(kCapacity);
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

/// One thread a problem of one group.
template <int kOrders, int kHeld, bool kCapacity>
__global__ void __launch_bounds__(kTreeThreads) oneTreeKernel(DeviceBatch batch, int firstItem, int count) {
  const int number = static_cast<int>(blockIdx.x * kTreeThreads + threadIdx.x);
  const Item item = batch.d_items[firstItem + min(number, count - 1)];
  solveTree<kOrders, kHeld, kCapacity>(batch, item, number < count);
}

inline unsigned treeBlocks(int count) { return static_cast<unsigned>((count + kTreeThreads - 1) / kTreeThreads); }

/// The groups of 4 orders, those whose capacity can't bind and the others: one source file each, for they take long to
/// compile.
cudaError_t launchFreeTree4(int held, const DeviceBatch& batch, int firstItem, int count, cudaStream_t stream);
cudaError_t launchCapacityTree4(int held, const DeviceBatch& batch, int firstItem, int count, cudaStream_t stream);
KernelResources freeTree4Resources(int held);
KernelResources capacityTree4Resources(int held);

template <bool kCapacity, int kHeld = 0>
cudaError_t launchTree4(int held, const DeviceBatch& batch, int firstItem, int count, cudaStream_t stream) {
  if (held == kHeld) {
    oneTreeKernel<4, kHeld, kCapacity><<<treeBlocks(count), kTreeThreads, 0, stream>>>(batch, firstItem, count);
    return cudaGetLastError();
  }
  if constexpr (kHeld < 4) return launchTree4<kCapacity, kHeld + 1>(held, batch, firstItem, count, stream);
  return cudaErrorInvalidValue;
}

template <bool kCapacity, int kHeld = 0>
KernelResources tree4Resources(int held) {
  if constexpr (kHeld < 4) {
    if (held != kHeld) return tree4Resources<kCapacity, kHeld + 1>(held);
  }
  const std::string name = std::string("tree of 4, ") + std::to_string(kHeld) + " on board";
  return resourcesOf(name + (kCapacity ? ", capacity" : ""), oneTreeKernel<4, kHeld, kCapacity>, kTreeThreads);
}

}  // namespace roundhouse::route_planner::gpu
