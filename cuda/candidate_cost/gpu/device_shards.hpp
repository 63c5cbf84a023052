#pragma once

#include "../algo/features.hpp"
#include "../algo/times.hpp"

/// The shards of one batch in device memory, as its kernels see them.
namespace roundhouse::candidate_cost::gpu {

/// What a network is asked for an order: 8 · its row among those of its shard + what is settled (settledFlags), or
/// kNothingAsked.
using OrderAsk = int32_t;
constexpr OrderAsk kNothingAsked = -1;

constexpr OrderAsk orderAsk(int32_t row, int settled) { return 8 * row + settled; }

struct DeviceShard {
  ShardTables tables;
  EtrContext context;
  /// One an order.
  const OrderAsk* asks;
  /// By vehicle class; null for travel by speed.
  const int32_t* layers[kVehicles];
  int32_t zones;
  /// Of the orders, candidates and rows of the network of the whole batch.
  int32_t firstOrder;
  int32_t firstCandidate;
  int32_t firstRow;
  /// Rows for orders; those of the vehicle classes follow, where ride factors are asked for.
  int32_t orderRows;
  bool asksRideFactors;
};

constexpr int32_t kNone = INT32_MAX;

/// What the kernels find out about a shard.
struct ShardState {
  int32_t rideFactors[kVehicles];
  /// The lowest row of candidates that is wrong, or kNone.
  int32_t wrongCandidate;
  /// 8 · row + column of the lowest output of the network that is used and not finite, or kNone.
  int32_t notFinite;
  /// The lowest row of candidates whose problem has no plan to be had, or kNone.
  int32_t refused;

  ROUNDHOUSE_HD bool isGood() const { return wrongCandidate == kNone && notFinite == kNone; }
};

constexpr ShardState kFreshState = {{1000, 1000, 1000, 1000}, kNone, kNone, kNone};

/// The GPU's clock in nanoseconds at points of a batch; 0 where a kernel did not run.
struct BatchStamps {
  /// The copies in have ended; the network's rows are there; the last plan is written.
  unsigned long long copied;
  unsigned long long predicted;
  unsigned long long planned;
};

/// Passed to kernels by value. Features and quantiles have a row of the network each.
struct DeviceShards {
  const DeviceShard* shards;
  ShardState* states;
  BatchStamps* stamps;
  float* features;
  const float* quantiles;
  /// One an order of the batch.
  OrderTimes* times;
  int32_t* orderTimes;
  /// PLAN_RECORD_BYTES a candidate of the batch, aligned to 16.
  uint8_t* records;
  int32_t count;
  int32_t candidates;

  /// The shard of a candidate of the batch.
  ROUNDHOUSE_HD int shardOf(int candidate) const {
    int shard = count - 1;
    while (shard > 0 && shards[shard].firstCandidate > candidate) --shard;
    return shard;
  }
};

}  // namespace roundhouse::candidate_cost::gpu
