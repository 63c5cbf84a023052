#include "kernels.hpp"
#include "search.hpp"

namespace roundhouse::route_planner::gpu {
namespace {

/// One block of one warp a problem.
template <int kOrders, int kStack, int kMemo, bool kAskAgain>
__global__ void __launch_bounds__(32) searchKernel(DeviceBatch batch, int firstItem) {
  __shared__ SearchMemory<kOrders, kStack, kMemo> memory;
  const Item item = batch.d_items[firstItem + static_cast<int>(blockIdx.x)];
  const Warp warp;
  WarpSearch<Warp, kOrders, kStack, kMemo, kAskAgain> search(warp, memory);
  const Answer answer = search.solve(reinterpret_cast<const int32_t*>(batch.d_arena + std::size_t{16} * item.offset));
  if (threadIdx.x == 0) batch.d_answers[item.index] = answer;
}

template <int kOrders, int kStack, int kMemo, bool kAskAgain>
cudaError_t launch(const DeviceBatch& batch, const PackedBatch& packed, cudaStream_t stream) {
  const int first = packed.first(firstSearchGroup(kOrders));
  const int count = packed.first(firstSearchGroup(kOrders) + kSearchSizes) - first;
  if (count == 0) return cudaSuccess;
  searchKernel<kOrders, kStack, kMemo, kAskAgain><<<static_cast<unsigned>(count), 32, 0, stream>>>(batch, first);
  return cudaGetLastError();
}

}  // namespace

cudaError_t launchSearches(int orders, int variant, const DeviceBatch& batch, const PackedBatch& packed,
                           cudaStream_t stream) {
  if (orders <= 5) {
    switch (variant) {
      case 1: return launch<5, 192, 128, true>(batch, packed, stream);
      case 2: return launch<5, 192, 64, true>(batch, packed, stream);
      case 3: return launch<5, 192, 64, false>(batch, packed, stream);
      default: return launch<5, 192, 128, false>(batch, packed, stream);
    }
  }
  switch (variant) {
    case 1: return launch<6, 256, 128, true>(batch, packed, stream);
    case 2: return launch<6, 256, 256, true>(batch, packed, stream);
    case 3: return launch<6, 256, 256, false>(batch, packed, stream);
    default: return launch<6, 256, 128, false>(batch, packed, stream);
  }
}

std::vector<KernelResources> searchResources() {
  return {resourcesOf("search of 5", searchKernel<5, 192, 128, false>, 32),
          resourcesOf("search of 6", searchKernel<6, 256, 128, false>, 32)};
}

}  // namespace roundhouse::route_planner::gpu
