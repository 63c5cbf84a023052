#include <algorithm>

#include "../../route_planner/gpu/device_planner.cuh"
#include "cost_kernels.hpp"
#include "team_source.hpp"

namespace roundhouse::candidate_cost::gpu {
namespace {

namespace planner = route_planner::gpu;

constexpr int kThreads = 128;

/// A row of blocks a shard: x counts its rows.
dim3 gridOf(const DeviceShards& batch, int mostRows) {
  return {static_cast<unsigned>((mostRows + kThreads - 1) / kThreads), static_cast<unsigned>(batch.count)};
}

__device__ __forceinline__ int rowOfThread() { return static_cast<int>(blockIdx.x * kThreads + threadIdx.x); }

/// The GPU's clock; its steps are 32 ns to 1 us.
__device__ __forceinline__ unsigned long long deviceNs() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__device__ __forceinline__ bool isFirstThread() { return blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0; }

__global__ void __launch_bounds__(kThreads) openingKernel(const __grid_constant__ DeviceShards batch) {
  if (isFirstThread()) batch.stamps->copied = deviceNs();
  const int shard = static_cast<int>(blockIdx.y);
  const ShardTables& tables = batch.shards[shard].tables;
  if (rowOfThread() < tables.orderCount + kVehicles) featuresStep(batch, shard, rowOfThread());
  if (rowOfThread() < tables.candidateCount) checkCandidateStep(batch, shard, rowOfThread());
}

__global__ void __launch_bounds__(kThreads) timesKernel(const __grid_constant__ DeviceShards batch) {
  if (isFirstThread()) batch.stamps->predicted = deviceNs();
  const int shard = static_cast<int>(blockIdx.y);
  if (rowOfThread() < batch.shards[shard].tables.orderCount + kVehicles) timesStep(batch, shard, rowOfThread());
}

__global__ void __launch_bounds__(kThreads)
    recordsKernel(const __grid_constant__ DeviceShards batch, const planner::Building solved) {
  const int number = rowOfThread();
  if (number < solved.count) {
    recordStep(batch, solved.first + number, solved.d_answers[number], solved.d_summaries[number]);
  }
  if (threadIdx.x == 0) atomicMax(&batch.stamps->planned, deviceNs());
}

class CandidateWork final : public planner::SourceWork<TeamCandidateSource> {
 public:
  CandidateWork(const DeviceShards& batch, const PlanningOptions& options)
      : SourceWork(TeamCandidateSource{{batch}}), options_(options) {}

  int mostOrders() const override { return options_.mostOrders; }
  planner::Counters* zeroCounters() const override { return options_.d_zero; }
  void build(const planner::Building& to, cudaStream_t stream) override {
    if (options_.lanes < 2) return SourceWork::build(to, stream);
    planner::launchTeamBuild(options_.lanes, source_, to, stream);
  }
  void finish(const planner::Building& solved, int, cudaStream_t stream) override {
    recordsKernel<<<static_cast<unsigned>((solved.count + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
        source_.batch, solved);
    device::require(cudaGetLastError(), "plans can't be written");
  }

 private:
  PlanningOptions options_;
};

}  // namespace

void launchOpening(const DeviceShards& batch, int mostCandidates, int mostOrders, cudaStream_t stream) {
  openingKernel<<<gridOf(batch, std::max(mostCandidates, mostOrders + kVehicles)), kThreads, 0, stream>>>(batch);
  device::require(cudaGetLastError(), "candidates can't be checked");
}

void launchTimes(const DeviceShards& batch, int mostOrders, cudaStream_t stream) {
  timesKernel<<<gridOf(batch, mostOrders + kVehicles), kThreads, 0, stream>>>(batch);
  device::require(cudaGetLastError(), "times can't be computed");
}

std::unique_ptr<planner::DeviceWork> candidateWork(const DeviceShards& batch, const PlanningOptions& options) {
  return std::make_unique<CandidateWork>(batch, options);
}

std::vector<std::string> costKernelResources() {
  using planner::requireFits;
  using planner::resourcesOf;
  std::vector<std::string> all = planner::SourceWork<TeamCandidateSource>::resources();
  for (std::string& line : planner::teamResources<TeamCandidateSource>()) all.push_back(std::move(line));
  all.push_back(requireFits(resourcesOf("opening", openingKernel, kThreads), true));
  all.push_back(requireFits(resourcesOf("times", timesKernel, kThreads), true));
  all.push_back(requireFits(resourcesOf("records", recordsKernel, kThreads), true));
  return all;
}

}  // namespace roundhouse::candidate_cost::gpu
