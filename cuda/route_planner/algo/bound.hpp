#pragma once

#include "prepared.hpp"

namespace roundhouse::route_planner {

/// A prefix of a route: where the courier is, and what it has cost. Positions of `prefix` are 4 bits each, the
/// first stop highest, so that prefixes of equal length compare as their sequences do.
struct Label {
  /// Departure from `stop`.
  int64_t at;
  /// weightLateness·late + weightFreshness·fresh of the orders delivered.
  int64_t cost;
  int64_t load;
  /// Sum of the shares of the stops not visited.
  int64_t shareLeft;
  uint64_t prefix;
  /// Bit 0 is always set; bit s: stop s is visited.
  uint32_t visited;
  /// Orders not picked up yet, and orders on board.
  uint32_t waiting;
  uint32_t carried;
  uint8_t stop;
};

ROUNDHOUSE_HD inline Label startLabel(const Prepared& problem) {
  const uint32_t everyOrder = (1u << problem.orderCount) - 1;
  return {problem.startAt,    0, problem.startLoad, problem.shareOfAll, 0, 1u, everyOrder & ~problem.onBoard,
          problem.onBoard, 0};
}

/// Visits `to` from `from`. False when a hard limit is broken; precedence is the caller's.
ROUNDHOUSE_HD inline bool extend(const Prepared& problem, const Label& from, int to, Label& out) {
  const SearchStop& stop = problem.stops[to];
  const int64_t arrived = from.at + problem.leg[from.stop][to];
  const int64_t served = larger(arrived, stop.ready);
  out.load = from.load + stop.loadChange;
  if (served > stop.latest || (stop.isPickup && out.load > problem.capacity)) return false;
  out.cost = from.cost;
  out.waiting = from.waiting;
  out.carried = from.carried;
  if (stop.isPickup) {
    out.waiting &= ~stop.orders;
    out.carried |= stop.orders;
  } else {
    const SearchOrder& order = problem.orders[stop.order];
    out.cost += problem.weightLateness * larger<int64_t>(0, served - order.promised) +
                problem.weightFreshness * (served - order.ready);
    out.carried &= ~stop.orders;
  }
  out.at = served + stop.postService;
  out.shareLeft = from.shareLeft - stop.share;
  out.prefix = from.prefix << 4 | static_cast<uint64_t>(to - 1);
  out.visited = from.visited | 1u << to;
  out.stop = static_cast<uint8_t>(to);
  return true;
}

/// Cost of a route that is complete.
ROUNDHOUSE_HD inline int64_t routeCost(const Prepared& problem, const Label& label) {
  return label.cost + problem.weightDuration * (label.at - problem.startAt);
}

/// No route that continues `label` costs less; kInfeasible: none is feasible. Each open order is delivered at its earliest,
/// on the shortest way from here, and the route ends no sooner than the last of them or than the sum of the shares that are left.
ROUNDHOUSE_HD inline int64_t lowerBound(const Prepared& problem, const Label& label) {
  const int64_t* way = problem.shortest[label.stop];
  int64_t end = label.at + label.shareLeft;
  int64_t late = 0;
  int64_t fresh = 0;
  for (uint32_t rest = label.carried; rest != 0; rest &= rest - 1) {
    const SearchOrder& order = problem.orders[lowestBit(rest)];
    const int64_t served = label.at + way[order.dropoff];
    if (served > order.latestDropoff) return kInfeasible;
    late += larger<int64_t>(0, served - order.promised);
    fresh += served - order.ready;
    end = larger(end, served + order.dropoffPostService);
  }
  for (uint32_t rest = label.waiting; rest != 0; rest &= rest - 1) {
    const SearchOrder& order = problem.orders[lowestBit(rest)];
    const int64_t pickedUp = larger(label.at + way[order.pickup], order.pickupReady);
    const int64_t served = pickedUp + order.pickupToDropoff;
    if (pickedUp > problem.latestPickup || served > order.latestDropoff) return kInfeasible;
    late += larger<int64_t>(0, served - order.promised);
    fresh += served - order.ready;
    end = larger(end, served + order.dropoffPostService);
  }
  return label.cost + problem.weightLateness * late + problem.weightFreshness * fresh +
         problem.weightDuration * (end - problem.startAt);
}

}  // namespace roundhouse::route_planner
