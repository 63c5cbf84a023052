#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../../cuda/candidate_cost/algo/travel.hpp"

namespace roundhouse::planner {

/// Zone-to-zone seconds by vehicle class, zones · zones values each; null where the matrix has none for it. Owns
/// nothing. No zones: the shard must travel by speed.
struct TravelLayers {
  const int32_t* seconds[candidate_cost::kVehicles] = {};
  int32_t zones = 0;
};

/// The outputs of schemas/src/tensors.ts but the interval.
struct ShardCosts {
  std::vector<uint8_t> plans;
  std::vector<int32_t> orderTimes;
  std::vector<int32_t> rideFactors;
};

/// Costs a shard whose times are all known. Throws PlannerFailure for bad tables and for times to be predicted.
ShardCosts costKnownShard(const candidate_cost::ShardBytes& bytes, const TravelLayers& layers);

}  // namespace roundhouse::planner
