#pragma once

#include "narrow.hpp"
#include "team.hpp"

/**
 * `check` and `choose` of one problem by the lanes of a team, stop by stop and order by order: the same statuses, numbers
 * and choices. The problem and what is checked of it lie where all of them read and write.
 */
namespace roundhouse::route_planner::gpu {

namespace detail {

/// As route_planner::detail::checkRanges.
template <class Team>
ROUNDHOUSE_DEVICE PrepareStatus checkRangesTogether(const Team& team, const Problem& problem) {
  PrepareStatus status = PrepareStatus::ok;
  if (problem.stopCount < 0 || problem.stopCount > kMaxStops) {
    status = PrepareStatus::tooManyStops;
  } else if (problem.orderCount < 0 || problem.orderCount > kMaxOrders) {
    status = PrepareStatus::tooManyOrders;
  } else if (problem.weightLateness < 0 || problem.weightDuration < 0 || problem.weightFreshness < 0) {
    status = PrepareStatus::negativeWeight;
  }
  const bool counts = status == PrepareStatus::ok;
  bool negativeSize = false;
  ROUNDHOUSE_ROLLED
  for (int order = team.lane(); counts && order < problem.orderCount; order += Team::size) {
    negativeSize = negativeSize || problem.orders[order].size < 0;
  }
  // The lowest stop with a fault tells: times 2, and 1 more for travel.
  constexpr int kNoFault = 2 * kMaxStops + 2;
  int lowest = kNoFault;
  ROUNDHOUSE_ROLLED
  for (int stop = 1 + team.lane(); counts && stop <= problem.stopCount; stop += Team::size) {
    bool negative = problem.stops[stop].preService < 0 || problem.stops[stop].postService < 0;
    if (negative) lowest = smaller(lowest, 2 * stop);
    negative = false;
    ROUNDHOUSE_ROLLED
    for (int from = 0; from <= problem.stopCount; ++from) {
      negative = negative || (problem.travel[from][stop] < 0 && from != stop);
    }
    if (negative) lowest = smaller(lowest, 2 * stop + 1);
  }
  negativeSize = team.any(negativeSize);
  lowest = -team.most(-lowest);
  if (!counts) return status;
  if (negativeSize) return PrepareStatus::negativeSize;
  if (lowest == kNoFault) return PrepareStatus::ok;
  return lowest % 2 == 0 ? PrepareStatus::negativeService : PrepareStatus::negativeTravel;
}

/// What `check` copies, and the orders on board.
template <class Team>
ROUNDHOUSE_DEVICE void beginTogether(const Team& team, const Problem& problem, int stops, int orders, Checked& out) {
  uint32_t onBoard = 0;
  int64_t load = 0;
  ROUNDHOUSE_ROLLED
  for (int order = team.lane(); order < orders; order += Team::size) {
    out.orders[order] = SearchOrder{};
    if (!problem.orders[order].onBoard) continue;
    onBoard |= 1u << order;
    load += problem.orders[order].size;
  }
  onBoard = team.either(onBoard);
  load = team.sum(load);
  if (team.lane() != 0) return;
  out.stopCount = stops;
  out.orderCount = orders;
  out.allStops = (1u << (stops + 1)) - 1;
  out.onBoard = onBoard;
  out.startAt = problem.startAt;
  out.startLoad = load;
  out.capacity = problem.capacity;
  out.latestPickup = problem.latestPickup;
  out.weightLateness = problem.weightLateness;
  out.weightDuration = problem.weightDuration;
  out.weightFreshness = problem.weightFreshness;
  out.stops[0] = SearchStop{0, 0, false, 0, 0, INT64_MIN, kNoLimit, 0, 0};
}

/// As route_planner::detail::linkOrders.
template <class Team>
ROUNDHOUSE_DEVICE bool linkTogether(const Team& team, const Problem& problem, int stops, int orderCount, Checked& out) {
  const uint32_t known = (1u << orderCount) - 1;
  uint32_t pickedUp = 0;
  uint32_t droppedOff = 0;
  int links = 0;
  bool wrong = false;
  ROUNDHOUSE_ROLLED
  for (int number = 1 + team.lane(); number <= stops; number += Team::size) {
    const bool isPickup = problem.stops[number].kind == StopKind::pickup;
    const uint32_t orders = problem.stops[number].orders;
    wrong = wrong || orders == 0 || (orders & ~known) != 0 || (!isPickup && (orders & (orders - 1)) != 0);
    // Two of a kind on one order are more links than bits.
    links += countBits(orders);
    (isPickup ? pickedUp : droppedOff) |= orders;
    ROUNDHOUSE_ROLLED
    for (uint32_t rest = orders & known; rest != 0; rest &= rest - 1) {
      SearchOrder& order = out.orders[lowestBit(rest)];
      (isPickup ? order.pickup : order.dropoff) = static_cast<uint8_t>(number);
    }
  }
  pickedUp = team.either(pickedUp);
  droppedOff = team.either(droppedOff);
  links = team.sum(links);
  wrong = team.any(wrong) || links != countBits(pickedUp) + countBits(droppedOff);
  return !wrong && droppedOff == known && pickedUp == (known & ~out.onBoard);
}

/// As route_planner::detail::latestEnd.
template <class Team>
ROUNDHOUSE_DEVICE int64_t latestEndTogether(const Team& team, const Problem& problem, const Checked& checked, int stops) {
  int64_t ready = checked.startAt;
  int64_t longest = 0;
  ROUNDHOUSE_ROLLED
  for (int to = 1 + team.lane(); to <= stops; to += Team::size) {
    ready = larger(ready, checked.stops[to].ready);
    longest += route_planner::detail::longestInto(problem, to);
  }
  return team.most(ready) + team.sum(longest);
}

template <class Team>
ROUNDHOUSE_DEVICE route_planner::detail::CostReach reachTogether(const Team& team, const Checked& checked, int orders,
                                                                 int64_t end) {
  int64_t late = 0;
  int64_t fresh = 0;
  ROUNDHOUSE_ROLLED
  for (int order = team.lane(); order < orders; order += Team::size) {
    late += route_planner::detail::lateReach(checked.orders[order], end);
    fresh += route_planner::detail::freshReach(checked.orders[order], checked.startAt, end);
  }
  return {team.sum(late), team.sum(fresh), end - checked.startAt};
}

}  // namespace detail

/// What is known of a problem once its team has checked it; the same in all lanes. Of one that is refused the counts are 0.
struct TeamChecked {
  PrepareStatus status;
  int stops;
  int orders;
  route_planner::detail::CostReach reach;
};

/// As `check`.
template <class Team>
ROUNDHOUSE_DEVICE TeamChecked checkTogether(const Team& team, const Problem& problem, Checked& out) {
  namespace common = route_planner::detail;
  PrepareStatus status = detail::checkRangesTogether(team, problem);
  int stops = status == PrepareStatus::ok ? problem.stopCount : 0;
  int orders = status == PrepareStatus::ok ? problem.orderCount : 0;
  detail::beginTogether(team, problem, stops, orders, out);
  team.sync();
  const bool linked = detail::linkTogether(team, problem, stops, orders, out);
  if (status == PrepareStatus::ok && !linked) {
    status = PrepareStatus::stopsInconsistent;
    stops = orders = 0;
  }
  team.sync();
  ROUNDHOUSE_ROLLED
  for (int stop = 1 + team.lane(); stop <= stops; stop += Team::size) common::fillStop(problem, stop, out);
  team.sync();
  ROUNDHOUSE_ROLLED
  for (int order = team.lane(); order < orders; order += Team::size) common::fillOrder(problem, order, out);
  const int64_t end = detail::latestEndTogether(team, problem, out, stops);
  if (team.lane() == 0) out.latestEnd = end;
  team.sync();
  const common::CostReach reach = detail::reachTogether(team, out, orders, end);
  if (status == PrepareStatus::ok && !common::reachWithin(out, reach, kCostLimit)) {
    status = PrepareStatus::costTooLarge;
    stops = orders = 0;
  }
  return {status, stops, orders, reach};
}

namespace detail {

/// The problem's orders with those on board first, 4 bits each.
ROUNDHOUSE_DEVICE uint32_t packedTreeOrder(uint32_t onBoard, int orders) {
  uint32_t packed = 0;
  int count = 0;
  ROUNDHOUSE_ROLLED
  for (uint32_t rest = onBoard; rest != 0; rest &= rest - 1) packed |= static_cast<uint32_t>(lowestBit(rest)) << 4 * count++;
  ROUNDHOUSE_ROLLED
  for (uint32_t rest = ~onBoard & ((1u << orders) - 1); rest != 0; rest &= rest - 1) {
    packed |= static_cast<uint32_t>(lowestBit(rest)) << 4 * count++;
  }
  return packed;
}

/// As overfullSets, of up to kTreeOrders orders.
template <class Team>
ROUNDHOUSE_DEVICE uint32_t overfullTogether(const Team& team, const Checked& problem, int orders, uint32_t treeOrder) {
  uint32_t sets = 0;
  ROUNDHOUSE_ROLLED
  for (uint32_t set = 1 + static_cast<uint32_t>(team.lane()); set < 1u << orders; set += Team::size) {
    int64_t load = 0;
    ROUNDHOUSE_ROLLED
    for (int index = 0; index < orders; ++index) {
      const SearchOrder& order = problem.orders[treeOrder >> 4 * index & 15];
      if ((set >> index & 1) != 0) load -= problem.stops[order.dropoff].loadChange;
    }
    if (load > problem.capacity) sets |= 1u << set;
  }
  return team.either(sets);
}

}  // namespace detail

/// A choice, and what a tree's record needs of it: the order of its orders (packedTreeOrder), and sets over capacity.
struct TeamChoice {
  Choice choice;
  uint32_t treeOrder;
  uint32_t overfull;
  /// Something comes before a stop that is not its own pickup.
  bool grouped;
};

/// As `choose`, of a checked problem; `searches4` as Building has it.
template <class Team>
ROUNDHOUSE_DEVICE TeamChoice chooseTogether(const Team& team, const Checked& problem, const TeamChecked& known,
                                            bool searches4) {
  const bool ok = known.status == PrepareStatus::ok;
  const int64_t end = ok ? problem.latestEnd : 0;
  int64_t more = 0;
  bool grouped = false;
  bool bound = ok && problem.latestPickup < end;
  ROUNDHOUSE_ROLLED
  for (int stop = 1 + team.lane(); stop <= known.stops; stop += Team::size) {
    const SearchStop& at = problem.stops[stop];
    const uint32_t pickup = at.isPickup ? 0 : problem.orders[at.order].pickup;
    more += larger<int64_t>(0, at.loadChange);
    grouped = grouped || at.before != (1u | 1u << pickup);
    bound = bound || (at.orders & (at.orders - 1)) != 0;
  }
  ROUNDHOUSE_ROLLED
  for (int order = team.lane(); order < known.orders; order += Team::size) {
    bound = bound || problem.orders[order].latestDropoff < end;
  }
  more = team.sum(more);
  grouped = team.any(grouped);
  bound = team.any(bound);
  const auto orders = static_cast<uint8_t>(known.orders);
  TeamChoice all{{Kernel::none, orders, 0, false}, 0, 0, grouped};
  const bool narrow = ok && isExact(known.orders, known.stops) && end - problem.startAt < kNarrowTime &&
                      problem.startLoad + more < kNarrowLoad &&
                      route_planner::detail::reachWithin(problem, known.reach, kNarrowCost);
  const bool tree = narrow && known.orders <= (searches4 ? kTreeOrders - 1 : kTreeOrders) && !bound && !grouped;
  const int treeOrders = tree ? known.orders : 0;
  all.treeOrder = treeOrders > 0 ? detail::packedTreeOrder(problem.onBoard, treeOrders) : 0;
  all.overfull = detail::overfullTogether(team, problem, treeOrders, all.treeOrder);
  if (!ok || known.stops == 0) return all;
  all.choice.kernel = tree ? Kernel::tree : narrow ? Kernel::search : Kernel::general;
  if (!tree) return all;
  all.choice.held = static_cast<uint8_t>(2 * known.orders - known.stops);
  all.choice.capacity = all.overfull != 0;
  return all;
}

}  // namespace roundhouse::route_planner::gpu
