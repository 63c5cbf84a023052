#pragma once

#include <vector>

#include "build.hpp"
#include "kernel_resources.hpp"

namespace roundhouse::route_planner::gpu {

/// For kernels that run side by side between two points of a stream.
struct SideStreams {
  static constexpr int kStreams = 8;
  cudaStream_t streams[kStreams];
  cudaEvent_t begin;
  cudaEvent_t ends[kStreams];
};

/// The first item of each group, as firstOf says.
struct GroupStarts {
  int first[kGroups + 1];
  int count(int group) const { return first[group + 1] - first[group]; }
};

/// All trees of `orders` orders (1…4) of a batch.
cudaError_t launchTrees(int orders, const DeviceBatch& batch, const GroupStarts& starts, cudaStream_t stream,
                        const SideStreams& sides);

/// All searches for up to 5 orders (`orders` 5), for 6, or for 7. What gives up is appended to the general kernel's items.
cudaError_t launchSearches(int orders, const Building& batch, const GroupStarts& starts, cudaStream_t stream);
using SearchLauncher = decltype(&launchSearches);

/// The searches that were handed over, by `warps` warps. What gives up is appended to the general kernel's items.
cudaError_t launchSplit(const Building& batch, const GroupStarts& starts, int warps, cudaStream_t stream);

/// Puts the items of a batch that was built in the order of their groups.
cudaError_t launchPlacing(const Building& batch, cudaStream_t stream);

/// Problems of so many orders at most are in a small batch (small_batch.hpp).
constexpr int kSmallOrders = 5;
/// Warps of a small batch's kernel that a GPU holds at a time.
int mostSmallWarps(int processors);
/// All trees and searches of a small batch, by up to `mostWarps` warps. What gives up is appended to the general kernel's
/// items.
cudaError_t launchSmall(const Building& batch, int mostWarps, cudaStream_t stream);

std::vector<KernelResources> smallResources();
std::vector<KernelResources> treeResources();
std::vector<KernelResources> searchResources();
std::vector<KernelResources> splitResources();
std::vector<KernelResources> placingResources();

}  // namespace roundhouse::route_planner::gpu
