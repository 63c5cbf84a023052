#pragma once

#include "../algo/problem.hpp"

namespace roundhouse::route_planner::gpu {

/// A stop of a search record.
struct NarrowStop {
  /// Bit s: stop s comes before this one.
  uint32_t before;
  /// Bit s: stop s is a drop-off that this pickup opens. 0 at a drop-off.
  uint32_t opens;
  int32_t ready;
  int32_t latest;
  int32_t postService;
  int32_t loadChange;
  int32_t promised;
  /// Least seconds that the stop adds; filled in by the kernel.
  int32_t share;
};

/// The head of a search record; then the stops from number 1, then the legs of each row from 0, column 1 first.
struct NarrowHead {
  int32_t stopCount;
  int32_t orderCount;
  int32_t startLoad;
  int32_t capacity;
  int32_t weightLateness;
  int32_t weightDuration;
  int32_t weightFreshness;
  /// −weightFreshness·Σ ready: costs count from here, so that no order's ready time is needed again.
  int32_t base;
  int32_t latestPickup;
  /// 1: held stops come before those of the bundle, so what is open follows from `before` alone.
  int32_t grouped;
  /// Pickup (0: on board) and drop-off · 16 of each order; 0 behind the last.
  int32_t order[8];
};

constexpr int kHeadWords = sizeof(NarrowHead) / 4;
constexpr int kStopWords = sizeof(NarrowStop) / 4;

static_assert(kHeadWords % 2 == 0);

/// Words of a search record: a multiple of 4.
ROUNDHOUSE_HD constexpr int searchRecordWords(int stops) {
  return (kHeadWords + kStopWords * stops + (stops + 1) * stops + 3) / 4 * 4;
}
/// The most stops of a search for up to `orders` orders.
ROUNDHOUSE_HD constexpr int mostSearchStops(int orders) { return smaller(2 * orders, kMaxExactStops); }

}  // namespace roundhouse::route_planner::gpu
