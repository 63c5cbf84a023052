#pragma once

#include <functional>
#include <memory>

#include "algo/tables.hpp"
#include "prediction.hpp"
#include "travel_matrix.hpp"

namespace roundhouse::candidate_cost {

/// One request's tables, checked; the bytes belong to the request.
struct Shard {
  ShardTables tables{};
  /// Null for travel by speed.
  std::shared_ptr<const TravelMatrix> matrix;
  PredictionRows needed;
};

/// Checks everything that plans and features are made of. Throws Error naming tensor, row and column.
Shard openShard(const ShardBytes& bytes, MatrixStore& matrices);

/// Costs every candidate into `plans` (PLAN_RECORD_BYTES each). `stop` is asked first and about every quarter of a
/// millisecond between candidates (WorkPoll); where it says true the call throws Error (DEADLINE_EXCEEDED).
void costShard(const Shard& shard, const ShardTimes& times, CandidateWorkspace& workspace,
               const std::function<bool()>& stop, std::uint8_t* plans);

}  // namespace roundhouse::candidate_cost
