#include "kernels.hpp"
#include "search.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

/// One block of one warp a problem. ADR 0012 says why these sizes of stack and table.
template <int kOrders, int kStack, int kMemo>
__global__ void __launch_bounds__(32) searchKernel(DeviceBatch batch, int firstItem) {
  __shared__ SearchMemory<kOrders, kStack, kMemo> memory;
  const Item item = batch.d_items[firstItem + static_cast<int>(blockIdx.x)];
  const Warp warp;
  WarpSearch<Warp, kOrders, kStack, kMemo> search(warp, memory);
  const Answer answer = search.solve(reinterpret_cast<const int32_t*>(batch.d_arena + std::size_t{16} * item.offset));
  if (threadIdx.x == 0) batch.d_answers[item.index] = answer;
}

template <int kOrders, int kStack, int kMemo>
cudaError_t launch(const DeviceBatch& batch, const PackedBatch& packed, cudaStream_t stream) {
  const int first = packed.first(firstSearchGroup(kOrders));
  const int count = packed.first(firstSearchGroup(kOrders) + kSearchSizes) - first;
  if (count == 0) return cudaSuccess;
  searchKernel<kOrders, kStack, kMemo><<<static_cast<unsigned>(count), 32, 0, stream>>>(batch, first);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launchSearches(int orders, const DeviceBatch& batch, const PackedBatch& packed, cudaStream_t stream) {
  return orders <= 5 ? launch<5, 192, 128>(batch, packed, stream) : launch<6, 256, 128>(batch, packed, stream);
}

std::vector<KernelResources> searchResources() {
  return {resourcesOf("search of 5", searchKernel<5, 192, 128>, 32),
          resourcesOf("search of 6", searchKernel<6, 256, 128>, 32)};
}

}  // namespace roundhouse::route_planner::gpu
