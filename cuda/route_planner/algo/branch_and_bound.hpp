#pragma once

#include "memo.hpp"

namespace roundhouse::route_planner {

/// Below this many orders the memo costs more than it saves.
constexpr int kMemoFromOrders = 4;

struct Child {
  int64_t bound;
  Label label;
};

/// One level of the explicit stack: the children of a prefix, by bound, then stop number.
struct Frame {
  int32_t count;
  int32_t next;
  Child children[kMaxStops];
  uint8_t order[kMaxStops];
};

struct SearchStack {
  Frame frames[kMaxStops];
};

/// The best route so far; `prefix` is the whole route.
struct Incumbent {
  int64_t cost;
  uint64_t prefix;
};

namespace detail {

ROUNDHOUSE_HD inline void offer(Incumbent& best, int64_t cost, uint64_t route) {
  if (cost < best.cost || (cost == best.cost && route < best.prefix)) best = {cost, route};
}

/// Whether a prefix with this bound may begin a better route: cheaper, or as cheap and lexicographically smaller.
ROUNDHOUSE_HD inline bool worthwhile(const Incumbent& best, int64_t bound, uint64_t prefix, int stopsLeft) {
  return bound < best.cost || (bound == best.cost && prefix <= best.prefix >> (4 * stopsLeft));
}

ROUNDHOUSE_HD inline uint32_t openStops(const Prepared& problem, uint32_t visited) {
  uint32_t open = 0;
  for (uint32_t rest = problem.allStops & ~visited; rest != 0; rest &= rest - 1) {
    const int stop = lowestBit(rest);
    if ((problem.stops[stop].before & ~visited) == 0) open |= 1u << stop;
  }
  return open;
}

ROUNDHOUSE_HD inline void finish(const Prepared& problem, const Label& label, Incumbent& best) {
  const uint32_t open = openStops(problem, label.visited);
  Label whole;
  if (open == 0 || !extend(problem, label, lowestBit(open), whole)) return;
  offer(best, routeCost(problem, whole), whole.prefix);
}

/// Fills `frame` with the children of `label` that are worthwhile; the last two stops are walked at once.
ROUNDHOUSE_HD inline void expand(const Prepared& problem, const Label& label, int stopsLeft, Incumbent& best,
                                 Frame& frame) {
  frame.count = 0;
  frame.next = 0;
  for (uint32_t rest = openStops(problem, label.visited); rest != 0; rest &= rest - 1) {
    Child& child = frame.children[frame.count];
    if (!extend(problem, label, lowestBit(rest), child.label)) continue;
    if (stopsLeft == 2) {
      finish(problem, child.label, best);
      continue;
    }
    child.bound = lowerBound(problem, child.label);
    if (child.bound == kInfeasible || !worthwhile(best, child.bound, child.label.prefix, stopsLeft - 1)) continue;
    int slot = frame.count;
    for (; slot > 0 && frame.children[frame.order[slot - 1]].bound > child.bound; --slot) {
      frame.order[slot] = frame.order[slot - 1];
    }
    frame.order[slot] = static_cast<uint8_t>(frame.count++);
  }
}

}  // namespace detail

/**
 * Depth-first search from `best` (cost kInfeasible for none), children by bound, at most `maxNodes` expansions.
 * Returns the number of nodes expanded; when it is below `maxNodes`, `best` is the lexicographically smallest of the
 * cheapest routes, or has cost kInfeasible if no route is feasible. Needs at least two stops.
 */
ROUNDHOUSE_HD inline int64_t branchAndBound(const Prepared& problem, SearchStack& stack, Memo& memo, int64_t maxNodes,
                                            Incumbent& best) {
  const bool useMemo = problem.orderCount >= kMemoFromOrders;
  ++memo.solve;
  int64_t nodes = 1;
  int depth = 0;
  detail::expand(problem, startLabel(problem), problem.stopCount, best, stack.frames[0]);
  while (depth >= 0 && nodes < maxNodes) {
    Frame& frame = stack.frames[depth];
    if (frame.next == frame.count) {
      --depth;
      continue;
    }
    const Child& child = frame.children[frame.order[frame.next++]];
    const int stopsLeft = problem.stopCount - depth - 1;
    if (!detail::worthwhile(best, child.bound, child.label.prefix, stopsLeft)) continue;
    if (useMemo && stopsLeft >= 3 && depth >= 2 && dominated(memo, child.label)) continue;
    ++nodes;
    detail::expand(problem, child.label, stopsLeft, best, stack.frames[++depth]);
  }
  return nodes;
}

}  // namespace roundhouse::route_planner
