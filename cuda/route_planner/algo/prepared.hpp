#pragma once

#include "checked.hpp"

namespace roundhouse::route_planner {

/// A checked problem with what the search derives from it once.
struct Prepared : Checked {
  int64_t shareOfAll;
  /// legOf every two stops.
  int64_t leg[kMaxStops + 1][kMaxStops + 1];
  /// A lower bound of `leg` over every way through other stops: equal to `leg` where the triangle
  /// inequality holds, smaller where it fails. Only bounds read it.
  int64_t shortest[kMaxStops + 1][kMaxStops + 1];
};

namespace detail {

ROUNDHOUSE_HD inline void fillLegs(const Problem& problem, Prepared& out) {
  for (int from = 0; from <= problem.stopCount; ++from) {
    for (int to = 1; to <= problem.stopCount; ++to) out.leg[from][to] = legOf(problem, from, to);
  }
}

/// Floyd and Warshall over stops, service at the stops in between included.
ROUNDHOUSE_HD inline void fillShortest(Prepared& out) {
  const int count = out.stopCount;
  for (int from = 0; from <= count; ++from) {
    for (int to = 1; to <= count; ++to) out.shortest[from][to] = out.leg[from][to];
  }
  for (int via = 1; via <= count; ++via) {
    const int64_t* onward = out.shortest[via];
    for (int from = 0; from <= count; ++from) {
      const int64_t toVia = out.shortest[from][via] + out.stops[via].postService;
      if (from == via) continue;
      for (int to = 1; to <= count; ++to) {
        if (to == via) continue;
        out.shortest[from][to] = smaller(out.shortest[from][to], toVia + onward[to]);
      }
    }
  }
}

ROUNDHOUSE_HD inline void fillShares(Prepared& out) {
  out.shareOfAll = 0;
  for (int to = 1; to <= out.stopCount; ++to) {
    int64_t least = INT64_MAX;
    for (int from = 0; from <= out.stopCount; ++from) {
      const bool neverJustBefore = from == to || (out.stops[from].before >> to & 1u) != 0 ||
                                   (from == 0 && out.stops[to].before != 1u);
      if (!neverJustBefore) least = smaller(least, out.leg[from][to]);
    }
    // A stop with no possible predecessor is in a circle of precedences: nothing is feasible anyway.
    out.stops[to].share = (least == INT64_MAX ? 0 : least) + out.stops[to].postService;
    out.shareOfAll += out.stops[to].share;
  }
}

ROUNDHOUSE_HD inline void fillPickupToDropoff(Prepared& out) {
  for (int index = 0; index < out.orderCount; ++index) {
    SearchOrder& order = out.orders[index];
    order.pickupToDropoff =
        order.pickup == 0 ? 0 : out.stops[order.pickup].postService + out.shortest[order.pickup][order.dropoff];
  }
}

}  // namespace detail

/// What search and bounds need of a checked problem.
ROUNDHOUSE_HD inline void derive(const Problem& problem, Prepared& out) {
  detail::fillLegs(problem, out);
  detail::fillShortest(out);
  detail::fillShares(out);
  detail::fillPickupToDropoff(out);
}

/// Checks `problem` and fills `out`; anything but `ok` leaves `out` unusable.
ROUNDHOUSE_HD inline PrepareStatus prepare(const Problem& problem, Prepared& out) {
  const PrepareStatus status = check(problem, out);
  if (status == PrepareStatus::ok) derive(problem, out);
  return status;
}

}  // namespace roundhouse::route_planner
