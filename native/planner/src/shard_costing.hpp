#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../../cuda/candidate_cost/algo/shard_tables.hpp"

namespace roundhouse::planner {

/// Zone-to-zone seconds; empty for a shard that travels by speed.
struct TravelMatrix {
  std::vector<int32_t> seconds;
  int32_t zones = 0;
};

/// The outputs of schemas/src/tensors.ts but the interval.
struct ShardCosts {
  std::vector<uint8_t> plans;
  std::vector<int32_t> orderTimes;
  std::vector<int32_t> rideFactors;
};

/// Costs a shard whose times are all known. Throws PlannerFailure for bad tables and for times to be predicted.
ShardCosts costKnownShard(const candidate_cost::ShardBytes& bytes, const TravelMatrix& matrix);

}  // namespace roundhouse::planner
