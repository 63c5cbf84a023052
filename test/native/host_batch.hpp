#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../../cuda/candidate_cost/gpu/team_source.hpp"
#include "../../cuda/candidate_cost/shard.hpp"
#include "check.hpp"
#include "random_problems.hpp"

namespace roundhouse::candidate_cost::gpu {

/// A batch in host memory, as BatchUpload describes one in device memory.
struct HostBatch {
  const std::vector<Shard>& opened;
  std::vector<DeviceShard> shards;
  std::vector<ShardState> states;
  std::vector<std::vector<OrderAsk>> asks;
  std::vector<float> features, quantiles;
  std::vector<OrderTimes> times;
  std::vector<std::int32_t> orderTimes;
  std::vector<std::uint8_t> records;
  BatchStamps stamps{};
  DeviceShards view{};

  explicit HostBatch(const std::vector<Shard>& shardsOpened) : opened(shardsOpened) {
    std::int32_t orders = 0, candidates = 0, rows = 0;
    for (const Shard& shard : opened) {
      addShard(shard, orders, candidates, rows);
      orders += shard.tables.orderCount;
      candidates += shard.tables.candidateCount;
      rows += static_cast<std::int32_t>(shard.needed.count());
    }
    for (std::size_t index = 0; index < shards.size(); ++index) shards[index].asks = asks[index].data();
    features.assign(static_cast<std::size_t>(rows) * layout::ETR_FEATURES, -1.0f);
    quantiles.assign(static_cast<std::size_t>(rows) * layout::ETR_OUTPUTS, 0.0f);
    times.resize(static_cast<std::size_t>(orders));
    orderTimes.resize(times.size() * layout::ORDER_TIME_COLUMNS);
    records.assign(static_cast<std::size_t>(candidates) * layout::PLAN_RECORD_BYTES, 0xee);
    view = {shards.data(), states.data(),     &stamps,        features.data(), quantiles.data(),
            times.data(),  orderTimes.data(), records.data(), static_cast<std::int32_t>(shards.size()), candidates};
  }

  void addShard(const Shard& shard, std::int32_t orders, std::int32_t candidates, std::int32_t rows) {
    std::vector<OrderAsk>& own = asks.emplace_back(static_cast<std::size_t>(shard.tables.orderCount), kNothingAsked);
    for (std::size_t row = 0; row < shard.needed.orders.size(); ++row) {
      const std::int32_t order = shard.needed.orders[row];
      own[static_cast<std::size_t>(order)] = orderAsk(
          static_cast<std::int32_t>(row), settledFlags(shard.tables.order(order), shard.needed.onBoard[order]));
    }
    DeviceShard at{shard.tables, etrContext(shard.tables.params), nullptr, {}, shard.matrix ? shard.matrix->zones() : 0,
                   orders, candidates, rows, static_cast<std::int32_t>(shard.needed.orders.size()),
                   shard.needed.rideFactors};
    for (int vehicle = 0; vehicle < kVehicles; ++vehicle) {
      at.layers[vehicle] = shard.matrix ? shard.matrix->seconds(vehicle) : nullptr;
    }
    shards.push_back(at);
    states.push_back(kFreshState);
  }

  template <typename Step>
  void forOrders(Step&& step) {
    for (int shard = 0; shard < view.count; ++shard) {
      for (int index = 0; index < shards[shard].tables.orderCount + kVehicles; ++index) step(view, shard, index);
    }
  }

  void check() {
    for (int shard = 0; shard < view.count; ++shard) {
      for (int row = 0; row < shards[shard].tables.candidateCount; ++row) checkCandidateStep(view, shard, row);
    }
  }

  /// What the planner does between the steps.
  void plan() {
    const auto workspace = std::make_unique<CandidateWorkspace>();
    route_planner::resetWorkspace(workspace->planner);
    const CandidateSource source{view};
    for (int index = 0; index < view.candidates; ++index) {
      route_planner::Problem problem;
      route_planner::gpu::Summary summary{route_planner::gpu::kUnreadable, 0, 0, 0};
      route_planner::gpu::Answer answer{route_planner::kInfeasible, 0};
      if (source(index, problem)) {
        summary = {route_planner::prepare(problem, workspace->prepared), static_cast<uint8_t>(problem.stopCount),
                   static_cast<uint8_t>(problem.orderCount), 0};
      }
      if (summary.status == route_planner::PrepareStatus::ok) {
        const auto plan = route_planner::solve(workspace->prepared, workspace->planner);
        if (plan.feasible) answer.cost = plan.cost;
        for (int at = 0; at < plan.stopCount; ++at) answer.route = answer.route << 4 | (plan.stops[at] - 1u);
      }
      recordStep(view, index, answer, summary);
    }
  }

  void run(test::Random& random) {
    check();
    forOrders(featuresStep);
    for (float& value : quantiles) value = static_cast<float>(random.within(0, 200000)) / 128;
    forOrders(timesStep);
    plan();
  }
};

}  // namespace roundhouse::candidate_cost::gpu
