#include "device_coster.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "error.hpp"
#include "marked_work.hpp"

namespace roundhouse::candidate_cost::gpu {
namespace {

using device::require;

constexpr std::size_t kRecord = layout::PLAN_RECORD_BYTES;
constexpr std::size_t kTimesRow = sizeof(std::int32_t) * layout::ORDER_TIME_COLUMNS;

/// Growing by doubling is rare: it waits for the whole GPU.
template <typename Memory>
void demandRoom(Memory& memory, std::size_t bytes) {
  memory.demand(std::bit_ceil(std::max(bytes, std::size_t{1} << 16)));
}

/// So many candidates, and so many rows of a network of some hundred columns, leave no part of a GPU idle.
constexpr double kFullCandidates = 16384;
constexpr double kFullRows = 4096;

/// Batches up to this are padded to a power of two in any case: what it costs a GPU to compute more rows than are wanted
/// is less than what it costs the host to prepare for another number of them.
constexpr std::size_t kSteppedRows = 2048;

/// Of a capacity of 1.
double demandOf(int count, double full) { return std::clamp(count / full, 0.01, 1.0); }

std::size_t plansBytes(const CostTask& task) {
  return kRecord * static_cast<std::size_t>(task.shard->tables.candidateCount);
}
std::size_t timesBytes(const CostTask& task) {
  return kTimesRow * static_cast<std::size_t>(task.shard->tables.orderCount);
}

std::exception_ptr cancelled() {
  return std::make_exception_ptr(Error(ErrorCode::deadlineExceeded, "the caller cancelled the request"));
}

/// What stands for an error that is the shard's alone.
std::exception_ptr failureOf(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const device::DeviceMemoryShort& failure) {
    const std::string reason = std::string("the GPU can't hold the shard: ") + failure.what();
    return std::make_exception_ptr(Error(ErrorCode::modelFailed, reason));
  } catch (...) {
    return error;
  }
}

}  // namespace

DeviceCoster::DeviceCoster(const DeviceCosterOptions& options,
                           std::unique_ptr<delivery_time::DeviceNetwork::Context> network,
                           std::shared_ptr<DeviceMatrices> matrices)
    : options_(options),
      network_(std::move(network)),
      matrices_(std::move(matrices)),
      planner_({options.device, options.chunk, options.searchUpTo, std::min(options.atOnceUpTo, options.chunk)}),
      etrTurns_(options.device, sharing::Phase::etr, options.takesTurns),
      planningTurns_(options.device, sharing::Phase::planning, options.takesTurns) {
  costKernelResources();
}

std::vector<std::string> DeviceCoster::resources() const {
  std::vector<std::string> all = costKernelResources();
  all.insert(all.end(), planner_.resources().begin(), planner_.resources().end());
  return all;
}

void DeviceCoster::cost(Tasks tasks, const Stop& stop) {
  device::useDevice(options_.device);
  std::vector<CostTask*> open;
  for (CostTask* task : tasks) {
    if (stop(*task)) {
      task->failure = cancelled();
    } else {
      open.push_back(task);
    }
  }
  if (!open.empty()) costTogether(open, stop);
}

/// What fails together is tried one by one, so that no shard fails for another's size.
void DeviceCoster::costTogether(Tasks tasks, const Stop& stop) {
  try {
    run(tasks, stop);
  } catch (const device::DeviceFault&) {
    throw;
  } catch (...) {
    if (tasks.size() == 1) {
      tasks[0]->failure = failureOf(std::current_exception());
    } else {
      for (CostTask* const& task : tasks) costTogether({&task, 1}, stop);
    }
  }
}

void DeviceCoster::run(Tasks tasks, const Stop& stop) {
  bool planned = false;
  try {
    mark("begin");
    upload(tasks);
    const DeviceShards batch = describe(tasks.size());
    etrTurns_.take(demandOf(upload_.rows(), kFullRows), stream_, [&] { predict(batch); });
    planned = planningTurns_.take(demandOf(batch.candidates, kFullCandidates), stream_,
                                  [&] { return plan(batch, tasks, stop); });
    if (planned) copyOut(tasks, batch);
    stream_.wait();
    if (planned && planRest()) {
      copyOut(tasks, batch);
      stream_.wait();
    }
    onHost_.end = unixNs();
  } catch (...) {
    (void)cudaStreamSynchronize(stream_);
    leaveLines();
    throw;
  }
  leaveLines();
  if (planned) readResults(tasks);
  for (CostTask* task : tasks) {
    if (!planned || stop(*task)) task->failure = cancelled();
  }
}

void DeviceCoster::upload(Tasks tasks) {
  std::vector<ShardInput> inputs;
  matricesInUse_.clear();
  for (const CostTask* task : tasks) {
    ShardInput& input = inputs.emplace_back(ShardInput{task->shard, task->pinnedTables, {}});
    const TravelMatrix* matrix = task->shard->matrix.get();
    if (matrix == nullptr) continue;
    matricesInUse_.push_back(matrices_->get(matrixHash(task->shard->tables.params), *matrix, stream_));
    for (int vehicle = 0; vehicle < kVehicles; ++vehicle) {
      const std::int32_t* layer = matrix->seconds(vehicle);
      if (layer == nullptr) continue;
      input.d_layers[vehicle] = matricesInUse_.back()->memory.as<std::int32_t>() + (layer - matrix->entries().data());
    }
  }
  upload_.prepare(inputs);
  onHost_.begin = unixNs();
  upload_.enqueue(options_.copyBy, stream_);
  mark("copy in");
}

DeviceShards DeviceCoster::describe(std::size_t shards) {
  demandRows(networkRows());
  demandRoom(d_times_, sizeof(OrderTimes) * static_cast<std::size_t>(upload_.orders()));
  demandRoom(d_records_, kRecord * static_cast<std::size_t>(upload_.candidates()));
  return {upload_.d_shards(),
          upload_.d_states(),
          upload_.d_stamps(),
          d_features_.as<float>(),
          d_quantiles_.as<float>(),
          d_times_.as<OrderTimes>(),
          upload_.d_orderTimes(),
          d_records_.as<std::uint8_t>(),
          static_cast<std::int32_t>(shards),
          upload_.candidates()};
}

/// Rows behind the batch's hold something else, and nobody reads what is predicted for them.
std::size_t DeviceCoster::networkRows() const {
  const auto rows = static_cast<std::size_t>(upload_.rows());
  if (!options_.padsRows) return rows;
  const std::size_t most = std::bit_ceil(std::max(rows, std::size_t{64}));
  const std::size_t step = most / (2 * static_cast<std::size_t>(options_.rowSteps));
  return most <= kSteppedRows ? most : (rows + step - 1) / step * step;
}

void DeviceCoster::leaveLines() {
  etrTurns_.passed();
  planningTurns_.passed();
}

void DeviceCoster::demandRows(std::size_t rows) {
  const std::size_t bytes = sizeof(float) * layout::ETR_FEATURES * rows;
  d_quantiles_.demand(sizeof(float) * layout::ETR_OUTPUTS * rows);
  if (bytes <= d_features_.bytes()) return;
  d_features_.demand(bytes);
  require(cudaMemsetAsync(d_features_.as<float>(), 0, bytes, stream_), "features can't be cleared");
}

void DeviceCoster::predict(const DeviceShards& batch) {
  launchOpening(batch, upload_.mostCandidates(), upload_.mostOrders(), stream_);
  mark("opening");
  if (upload_.rows() > 0) {
    network_->enqueue(batch.features, networkRows(), d_quantiles_.as<float>(), stream_);
    mark("ETR");
  }
  launchTimes(batch, upload_.mostOrders(), stream_);
  mark("times");
}

bool DeviceCoster::plan(const DeviceShards& batch, Tasks tasks, const Stop& stop) {
  work_.reset();
  if (batch.candidates == 0) return true;
  const auto noneIsWanted = [&] {
    return std::all_of(tasks.begin(), tasks.end(), [&](const CostTask* task) { return stop(*task); });
  };
  work_ = candidateWork(batch, {upload_.mostPlanOrders(), upload_.d_counters(), options_.buildLanes});
  if (options_.clock == nullptr) return planner_.solve(batch.candidates, *work_, stream_, noneIsWanted);
  MarkedWork marked(*work_, *options_.clock);
  return planner_.solve(batch.candidates, marked, stream_, noneIsWanted);
}

/// The counters came down with the results; they are 0 where the planner has used its own.
bool DeviceCoster::planRest() {
  return work_ != nullptr && planner_.solveRest(*results_.as<route_planner::gpu::Counters>(), *work_, stream_);
}

/// A call of the runtime costs as much as copying 30 KB once more, so what is small comes down together.
void DeviceCoster::copyOut(Tasks tasks, const DeviceShards& batch) {
  staged_.clear();
  copies_.clear();
  std::size_t end = upload_.resultsBytes();
  for (const CostTask* task : tasks) end += task->plans.pinned ? 0 : plansBytes(*task);
  demandRoom(results_, end);
  auto* const results = results_.as<std::byte>();
  copies_.push_back({upload_.d_results(), results, upload_.resultsBytes()});
  const std::byte* times = results + upload_.timesIn();
  std::byte* next = results + upload_.resultsBytes();
  const std::uint8_t* d_plans = batch.records;
  for (const CostTask* task : tasks) {
    staged_.push_back({task->orderTimes, times, timesBytes(*task)});
    times += timesBytes(*task);
    copies_.push_back({d_plans, task->plans.pinned ? task->plans.data : next, plansBytes(*task)});
    d_plans += plansBytes(*task);
    if (task->plans.pinned) continue;
    staged_.push_back({task->plans.data, next, plansBytes(*task)});
    next += plansBytes(*task);
  }
  enqueueCopies(copies_, options_.copyBy, cudaMemcpyDeviceToHost, stream_);
  mark("copy out");
}

void DeviceCoster::mark(const char* phase) {
  if (options_.clock != nullptr) options_.clock->mark(phase, stream_);
}

}  // namespace roundhouse::candidate_cost::gpu
