#include <algorithm>
#include <cstring>

#include "device_coster.hpp"
#include "error.hpp"

namespace roundhouse::candidate_cost::gpu {
namespace {

constexpr std::size_t kTimesRow = sizeof(std::int32_t) * layout::ORDER_TIME_COLUMNS;

ShardTimes timesOf(const CostTask& task) {
  ShardTimes times;
  const auto* bytes = static_cast<const std::byte*>(task.orderTimes);
  for (int order = 0; order < task.shard->tables.orderCount; ++order, bytes += kTimesRow) {
    std::int32_t row[layout::ORDER_TIME_COLUMNS];
    std::memcpy(row, bytes, sizeof row);
    times.orders.push_back({row[layout::OrderTimeColumn::readyAt], row[layout::OrderTimeColumn::pickupPostService],
                            row[layout::OrderTimeColumn::dropoffPostService]});
  }
  std::copy_n(task.rideFactors, kVehicles, times.rideFactors);
  return times;
}

/// Throws what is wrong with the shard, in the order in which the CPU finds it.
void requireGood(const CostTask& task, const ShardState& state) {
  if (state.wrongCandidate != kNone) refuseCandidate(*task.shard, state.wrongCandidate);
  if (state.notFinite != kNone) requireAllFinite(state.notFinite % 8);
  if (state.refused != kNone) refuseProblem(*task.shard, timesOf(task), state.refused);
  if (state.isGood() && state.refused == kNone) return;
  throw Error(ErrorCode::modelFailed, "the GPU refused what the CPU finds no fault in");
}

}  // namespace

void DeviceCoster::readResults(Tasks tasks) {
  for (const Staged& staged : staged_) {
    if (staged.bytes > 0) std::memcpy(staged.to, staged.from, staged.bytes);
  }
  const BatchStamps& stamps = stampsOf();
  clock_.observe(onHost_.begin, stamps.copied, std::max(stamps.predicted, stamps.planned), onHost_.end);
  const auto* states = reinterpret_cast<const ShardState*>(results_.as<std::byte>() + BatchUpload::statesIn());
  for (std::size_t index = 0; index < tasks.size(); ++index) {
    CostTask& task = *tasks[index];
    std::copy_n(states[index].rideFactors, kVehicles, task.rideFactors);
    task.phases = phasesOf(task);
    try {
      requireGood(task, states[index]);
    } catch (...) {
      task.failure = std::current_exception();
    }
  }
}

/// Checking candidates counts as ETR where there is any, times and records as OR.
Phases DeviceCoster::phasesOf(const CostTask& task) const {
  const BatchStamps& stamps = stampsOf();
  const std::int64_t copied = clock_.unixNs(stamps.copied), predicted = clock_.unixNs(stamps.predicted);
  const bool predicts = upload_.rows() > 0, plans = stamps.planned != 0;
  const std::int64_t planned = plans ? clock_.unixNs(stamps.planned) : predicted;
  Phases phases;
  phases.copyIn = {onHost_.begin, copied};
  phases.copyOut = {planned, onHost_.end};
  if (task.shard->needed.count() > 0) phases.etr = {copied, predicted};
  if (plans && task.shard->tables.candidateCount > 0) phases.planning = {predicts ? predicted : copied, planned};
  return phases;
}

}  // namespace roundhouse::candidate_cost::gpu
