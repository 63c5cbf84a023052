#pragma once

#include <string>
#include <vector>

#include "../../cuda/backend/error.hpp"
#include "../../cuda/candidate_cost/predictions.hpp"
#include "../../cuda/candidate_cost/shard.hpp"
#include "../../cuda/candidate_cost/shard_values.hpp"

/// candidate_cost as its instances on the CPU have it, one shard after the other.
namespace roundhouse::test {

struct CostAnswer {
  /// '' or why the shard failed.
  std::string failure;
  std::vector<std::uint8_t> plans;
  std::vector<std::int32_t> orderTimes;
  std::vector<std::int32_t> rideFactors;

  bool operator==(const CostAnswer&) const = default;
};

inline void writeAnswer(const candidate_cost::Shard& shard, const candidate_cost::ShardTimes& times, CostAnswer& answer) {
  namespace layout = candidate_cost::layout;
  const auto workspace = std::make_unique<candidate_cost::CandidateWorkspace>();
  route_planner::resetWorkspace(workspace->planner);
  answer.plans.resize(std::size_t{layout::PLAN_RECORD_BYTES} * shard.tables.candidateCount);
  candidate_cost::costShard(shard, times, *workspace, [] { return false; }, answer.plans.data());
  answer.orderTimes.resize(std::size_t{layout::ORDER_TIME_COLUMNS} * shard.tables.orderCount);
  for (int row = 0; row < shard.tables.orderCount; ++row) {
    candidate_cost::writeOrderTimes(shard.tables, row, times.orders[row],
                                    answer.orderTimes.data() + std::size_t{layout::ORDER_TIME_COLUMNS} * row);
  }
  answer.rideFactors.assign(times.rideFactors, times.rideFactors + candidate_cost::kVehicles);
}

template <typename Body>
CostAnswer answerOf(Body&& body) {
  CostAnswer answer;
  try {
    body(answer);
  } catch (const std::exception& error) {
    answer = {};
    answer.failure = error.what();
  }
  return answer;
}

inline CostAnswer costOnCpu(const candidate_cost::ShardValues& values, candidate_cost::MatrixStore& matrices,
                            delivery_time::Network& network) {
  return answerOf([&](CostAnswer& answer) {
    const candidate_cost::Shard shard = candidate_cost::openShard(values.bytes(), matrices);
    const candidate_cost::Shard* const one[] = {&shard};
    const candidate_cost::Predictions predictions(network, true, one, [](std::size_t) { return false; });
    writeAnswer(shard, candidate_cost::shardTimes(shard.tables, shard.needed, predictions.of(0)), answer);
  });
}

inline candidate_cost::ShardTimes timesOf(const CostAnswer& answer) {
  namespace layout = candidate_cost::layout;
  candidate_cost::ShardTimes times;
  for (std::size_t at = 0; at < answer.orderTimes.size(); at += layout::ORDER_TIME_COLUMNS) {
    const std::int32_t* row = &answer.orderTimes[at];
    times.orders.push_back({row[layout::OrderTimeColumn::readyAt], row[layout::OrderTimeColumn::pickupPostService],
                            row[layout::OrderTimeColumn::dropoffPostService]});
  }
  std::copy(answer.rideFactors.begin(), answer.rideFactors.end(), times.rideFactors);
  return times;
}

/// The CPU's plans for the times that another device's answer says it used.
inline CostAnswer costWithTimesOf(const candidate_cost::ShardValues& values, candidate_cost::MatrixStore& matrices,
                                  const CostAnswer& other) {
  return answerOf([&](CostAnswer& answer) {
    writeAnswer(candidate_cost::openShard(values.bytes(), matrices), timesOf(other), answer);
  });
}

}  // namespace roundhouse::test
