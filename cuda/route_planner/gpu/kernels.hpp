#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "../algo/solve.hpp"
#include "answer.hpp"
#include "groups.hpp"
#include "packed_batch.hpp"

namespace roundhouse::route_planner::gpu {

/// A batch in device memory.
struct DeviceBatch {
  const std::byte* d_arena;
  const Item* d_items;
  Answer* d_answers;
};

/// For kernels that run side by side between two points of a stream.
struct SideStreams {
  static constexpr int kStreams = 8;
  cudaStream_t streams[kStreams];
  cudaEvent_t begin;
  cudaEvent_t ends[kStreams];
};

/// All trees of `orders` orders (1…4) of a batch.
cudaError_t launchTrees(int orders, const DeviceBatch& batch, const PackedBatch& packed, cudaStream_t stream,
                        const SideStreams& sides);

/// All searches for up to 5 orders (`orders` 5), or for 6.
cudaError_t launchSearches(int orders, const DeviceBatch& batch, const PackedBatch& packed, cudaStream_t stream);

/// `count` prepared problems, answers to the places of d_indices; `workspaces` of d_workspaces, zeroed once.
struct GeneralBatch {
  const Prepared* d_problems;
  const uint32_t* d_indices;
  Answer* d_answers;
  Workspace* d_workspaces;
  int workspaces;
  int count;
};
cudaError_t launchGeneral(const GeneralBatch& batch, cudaStream_t stream);

/// What a kernel needs of the GPU, as the compiler and the driver say.
struct KernelResources {
  std::string name;
  cudaError_t error;
  int threads, registers, blocksPerProcessor;
  std::size_t sharedBytes, localBytes;
};
std::vector<KernelResources> treeResources();
std::vector<KernelResources> searchResources();
std::vector<KernelResources> generalResources();

template <typename Kernel>
KernelResources resourcesOf(std::string name, Kernel* kernel, int threads) {
  KernelResources result{std::move(name), cudaSuccess, threads, 0, 0, 0, 0};
  cudaFuncAttributes attributes{};
  result.error = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
  if (result.error != cudaSuccess) return result;
  result.registers = attributes.numRegs;
  result.sharedBytes = attributes.sharedSizeBytes;
  result.localBytes = attributes.localSizeBytes;
  result.error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&result.blocksPerProcessor,
                                                               reinterpret_cast<const void*>(kernel), threads, 0);
  return result;
}

}  // namespace roundhouse::route_planner::gpu
