#pragma once

#include "../../route_planner/gpu/summary.hpp"
#include "device_shards.hpp"

/// What one thread of each kernel does. Compiled for both devices, so that tests run the steps on the CPU.
namespace roundhouse::candidate_cost::gpu {

ROUNDHOUSE_HD inline void lower(int32_t& value, int32_t to) {
#if defined(__CUDA_ARCH__)
  atomicMin(&value, to);
#else
  value = smaller(value, to);
#endif
}

/// For every candidate row of a shard, before plans read the row.
ROUNDHOUSE_HD inline void checkCandidateStep(const DeviceShards& batch, int shard, int row) {
  if (detail::checkCandidate(batch.shards[shard].tables, row)) lower(batch.states[shard].wrongCandidate, row);
}

/// For every order of a shard, and behind the last order for every vehicle class.
ROUNDHOUSE_HD inline void featuresStep(const DeviceShards& batch, int shard, int index) {
  const DeviceShard& at = batch.shards[shard];
  float* const rows = batch.features + int64_t{at.firstRow} * layout::ETR_FEATURES;
  if (index < at.tables.orderCount) {
    const OrderAsk ask = at.asks[index];
    if (ask == kNothingAsked) return;
    fillOrderRow(at.tables, at.context, index, rows + int64_t{ask / 8} * layout::ETR_FEATURES);
  } else if (at.asksRideFactors) {
    const int vehicle = index - at.tables.orderCount;
    fillLegRow(at.context, vehicle, rows + int64_t{at.orderRows + vehicle} * layout::ETR_FEATURES);
  }
}

/// For the same, once the quantiles are there.
ROUNDHOUSE_HD inline void timesStep(const DeviceShards& batch, int shard, int index) {
  const DeviceShard& at = batch.shards[shard];
  ShardState& state = batch.states[shard];
  const float* const rows = batch.quantiles + int64_t{at.firstRow} * layout::ETR_OUTPUTS;
  const int shift = quantileShift(at.tables);
  if (index < at.tables.orderCount) {
    const OrderAsk ask = at.asks[index];
    const int32_t* order = at.tables.order(index);
    OrderTimes times = statedTimes(order);
    if (ask != kNothingAsked) {
      const int32_t row = ask / 8;
      const int wrong = predictTimes(order, ask % 8, rows + int64_t{row} * layout::ETR_OUTPUTS, shift, times);
      if (wrong != kAllFinite) lower(state.notFinite, 8 * row + wrong);
    }
    batch.times[at.firstOrder + index] = times;
    const int64_t place = int64_t{at.firstOrder + index} * layout::ORDER_TIME_COLUMNS;
    writeOrderTimes(at.tables, index, times, batch.orderTimes + place);
  } else if (at.asksRideFactors) {
    const int vehicle = index - at.tables.orderCount;
    const int32_t row = at.orderRows + vehicle;
    const float* quantiles = rows + int64_t{row} * layout::ETR_OUTPUTS;
    const int wrong = predictRideFactor(quantiles, shift, state.rideFactors[vehicle]);
    if (wrong != kAllFinite) lower(state.notFinite, 8 * row + wrong);
  }
}

/// The planner's source of problems: candidate `index` of the batch. A shard that has failed has none.
struct CandidateSource {
  DeviceShards batch;

  ROUNDHOUSE_HD bool operator()(int index, route_planner::Problem& problem) const {
    const int number = batch.shardOf(index);
    const DeviceShard& shard = batch.shards[number];
    const ShardState& state = batch.states[number];
    if (!state.isGood()) return false;
    const int row = index - shard.firstCandidate;
    const int32_t courier = shard.tables.candidate(row)[layout::CandidateColumn::courier];
    const int32_t vehicle = shard.tables.courier(courier)[layout::CourierColumn::vehicle];
    const TravelModel travel = travelModel(shard.tables, state.rideFactors, shard.layers[vehicle], shard.zones);
    int32_t places[route_planner::kMaxStops + 1];
    return buildProblem(shard.tables, travel, batch.times + shard.firstOrder, row, problem, places);
  }
};

/// A plan record that is written 16 bytes at a time.
struct alignas(16) PlanWords {
  uint8_t bytes[layout::PLAN_RECORD_BYTES];
};

/// For every candidate of the batch, once it has an answer. The record of one without a plan is 0, so that no earlier
/// batch's shows.
ROUNDHOUSE_HD inline void recordStep(const DeviceShards& batch, int index, const route_planner::gpu::Answer& answer,
                                     const route_planner::gpu::Summary& summary) {
  const int number = batch.shardOf(index);
  const DeviceShard& shard = batch.shards[number];
  const int row = index - shard.firstCandidate;
  PlanWords words{};
  if (summary.status == route_planner::PrepareStatus::ok) {
    writePlanRecord(shard.tables, row, route_planner::gpu::planOf(answer, summary), words.bytes);
  } else if (batch.states[number].isGood()) {
    lower(batch.states[number].refused, row);
  }
  *reinterpret_cast<PlanWords*>(batch.records + int64_t{index} * layout::PLAN_RECORD_BYTES) = words;
}

}  // namespace roundhouse::candidate_cost::gpu
