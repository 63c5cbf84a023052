#pragma once

#include "../algo/prepared.hpp"
#include "search_record.hpp"
#include "tree_record.hpp"

/**
 * Which kernel a problem goes to, and its numbers in the 32-bit form that the fast kernels read. Times are relative to
 * the problem's start.
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

ROUNDHOUSE_HD inline bool isNarrow(const Checked& problem) {
  const int64_t end = problem.latestEnd;
  if (!isExact(problem.orderCount, problem.stopCount) || end - problem.startAt >= kNarrowTime) return false;
  int64_t load = problem.startLoad;
  for (int stop = 1; stop <= problem.stopCount; ++stop) load += larger<int64_t>(0, problem.stops[stop].loadChange);
  return load < kNarrowLoad && route_planner::detail::costsWithin(problem, end, kNarrowCost);
}

/// Each pickup serves one order, no time limit binds and nothing but its pickup comes before a drop-off.
ROUNDHOUSE_HD inline bool isPlain(const Checked& problem) {
  bool plain = problem.latestPickup >= problem.latestEnd;
  for (int stop = 1; stop <= problem.stopCount; ++stop) {
    const SearchStop& at = problem.stops[stop];
    const uint32_t pickup = at.isPickup ? 0 : problem.orders[at.order].pickup;
    plain = plain && (at.orders & (at.orders - 1)) == 0 && at.before == (1u | 1u << pickup);
  }
  for (int order = 0; order < problem.orderCount; ++order) {
    plain = plain && problem.orders[order].latestDropoff >= problem.latestEnd;
  }
  return plain;
}

/// The problem's orders with those on board first.
struct TreeOrder {
  uint8_t of[kTreeOrders];
};

ROUNDHOUSE_HD inline TreeOrder treeOrder(const Checked& problem) {
  TreeOrder order{};
  int count = 0;
  for (uint32_t others = 0; others <= 1; ++others) {
    for (int index = 0; index < problem.orderCount; ++index) {
      if ((problem.onBoard >> index & 1) != others) order.of[count++] = static_cast<uint8_t>(index);
    }
  }
  return order;
}

/// Bit S: the set S, in the tree's numbering of orders, is more than the courier may carry after a pickup.
ROUNDHOUSE_HD inline uint32_t overfullSets(const Checked& problem, const TreeOrder& order) {
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

ROUNDHOUSE_HD inline int32_t relative(const Checked& problem, int64_t time, int64_t least, int64_t most) {
  if (time == kNoLimit) return static_cast<int32_t>(most);
  return static_cast<int32_t>(smaller(larger(time - problem.startAt, least), most));
}

/// A promise that matters to no cost is 0, so that every number is small.
ROUNDHOUSE_HD inline int32_t promisedAt(const Checked& problem, const SearchOrder& order) {
  return problem.weightLateness == 0 ? 0 : relative(problem, order.promised, -2 * kNarrowCost, kNarrowTime);
}

/// A weight that meets nothing but 0 may be of any size.
ROUNDHOUSE_HD inline int32_t narrowWeight(int64_t weight) { return static_cast<int32_t>(smaller(weight, kNarrowCost)); }

}  // namespace detail

/// Where a checked problem goes: the same for every GPU.
ROUNDHOUSE_HD inline Choice choose(const Checked& problem) {
  const auto orders = static_cast<uint8_t>(problem.orderCount);
  if (problem.stopCount == 0) return {Kernel::none, orders, 0, false};
  if (!detail::isNarrow(problem)) return {Kernel::general, orders, 0, false};
  if (problem.orderCount > kTreeOrders || !detail::isPlain(problem)) return {Kernel::search, orders, 0, false};
  const int held = 2 * problem.orderCount - problem.stopCount;
  const bool capacity = detail::overfullSets(problem, detail::treeOrder(problem)) != 0;
  return {Kernel::tree, orders, static_cast<uint8_t>(held), capacity};
}

namespace detail {

/// The problem's number of each of a tree's stops; in front of them 0, the start.
struct TreeNumbers {
  uint8_t of[2 * kTreeOrders + 1];
};

ROUNDHOUSE_HD inline TreeNumbers treeNumbers(const Checked& problem, const TreeForm& form, const TreeOrder& order) {
  TreeNumbers numbers{};
  for (int stop = 0; stop < form.stops(); ++stop) {
    const SearchOrder& served = problem.orders[order.of[form.orderOf(stop)]];
    numbers.of[stop + 1] = form.isPickup(stop) ? served.pickup : served.dropoff;
  }
  return numbers;
}

ROUNDHOUSE_HD inline void fillTreeWays(const Problem& problem, const TreeForm& form, const TreeNumbers& numbers,
                                       int32_t* way) {
  for (int from = -1; from < form.stops(); ++from) {
    for (int to = 0; to < form.stops(); ++to) {
      if (!form.hasWay(from, to)) continue;
      const int last = numbers.of[to + 1];
      *way++ = static_cast<int32_t>(legOf(problem, numbers.of[from + 1], last) + problem.stops[last].postService);
    }
  }
}

/// Times of pickups and drop-offs; Σ(ready + service) relative to the start.
ROUNDHOUSE_HD inline int64_t fillTreeTimes(const Checked& problem, const TreeForm& form, const TreeOrder& order,
                                           int32_t* out) {
  int64_t ready = 0;
  for (int index = 0; index < form.orders; ++index) {
    const SearchOrder& served = problem.orders[order.of[index]];
    if (index >= form.held) {
      out[form.pickupWord() + index - form.held] = static_cast<int32_t>(
          relative(problem, served.pickupReady, 0, kNarrowTime) + problem.stops[served.pickup].postService);
    }
    out[form.promisedWord() + index] = -static_cast<int32_t>(promisedAt(problem, served) + served.dropoffPostService);
    ready += served.ready - problem.startAt + served.dropoffPostService;
  }
  return ready;
}

}  // namespace detail

/// The form of the tree that a problem goes to.
ROUNDHOUSE_HD inline TreeForm treeForm(const Choice& choice) { return {choice.orders, choice.held}; }

ROUNDHOUSE_HD inline void fillTreeRecord(const Problem& whole, const Checked& problem, const Choice& choice,
                                         int32_t* out) {
  const TreeForm form = treeForm(choice);
  const detail::TreeOrder order = detail::treeOrder(problem);
  const detail::TreeNumbers numbers = detail::treeNumbers(problem, form, order);
  detail::fillTreeWays(whole, form, numbers, out);
  const int64_t ready = detail::fillTreeTimes(problem, form, order, out);
  int32_t* weights = out + form.weightWord();
  weights[0] = detail::narrowWeight(problem.weightLateness);
  weights[1] = detail::narrowWeight(problem.weightDuration);
  weights[2] = detail::narrowWeight(problem.weightFreshness);
  weights[3] = problem.weightFreshness == 0 ? 0 : static_cast<int32_t>(-problem.weightFreshness * ready);
  uint32_t packed = 0;
  for (int stop = 0; stop < form.stops(); ++stop) packed |= static_cast<uint32_t>(numbers.of[stop + 1] - 1) << (4 * stop);
  out[form.numbersWord()] = static_cast<int32_t>(packed);
  for (int word = form.overfullWord(); word < form.words(choice.capacity); ++word) out[word] = 0;
  if (choice.capacity) out[form.overfullWord()] = static_cast<int32_t>(detail::overfullSets(problem, order));
}

namespace detail {

ROUNDHOUSE_HD inline NarrowStop narrowStop(const Checked& problem, int number) {
  const SearchStop& stop = problem.stops[number];
  const SearchOrder& order = problem.orders[stop.order];
  NarrowStop out{};
  out.before = stop.before;
  ROUNDHOUSE_ROLLED
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

ROUNDHOUSE_HD inline NarrowHead narrowHead(const Checked& problem) {
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

ROUNDHOUSE_HD inline void fillSearchRecord(const Problem& whole, const Checked& problem, int32_t* out) {
  *reinterpret_cast<NarrowHead*>(out) = detail::narrowHead(problem);
  auto* stops = reinterpret_cast<NarrowStop*>(out + kHeadWords);
  for (int stop = 1; stop <= problem.stopCount; ++stop) stops[stop - 1] = detail::narrowStop(problem, stop);
  int32_t* leg = out + kHeadWords + kStopWords * problem.stopCount;
  for (int from = 0; from <= problem.stopCount; ++from) {
    for (int to = 1; to <= problem.stopCount; ++to) *leg++ = static_cast<int32_t>(legOf(whole, from, to));
  }
  while (leg < out + searchRecordWords(problem.stopCount)) *leg++ = 0;
}

}  // namespace roundhouse::route_planner::gpu
