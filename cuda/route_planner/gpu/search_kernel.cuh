#pragma once

#include "kernels.hpp"
#include "split.hpp"

namespace roundhouse::route_planner::gpu {

/// One block of one warp a problem. A label more than `kStack` ends it unsolved; after `kRounds` rounds, 0: never, it is
/// handed over.
template <int kOrders, int kStack, int kMemo, int kRounds = 0>
__global__ void __launch_bounds__(32) searchKernel(Building batch, int firstItem, int firstGeneral) {
  __shared__ SearchMemory<kOrders, kStack, kMemo> memory;
  const Item item = batch.d_items[firstItem + static_cast<int>(blockIdx.x)];
  const Warp warp;
  WarpSearch<Warp, kOrders, kStack, kMemo> search(warp, memory);
  const auto* record = reinterpret_cast<const int32_t*>(batch.d_arena + std::size_t{16} * item.offset);
  const Answer answer = search.solve(record, kRounds == 0 ? INT32_MAX : kRounds, [&](int32_t cheapest) {
    return kRounds != 0 && handOver(warp, batch, item, cheapest);
  });
  if (threadIdx.x != 0 || answer.cost == kHandedOver) return;
  batch.d_answers[item.index] = answer;
  if (answer.cost != kUnsolved) return;
  const uint32_t behind = batch.d_counters->perGroup[kGeneralGroup] + atomicAdd(&batch.d_counters->unsolved, 1u);
  batch.d_items[static_cast<uint32_t>(firstGeneral) + behind] = item;
}

/// All searches of the group of `kOrders`.
template <int kOrders, int kStack, int kMemo, int kRounds = 0>
cudaError_t launchSearch(const Building& batch, const GroupStarts& starts, cudaStream_t stream) {
  const int first = starts.first[firstSearchGroup(kOrders)];
  const int count = starts.first[firstSearchGroup(kOrders) + kSearchSizes] - first;
  if (count == 0) return cudaSuccess;
  searchKernel<kOrders, kStack, kMemo, kRounds><<<static_cast<unsigned>(count), 32, 0, stream>>>(
      batch, first, starts.first[kGeneralGroup]);
  return cudaGetLastError();
}

}  // namespace roundhouse::route_planner::gpu
