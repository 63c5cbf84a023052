#pragma once

#include <utility>

#include "../../device/device_fault.hpp"
#include "device_planner.hpp"
#include "team_build.hpp"

/// For .cu files that have a source of problems (build.hpp says what that is).
namespace roundhouse::route_planner::gpu {

constexpr int kBuildThreads = 128;
/// Up to so many problems, a warp a block: they spread over more multiprocessors, whose first-level caches then hold the
/// problems that are built. Of so few that most of a GPU's warps have nothing to do, a warp takes half as many.
constexpr int kFewProblems = 16384;
constexpr int kFewestProblems = 4096;

template <class Source>
__global__ void __launch_bounds__(kBuildThreads) buildKernel(const __grid_constant__ Source source, Building to,
                                                             int perWarp) {
  const int warp = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  buildProblem(Warp{}, source, to, lane < perWarp ? warp * perWarp + lane : to.count);
}

/// Problems that a block of teams builds: as many as a multiprocessor has room for eight blocks of.
constexpr int kTeamsOfBlock = 8;

template <class Source, int kSize>
__global__ void __launch_bounds__(kSize * kTeamsOfBlock)
    teamBuildKernel(const __grid_constant__ Source source, Building to) {
  __shared__ TeamMemory<Source, kSize> memory[kTeamsOfBlock];
  const int team = static_cast<int>(threadIdx.x) / kSize;
  buildTogether<kSize>(Warp{}, source, to, static_cast<int>(blockIdx.x) * kTeamsOfBlock + team, memory[team]);
}

/// A block of one warp a scratch.
template <class Source>
__global__ void __launch_bounds__(32)
    generalKernel(const __grid_constant__ Source source, Building batch, uint32_t firstItem, GeneralScratch* d_scratch) {
  solveGenerals(Warp{}, source, batch, firstItem, d_scratch[blockIdx.x]);
}

template <class Source>
void launchBuild(const Source& source, const Building& to, cudaStream_t stream) {
  const int threads = to.count <= kFewProblems ? 32 : kBuildThreads;
  const int perWarp = to.count <= kFewestProblems ? 16 : 32;
  const int perBlock = threads / 32 * perWarp;
  const auto blocks = static_cast<unsigned>((to.count + perBlock - 1) / perBlock);
  buildKernel<Source><<<blocks, static_cast<unsigned>(threads), 0, stream>>>(source, to, perWarp);
  device::require(cudaGetLastError(), "problems can't be built");
}

/// `size` lanes a problem: 4, 8, 16 or 32. The source is one for teams (team_build.hpp).
template <class Source, int kSize = 4>
void launchTeamBuild(int size, const Source& source, const Building& to, cudaStream_t stream) {
  if constexpr (kSize < 32) {
    if (size > kSize) return launchTeamBuild<Source, 2 * kSize>(size, source, to, stream);
  }
  const auto blocks = static_cast<unsigned>((to.count + kTeamsOfBlock - 1) / kTeamsOfBlock);
  teamBuildKernel<Source, kSize><<<blocks, kSize * kTeamsOfBlock, 0, stream>>>(source, to);
  device::require(cudaGetLastError(), "problems can't be built by teams");
}

template <class Source>
void launchGeneral(const Source& source, const Building& batch, int firstItem, GeneralScratch* d_scratch, int blocks,
                   cudaStream_t stream) {
  generalKernel<Source><<<static_cast<unsigned>(blocks), 32, 0, stream>>>(source, batch, static_cast<uint32_t>(firstItem),
                                                                         d_scratch);
  device::require(cudaGetLastError(), "the general kernel can't be launched");
}

/// Lines as DevicePlanner::resources; throws as its constructor does.
template <class Source>
std::vector<std::string> sourceResources() {
  return {requireFits(resourcesOf("building", buildKernel<Source>, kBuildThreads), true),
          requireFits(resourcesOf("general", generalKernel<Source>, 32), true)};
}

/// The same, of kernels for teams.
template <class Source>
std::vector<std::string> teamResources() {
  return {requireFits(resourcesOf("building by 4", teamBuildKernel<Source, 4>, 4 * kTeamsOfBlock), true),
          requireFits(resourcesOf("building by 8", teamBuildKernel<Source, 8>, 8 * kTeamsOfBlock), true),
          requireFits(resourcesOf("building by 16", teamBuildKernel<Source, 16>, 16 * kTeamsOfBlock), true),
          requireFits(resourcesOf("building by 32", teamBuildKernel<Source, 32>, 32 * kTeamsOfBlock), true)};
}

/// DeviceWork whose problems are those of one source; `finish` is left to the user.
template <class Source>
class SourceWork : public DeviceWork {
 public:
  explicit SourceWork(Source source) : source_(std::move(source)) {}

  void build(const Building& to, cudaStream_t stream) override { launchBuild(source_, to, stream); }
  void solveGeneral(const Building& batch, int firstItem, GeneralScratch* d_scratch, int blocks,
                    cudaStream_t stream) override {
    launchGeneral(source_, batch, firstItem, d_scratch, blocks, stream);
  }

  static std::vector<std::string> resources() { return sourceResources<Source>(); }

 protected:
  Source source_;
};

}  // namespace roundhouse::route_planner::gpu
