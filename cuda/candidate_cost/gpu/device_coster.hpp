#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "../../delivery_time/device_network.hpp"
#include "../../device/turn.hpp"
#include "../../route_planner/gpu/device_planner.hpp"
#include "batch_upload.hpp"
#include "../phases.hpp"
#include "cost_kernels.hpp"
#include "device_clock.hpp"
#include "device_matrices.hpp"
#include "phase_clock.hpp"

namespace roundhouse::candidate_cost::gpu {

/// Host memory that plans are copied to; from a GPU without staging where it is page-locked.
struct Destination {
  void* data = nullptr;
  bool pinned = false;
};

/// One shard of a batch and what became of it.
struct CostTask {
  /// Opened with CandidateCheck::later.
  const Shard* shard = nullptr;
  /// The shard's tables lie in page-locked memory.
  bool pinnedTables = false;
  /// PLAN_RECORD_BYTES a candidate; unspecified, like the next, where the shard fails.
  Destination plans;
  /// ORDER_TIME_COLUMNS an order, of any alignment.
  void* orderTimes = nullptr;
  std::int32_t rideFactors[kVehicles] = {};
  /// For a shard that doesn't fail.
  Phases phases{};
  /// Set where the shard fails.
  std::exception_ptr failure;
};

struct DeviceCosterOptions {
  int device = 0;
  /// Candidates that the planner takes at a time.
  int chunk = route_planner::gpu::DevicePlannerOptions{}.chunk;
  /// DevicePlannerOptions::searchUpTo. A shard has few of any kind, so searches are the faster ones (ADR 0016).
  int searchUpTo = route_planner::gpu::DevicePlannerOptions{}.chunk;
  /// DevicePlannerOptions::atOnceUpTo.
  int atOnceUpTo = route_planner::gpu::DevicePlannerOptions{}.chunk;
  /// The network is called with few different numbers of rows, since its runtime prepares itself for each: of those between
  /// two powers of two with so many, at equal distances.
  bool padsRows = false;
  int rowSteps = 4;
  CopyBy copyBy = CopyBy::kernel;
  /// PlanningOptions::lanes.
  int buildLanes = PlanningOptions{}.lanes;
  /// Its batches take turns with others of the GPU in ETR and OR.
  bool takesTurns = false;
  /// For benchmarks: is told of the phases of each batch.
  PhaseClock* clock = nullptr;
};

/// Costs batches of shards on one GPU: tables go up once, plans come down once. One thread calls at a time; several of
/// a GPU work side by side, each with a stream of its own.
class DeviceCoster {
 public:
  /// `network` and `matrices` are the GPU's. Throws where a kernel can't run there, and where memory is short.
  DeviceCoster(const DeviceCosterOptions& options, std::unique_ptr<delivery_time::DeviceNetwork::Context> network,
               std::shared_ptr<DeviceMatrices> matrices);

  using Tasks = std::span<CostTask* const>;
  using Stop = std::function<bool(const CostTask&)>;

  /// Fills in every task. A shard fails alone: for a wrong candidate, an output of the network that is not finite,
  /// memory that it alone is short of. `stop` is asked between steps: a task for which it says true fails with
  /// DEADLINE_EXCEEDED. Throws DeviceFault. Nothing uses the host's memory any more when it returns or throws.
  void cost(Tasks tasks, const Stop& stop);

  /// One line a kernel.
  std::vector<std::string> resources() const;

 private:
  void costTogether(Tasks tasks, const Stop& stop);
  void run(Tasks tasks, const Stop& stop);
  void upload(Tasks tasks);
  DeviceShards describe(std::size_t shards);
  std::size_t networkRows() const;
  void leaveLines();
  void demandRows(std::size_t rows);
  void predict(const DeviceShards& batch);
  bool plan(const DeviceShards& batch, Tasks tasks, const Stop& stop);
  bool planRest();
  void copyOut(Tasks tasks, const DeviceShards& batch);
  void readResults(Tasks tasks);
  const BatchStamps& stampsOf() const {
    return *reinterpret_cast<const BatchStamps*>(results_.as<std::byte>() + BatchUpload::stampsIn());
  }
  Phases phasesOf(const CostTask& task) const;
  void mark(const char* phase);

  /// A result that is copied once more, from `results_`.
  struct Staged {
    void* to;
    const void* from;
    std::size_t bytes;
  };

  DeviceCosterOptions options_;
  std::unique_ptr<delivery_time::DeviceNetwork::Context> network_;
  std::shared_ptr<DeviceMatrices> matrices_;
  route_planner::gpu::DevicePlanner planner_;
  device::Stream stream_;
  BatchUpload upload_;
  /// Of the batch that was planned last.
  std::unique_ptr<route_planner::gpu::DeviceWork> work_;
  std::vector<std::shared_ptr<const DeviceMatrix>> matricesInUse_;
  device::DeviceMemory d_features_, d_quantiles_, d_times_, d_records_;
  /// What BatchUpload::d_results says, then plans that go to pageable memory.
  device::PinnedMemory results_;
  std::vector<Staged> staged_;
  std::vector<BytesCopy> copies_;
  DeviceClock clock_;
  device::Turns etrTurns_, planningTurns_;
  /// When the batch's copy in was handed to the driver, and when the host saw the end of its copy out.
  Span onHost_{};
};

}  // namespace roundhouse::candidate_cost::gpu
