#pragma once

#include <initializer_list>

#include "../algo/prepared.hpp"
#include "answer.hpp"
#include "tree.hpp"

/**
 * Which kernel a problem goes to, and its numbers in the 32-bit form that the fast kernels read. Times are relative to
 * the problem's start. Host code, but free of anything a GPU compiler minds.
 */
namespace roundhouse::route_planner::gpu {

/// Costs of narrow problems stay within ± this; sums that leave out the ready times within four times as much.
constexpr int64_t kNarrowCost = int64_t{1} << 28;
constexpr int64_t kNarrowTime = int64_t{1} << 27;
constexpr int64_t kNarrowLoad = int64_t{1} << 15;

enum class Kernel : uint8_t { none, tree, search, general };

/// Where a checked problem goes. `held` and `capacity` choose the tree.
struct Choice {
  Kernel kernel;
  uint8_t orders;
  uint8_t held;
  bool capacity;
};

constexpr int kTreeOrders = 4;

namespace detail {

inline bool isNarrow(const Prepared& problem, int64_t end) {
  if (problem.orderCount > kMaxExactOrders || end - problem.startAt >= kNarrowTime) return false;
  int64_t load = problem.startLoad;
  for (int stop = 1; stop <= problem.stopCount; ++stop) load += larger<int64_t>(0, problem.stops[stop].loadChange);
  return load < kNarrowLoad && route_planner::detail::costsWithin(problem, end, kNarrowCost);
}

/// Each pickup serves one order, no time limit binds and nothing but its pickup comes before a drop-off.
inline bool isPlain(const Prepared& problem, int64_t end) {
  bool plain = problem.latestPickup >= end;
  for (int stop = 1; stop <= problem.stopCount; ++stop) {
    const SearchStop& at = problem.stops[stop];
    const uint32_t pickup = at.isPickup ? 0 : problem.orders[at.order].pickup;
    plain = plain && (at.orders & (at.orders - 1)) == 0 && at.before == (1u | 1u << pickup);
  }
  for (int order = 0; order < problem.orderCount; ++order) {
    plain = plain && problem.orders[order].latestDropoff >= end;
  }
  return plain;
}

/// The problem's orders with those on board first.
struct TreeOrder {
  uint8_t of[kTreeOrders];
};

inline TreeOrder treeOrder(const Prepared& problem) {
  TreeOrder order{};
  int count = 0;
  for (const bool onBoard : {true, false}) {
    for (int index = 0; index < problem.orderCount; ++index) {
      if (((problem.onBoard >> index & 1) != 0) == onBoard) order.of[count++] = static_cast<uint8_t>(index);
    }
  }
  return order;
}

/// Bit S: the set S, in the tree's numbering of orders, is more than the courier may carry after a pickup.
inline uint32_t overfullSets(const Prepared& problem, const TreeOrder& order) {
  uint32_t sets = 0;
  for (uint32_t set = 1; set < 1u << problem.orderCount; ++set) {
    int64_t load = 0;
    for (int index = 0; index < problem.orderCount; ++index) {
      if ((set >> index & 1) != 0) load -= problem.stops[problem.orders[order.of[index]].dropoff].loadChange;
    }
    if (load > problem.capacity) sets |= 1u << set;
  }
  return sets;
}

inline int32_t relative(const Prepared& problem, int64_t time, int64_t least, int64_t most) {
  if (time == kNoLimit) return static_cast<int32_t>(most);
  return static_cast<int32_t>(smaller(larger(time - problem.startAt, least), most));
}

/// A promise that matters to no cost is 0, so that every number is small.
inline int32_t promisedAt(const Prepared& problem, const SearchOrder& order) {
  return problem.weightLateness == 0 ? 0 : relative(problem, order.promised, -2 * kNarrowCost, kNarrowTime);
}

/// A weight that meets nothing but 0 may be of any size.
inline int32_t narrowWeight(int64_t weight) { return static_cast<int32_t>(smaller(weight, kNarrowCost)); }

}  // namespace detail

/// Where a checked problem goes: the same for every GPU.
inline Choice choose(const Prepared& problem) {
  const int64_t end = route_planner::detail::latestEnd(problem);
  const auto orders = static_cast<uint8_t>(problem.orderCount);
  if (problem.stopCount == 0) return {Kernel::none, orders, 0, false};
  if (!detail::isNarrow(problem, end)) return {Kernel::general, orders, 0, false};
  if (problem.orderCount > kTreeOrders || !detail::isPlain(problem, end)) return {Kernel::search, orders, 0, false};
  const int held = 2 * problem.orderCount - problem.stopCount;
  const bool capacity = detail::overfullSets(problem, detail::treeOrder(problem)) != 0;
  return {Kernel::tree, orders, static_cast<uint8_t>(held), capacity};
}

/// Words of a tree problem's record: a multiple of 4, so that it is read 16 bytes at a time.
template <int kOrders, int kHeld>
ROUNDHOUSE_HD constexpr int treeRecordWords(bool capacity) {
  return (TreeShape<kOrders, kHeld>::words(capacity) + 3) / 4 * 4;
}

template <int kOrders, int kHeld>
void fillTreeRecord(const Prepared& problem, bool capacity, int32_t* out) {
  using Shape = TreeShape<kOrders, kHeld>;
  const detail::TreeOrder order = detail::treeOrder(problem);
  int number[Shape::kStops + 1] = {0};
  for (int stop = 0; stop < Shape::kStops; ++stop) {
    const SearchOrder& served = problem.orders[order.of[Shape::orderOf(stop)]];
    number[stop + 1] = Shape::isPickup(stop) ? served.pickup : served.dropoff;
  }
  int32_t* way = out;
  for (int from = -1; from < Shape::kStops; ++from) {
    for (int to = 0; to < Shape::kStops; ++to) {
      if (!Shape::hasWay(from, to)) continue;
      const int last = number[to + 1];
      *way++ = static_cast<int32_t>(problem.leg[number[from + 1]][last] + problem.stops[last].postService);
    }
  }
  int64_t ready = 0;
  for (int index = 0; index < kOrders; ++index) {
    const SearchOrder& served = problem.orders[order.of[index]];
    if (index >= kHeld) {
      out[Shape::kPickupWord + index - kHeld] = static_cast<int32_t>(
          detail::relative(problem, served.pickupReady, 0, kNarrowTime) + problem.stops[served.pickup].postService);
    }
    out[Shape::kPromisedWord + index] =
        -static_cast<int32_t>(detail::promisedAt(problem, served) + served.dropoffPostService);
    ready += served.ready - problem.startAt + served.dropoffPostService;
  }
  out[Shape::kWeightWord] = detail::narrowWeight(problem.weightLateness);
  out[Shape::kWeightWord + 1] = detail::narrowWeight(problem.weightDuration);
  out[Shape::kWeightWord + 2] = detail::narrowWeight(problem.weightFreshness);
  out[Shape::kWeightWord + 3] = problem.weightFreshness == 0 ? 0 : static_cast<int32_t>(-problem.weightFreshness * ready);
  uint32_t numbers = 0;
  for (int stop = 0; stop < Shape::kStops; ++stop) numbers |= static_cast<uint32_t>(number[stop + 1] - 1) << (4 * stop);
  out[Shape::kNumbersWord] = static_cast<int32_t>(numbers);
  if (capacity) out[Shape::kOverfullWord] = static_cast<int32_t>(detail::overfullSets(problem, order));
}

/// One record word by word; the kernel's lanes pass another way to get at a word.
template <int kOrders, int kHeld, bool kCapacity>
ROUNDHOUSE_HD inline void readTreeRecord(const int32_t* words, TreeProblem<kOrders, kHeld>& out) {
  using Shape = TreeShape<kOrders, kHeld>;
  for (int way = 0; way < Shape::kWays; ++way) out.way[way] = words[way];
  for (int order = 0; order < Shape::kPickups; ++order) out.pickup[order] = words[Shape::kPickupWord + order];
  for (int order = 0; order < kOrders; ++order) out.minusPromised[order] = words[Shape::kPromisedWord + order];
  out.weightLateness = words[Shape::kWeightWord];
  out.weightDuration = words[Shape::kWeightWord + 1];
  out.weightFreshness = words[Shape::kWeightWord + 2];
  out.base = words[Shape::kWeightWord + 3];
  for (int stop = 0; stop < Shape::kStops; ++stop) {
    out.number[stop] = static_cast<uint32_t>(words[Shape::kNumbersWord]) >> (4 * stop) & 15;
  }
  out.overfull = kCapacity ? static_cast<uint32_t>(words[Shape::kOverfullWord]) : 0;
}

ROUNDHOUSE_HD inline Answer treeAnswer(int64_t best) {
  const auto cost = static_cast<int32_t>(best >> 32);
  if (cost >= kTreeInfeasible) return {kInfeasible, 0};
  return {cost, static_cast<uint32_t>(best)};
}

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
  int32_t order[6];
};

constexpr int kHeadWords = sizeof(NarrowHead) / 4;
constexpr int kStopWords = sizeof(NarrowStop) / 4;

/// Words of a search record for up to `orders` orders: a multiple of 4.
ROUNDHOUSE_HD constexpr int searchRecordWords(int orders) {
  return (kHeadWords + kStopWords * 2 * orders + (2 * orders + 1) * 2 * orders + 3) / 4 * 4;
}

namespace detail {

inline NarrowStop narrowStop(const Prepared& problem, int number) {
  const SearchStop& stop = problem.stops[number];
  const SearchOrder& order = problem.orders[stop.order];
  NarrowStop out{};
  out.before = stop.before;
  for (uint32_t rest = stop.isPickup ? stop.orders : 0; rest != 0; rest &= rest - 1) {
    out.opens |= 1u << problem.orders[lowestBit(rest)].dropoff;
  }
  out.ready = stop.isPickup ? relative(problem, stop.ready, 0, kNarrowTime) : 0;
  out.latest = relative(problem, stop.latest, -1, 2 * kNarrowTime);
  out.postService = static_cast<int32_t>(stop.postService);
  out.loadChange = static_cast<int32_t>(stop.loadChange);
  out.promised = stop.isPickup ? 0 : promisedAt(problem, order);
  return out;
}

inline NarrowHead narrowHead(const Prepared& problem) {
  NarrowHead head{};
  head.stopCount = problem.stopCount;
  head.orderCount = problem.orderCount;
  head.startLoad = static_cast<int32_t>(problem.startLoad);
  head.capacity = static_cast<int32_t>(smaller(larger<int64_t>(problem.capacity, -1), kNarrowLoad));
  head.weightLateness = narrowWeight(problem.weightLateness);
  head.weightDuration = narrowWeight(problem.weightDuration);
  head.weightFreshness = narrowWeight(problem.weightFreshness);
  head.latestPickup = relative(problem, problem.latestPickup, -1, 2 * kNarrowTime);
  int64_t ready = 0;
  for (int index = 0; index < problem.orderCount; ++index) {
    const SearchOrder& order = problem.orders[index];
    ready += order.ready - problem.startAt;
    head.order[index] = order.pickup | order.dropoff << 4;
  }
  head.base = problem.weightFreshness == 0 ? 0 : static_cast<int32_t>(-problem.weightFreshness * ready);
  for (int stop = 1; stop <= problem.stopCount; ++stop) {
    const SearchStop& at = problem.stops[stop];
    const uint32_t pickup = at.isPickup ? 0 : problem.orders[at.order].pickup;
    if (at.before != (1u | 1u << pickup)) head.grouped = 1;
  }
  return head;
}

}  // namespace detail

inline void fillSearchRecord(const Prepared& problem, int32_t* out) {
  *reinterpret_cast<NarrowHead*>(out) = detail::narrowHead(problem);
  auto* stops = reinterpret_cast<NarrowStop*>(out + kHeadWords);
  for (int stop = 1; stop <= problem.stopCount; ++stop) stops[stop - 1] = detail::narrowStop(problem, stop);
  int32_t* leg = out + kHeadWords + kStopWords * problem.stopCount;
  for (int from = 0; from <= problem.stopCount; ++from) {
    for (int to = 1; to <= problem.stopCount; ++to) *leg++ = static_cast<int32_t>(problem.leg[from][to]);
  }
}

}  // namespace roundhouse::route_planner::gpu
