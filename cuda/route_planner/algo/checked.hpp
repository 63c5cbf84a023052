#pragma once

#include "problem.hpp"

// Of loops that a GPU's code is not to be unrolled for: code that each warp runs once is fetched for longer than it runs.
#if defined(__CUDA_ARCH__)
#define ROUNDHOUSE_ROLLED _Pragma("unroll 1")
#else
#define ROUNDHOUSE_ROLLED
#endif

namespace roundhouse::route_planner {

enum class PrepareStatus : uint8_t {
  ok,
  tooManyStops,
  tooManyOrders,
  negativeService,
  negativeTravel,
  negativeWeight,
  negativeSize,
  /// A stop without orders, a drop-off of several, an order with no drop-off or with two stops of a kind.
  stopsInconsistent,
  /// Some cost could leave ± kCostLimit.
  costTooLarge,
};

/// A stop as the search reads it; all times 64-bit, so that no sum of INT32 inputs can overflow.
struct SearchStop {
  /// Bit s: stop s must have been served before (bit 0 is the start and always set in a visited mask).
  uint32_t before;
  uint32_t orders;
  bool isPickup;
  uint8_t order;
  int64_t loadChange;
  /// Not served before / after these.
  int64_t ready;
  int64_t latest;
  int64_t postService;
  /// Least seconds that the stop adds to any route: smallest way in, and both services.
  int64_t share;
};

struct SearchOrder {
  uint8_t pickup;
  uint8_t dropoff;
  int64_t ready;
  int64_t promised;
  int64_t latestDropoff;
  int64_t dropoffPostService;
  int64_t pickupReady;
  /// Least seconds from service at the pickup to service at the drop-off.
  int64_t pickupToDropoff;
};

/// A problem that `check` let through, in 64 bits.
struct Checked {
  int32_t stopCount;
  int32_t orderCount;
  uint32_t allStops;
  uint32_t onBoard;
  int64_t startAt;
  int64_t startLoad;
  int64_t capacity;
  int64_t latestPickup;
  int64_t weightLateness;
  int64_t weightDuration;
  int64_t weightFreshness;
  /// No walk ends later.
  int64_t latestEnd;
  SearchStop stops[kMaxStops + 1];
  SearchOrder orders[kMaxOrders];
};

/// From departure at `from` to service at `to`: travel and pre-service.
ROUNDHOUSE_HD inline int64_t legOf(const Problem& problem, int from, int to) {
  return from == to ? 0 : int64_t{problem.travel[from][to]} + problem.stops[to].preService;
}

namespace detail {

ROUNDHOUSE_HD inline PrepareStatus checkRanges(const Problem& problem) {
  if (problem.stopCount < 0 || problem.stopCount > kMaxStops) return PrepareStatus::tooManyStops;
  if (problem.orderCount < 0 || problem.orderCount > kMaxOrders) return PrepareStatus::tooManyOrders;
  if (problem.weightLateness < 0 || problem.weightDuration < 0 || problem.weightFreshness < 0) {
    return PrepareStatus::negativeWeight;
  }
  for (int order = 0; order < problem.orderCount; ++order) {
    if (problem.orders[order].size < 0) return PrepareStatus::negativeSize;
  }
  for (int stop = 1; stop <= problem.stopCount; ++stop) {
    if (problem.stops[stop].preService < 0 || problem.stops[stop].postService < 0) {
      return PrepareStatus::negativeService;
    }
    for (int from = 0; from <= problem.stopCount; ++from) {
      if (problem.travel[from][stop] < 0 && from != stop) return PrepareStatus::negativeTravel;
    }
  }
  return PrepareStatus::ok;
}

/// Links orders to their stops; false if an order lacks one or has two of a kind.
ROUNDHOUSE_HD inline bool linkOrders(const Problem& problem, Checked& out) {
  const uint32_t known = (1u << problem.orderCount) - 1;
  uint32_t pickedUp = 0;
  uint32_t droppedOff = 0;
  for (int number = 1; number <= problem.stopCount; ++number) {
    const Stop& stop = problem.stops[number];
    const bool isPickup = stop.kind == StopKind::pickup;
    uint32_t& seen = isPickup ? pickedUp : droppedOff;
    const uint32_t orders = stop.orders;
    if (orders == 0 || (orders & ~known) != 0 || (orders & seen) != 0) return false;
    if (!isPickup && (orders & (orders - 1)) != 0) return false;
    seen |= orders;
    for (uint32_t rest = orders; rest != 0; rest &= rest - 1) {
      SearchOrder& order = out.orders[lowestBit(rest)];
      (isPickup ? order.pickup : order.dropoff) = static_cast<uint8_t>(number);
    }
  }
  return droppedOff == known && pickedUp == (known & ~out.onBoard);
}

ROUNDHOUSE_HD inline void fillStop(const Problem& problem, int number, Checked& out) {
  const Stop& stop = problem.stops[number];
  SearchStop& target = out.stops[number];
  target.isPickup = stop.kind == StopKind::pickup;
  target.orders = stop.orders;
  target.order = static_cast<uint8_t>(lowestBit(stop.orders));
  target.postService = stop.postService;
  target.before = 1u;
  target.loadChange = 0;
  target.ready = INT64_MIN;
  ROUNDHOUSE_ROLLED
  for (uint32_t rest = stop.orders; rest != 0; rest &= rest - 1) {
    const Order& order = problem.orders[lowestBit(rest)];
    target.loadChange += target.isPickup ? order.size : -int64_t{order.size};
    if (target.isPickup) target.ready = larger<int64_t>(target.ready, order.ready);
  }
  const SearchOrder& first = out.orders[target.order];
  target.latest = target.isPickup ? problem.latestPickup : problem.orders[target.order].latestDropoff;
  if (!target.isPickup && first.pickup != 0) target.before |= 1u << first.pickup;
  if (problem.interleave) return;
  ROUNDHOUSE_ROLLED
  for (int other = 1; other <= problem.stopCount; ++other) {
    if (problem.stops[other].group < stop.group) target.before |= 1u << other;
  }
}

ROUNDHOUSE_HD inline void fillOrder(const Problem& problem, int index, Checked& out) {
  const Order& order = problem.orders[index];
  SearchOrder& target = out.orders[index];
  target.ready = order.ready;
  target.promised = order.promised;
  target.latestDropoff = order.latestDropoff;
  target.dropoffPostService = out.stops[target.dropoff].postService;
  target.pickupReady = out.stops[target.pickup].ready;
}

/// weight·amount ≤ room, without overflow; takes it from `room`. None is negative. A GPU divides 64 bits slowly.
ROUNDHOUSE_HD inline bool fits(int64_t weight, int64_t amount, int64_t& room) {
#if defined(__CUDA_ARCH__)
  const int64_t product = weight * amount;
  if (__mul64hi(weight, amount) != 0 || product < 0 || product > room) return false;
#else
  int64_t product = 0;
  if (__builtin_mul_overflow(weight, amount, &product) || product > room) return false;
#endif
  room -= product;
  return true;
}

/// The longest way into a stop, and the service there.
ROUNDHOUSE_HD inline int64_t longestInto(const Problem& problem, int to) {
  int64_t longest = 0;
  ROUNDHOUSE_ROLLED
  for (int from = 0; from <= problem.stopCount; ++from) longest = larger(longest, legOf(problem, from, to));
  return longest + problem.stops[to].postService;
}

/// No walk ends after the latest ready time plus the longest way into each stop plus all service.
ROUNDHOUSE_HD inline int64_t latestEnd(const Problem& problem, const Checked& checked) {
  int64_t end = checked.startAt;
  for (int to = 1; to <= checked.stopCount; ++to) end = larger(end, checked.stops[to].ready);
  for (int to = 1; to <= checked.stopCount; ++to) end += longestInto(problem, to);
  return end;
}

/// What the weights of a cost may meet at most, each: none is negative.
struct CostReach {
  int64_t late;
  int64_t fresh;
  int64_t duration;
};

/// Of one order, for walks that end at `end` at the latest.
ROUNDHOUSE_HD inline int64_t lateReach(const SearchOrder& order, int64_t end) {
  return larger<int64_t>(0, end - order.promised);
}
ROUNDHOUSE_HD inline int64_t freshReach(const SearchOrder& order, int64_t startAt, int64_t end) {
  return larger(end - order.ready, order.ready - startAt);
}

ROUNDHOUSE_HD inline bool reachWithin(const Checked& problem, const CostReach& reach, int64_t limit) {
  int64_t room = limit;
  return fits(problem.weightLateness, reach.late, room) && fits(problem.weightFreshness, reach.fresh, room) &&
         fits(problem.weightDuration, reach.duration, room);
}

/// Every part of every cost, for walks that end at `end` at the latest, stays within ± `limit` together.
ROUNDHOUSE_HD inline bool costsWithin(const Checked& problem, int64_t end, int64_t limit) {
  CostReach reach{0, 0, end - problem.startAt};
  for (int index = 0; index < problem.orderCount; ++index) {
    reach.late += lateReach(problem.orders[index], end);
    reach.fresh += freshReach(problem.orders[index], problem.startAt, end);
  }
  return reachWithin(problem, reach, limit);
}

}  // namespace detail

/// Checks `problem` and fills `out`; anything but `ok` leaves `out` unusable.
ROUNDHOUSE_HD inline PrepareStatus check(const Problem& problem, Checked& out) {
  const PrepareStatus ranges = detail::checkRanges(problem);
  if (ranges != PrepareStatus::ok) return ranges;
  out.stopCount = problem.stopCount;
  out.orderCount = problem.orderCount;
  out.allStops = (1u << (problem.stopCount + 1)) - 1;
  out.onBoard = 0;
  out.startAt = problem.startAt;
  out.startLoad = 0;
  out.capacity = problem.capacity;
  out.latestPickup = problem.latestPickup;
  out.weightLateness = problem.weightLateness;
  out.weightDuration = problem.weightDuration;
  out.weightFreshness = problem.weightFreshness;
  out.stops[0] = SearchStop{0, 0, false, 0, 0, INT64_MIN, kNoLimit, 0, 0};
  for (int order = 0; order < problem.orderCount; ++order) {
    out.orders[order] = SearchOrder{};
    if (!problem.orders[order].onBoard) continue;
    out.onBoard |= 1u << order;
    out.startLoad += problem.orders[order].size;
  }
  if (!detail::linkOrders(problem, out)) return PrepareStatus::stopsInconsistent;
  for (int stop = 1; stop <= problem.stopCount; ++stop) detail::fillStop(problem, stop, out);
  for (int order = 0; order < problem.orderCount; ++order) detail::fillOrder(problem, order, out);
  out.latestEnd = detail::latestEnd(problem, out);
  return detail::costsWithin(out, out.latestEnd, kCostLimit) ? PrepareStatus::ok : PrepareStatus::costTooLarge;
}

}  // namespace roundhouse::route_planner
