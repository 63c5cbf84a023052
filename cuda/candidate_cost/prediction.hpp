#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algo/features.hpp"
#include "algo/times.hpp"

namespace roundhouse::candidate_cost {

/// Which rows of the network one shard needs: one an order with an unknown time, then one a vehicle class.
struct PredictionRows {
  /// Rows of `orders`, ascending.
  std::vector<std::int32_t> orders;
  /// Rows of `orders` that some courier has on board: their preparation and pickup are over.
  std::vector<bool> onBoard;
  bool rideFactors = false;

  std::size_t count() const { return orders.size() + (rideFactors ? kVehicles : 0); }
};

/// The times that a shard's plans use.
struct ShardTimes {
  std::vector<OrderTimes> orders;
  std::int32_t rideFactors[kVehicles];
};

/// Decides which rows are needed and checks what they are made of. Throws Error naming tensor and row.
PredictionRows planPrediction(const ShardTables& tables);

/// What every row of a shard has in common, from params that planPrediction has checked.
EtrContext etrContext(const std::int64_t* params);

/// Writes `needed.count()` rows of ETR_FEATURES columns (docs/etr.md).
void gatherFeatures(const ShardTables& tables, const PredictionRows& needed, float* rows);

/// Throws Error for an output column that predictTimes or predictRideFactor found wrong.
void requireAllFinite(int column);

/// Known times as the round states them, the others from the network's rows by the rule of docs/etr.md.
/// `quantiles` may be null where no row is needed. Throws Error on a value that is not finite.
ShardTimes shardTimes(const ShardTables& tables, const PredictionRows& needed, const float* quantiles);

}  // namespace roundhouse::candidate_cost
