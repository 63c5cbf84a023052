#pragma once

#include "platform.hpp"

namespace roundhouse::route_planner {

constexpr int kMaxStops = 16;
constexpr int kMaxOrders = 8;
/// Plans of up to this many orders and stops are exact, whatever it takes: all of 6 orders, and of 7 with some on board
/// or picked up together.
constexpr int kMaxExactOrders = 7;
constexpr int kMaxExactStops = 12;
ROUNDHOUSE_HD constexpr bool isExact(int orders, int stops) {
  return orders <= kMaxExactOrders && stops <= kMaxExactStops;
}
/// Stands for "no limit" in 64-bit times.
constexpr int64_t kNoLimit = INT64_MAX;
/// Every cost that a problem can reach stays within ± this; `prepare` refuses others.
constexpr int64_t kCostLimit = int64_t{1} << 62;
/// Above every reachable cost: that of a problem without a feasible route.
constexpr int64_t kInfeasible = INT64_MAX;

enum class StopKind : uint8_t { pickup, dropoff };
/// Those above `bundle` are its second, third, … trip. Unless a problem interleaves, a group is done before the next begins.
enum class Group : uint8_t { held, bundle };

struct Stop {
  StopKind kind;
  Group group;
  /// Bit i: order i is handled here. One or more orders at a pickup, exactly one at a drop-off.
  uint8_t orders;
  /// Seconds before and after the handling, both at least 0.
  int32_t preService;
  int32_t postService;
};

struct Order {
  int32_t ready;
  int32_t promised;
  /// `kNoLimit` where time in the bag is not limited.
  int64_t latestDropoff;
  /// Capacity units, at least 0.
  int32_t size;
  /// Already picked up: it has no pickup stop and counts in the load from the start.
  bool onBoard;
};

/// One courier and the stops to put in order. Times are INT32 seconds of any sign; travel is at least 0.
struct Problem {
  int32_t stopCount;
  int32_t orderCount;
  /// Stops are numbered 1..stopCount; row 0 is the courier's place and is not used.
  Stop stops[kMaxStops + 1];
  Order orders[kMaxOrders];
  /// travel[from][to]; asymmetric, and the triangle inequality may fail.
  int32_t travel[kMaxStops + 1][kMaxStops + 1];
  /// All at least 0.
  int64_t weightLateness;
  int64_t weightDuration;
  int64_t weightFreshness;
  int32_t startAt;
  int32_t capacity;
  /// No pickup is served after it; `kNoLimit` for none.
  int64_t latestPickup;
  /// False: the stops of a group come before any of a later one.
  bool interleave;
};

/// A sequence of stop numbers and what it costs. `feasible` false: no sequence obeys the hard limits.
struct Plan {
  bool feasible;
  /// True where the heuristic answered: the plan, or its absence, is not proven.
  bool unproven;
  int32_t stopCount;
  uint8_t stops[kMaxStops];
  int64_t cost;
  /// Nodes of the search tree that were expanded.
  int64_t nodes;
};

}  // namespace roundhouse::route_planner
