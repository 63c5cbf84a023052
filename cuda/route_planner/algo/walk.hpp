#pragma once

#include "problem.hpp"

namespace roundhouse::route_planner {

struct WalkResult {
  bool feasible;
  int64_t cost;
  int64_t late;
  int64_t fresh;
  int64_t endAt;
};

/// State of a courier between two stops of the shared walk (schemas/src/tensors.ts).
struct WalkState {
  int64_t at;
  int64_t load;
  int64_t late;
  int64_t fresh;
  uint32_t visited;
  int32_t stop;
};

ROUNDHOUSE_HD inline WalkState walkStart(const Problem& problem) {
  WalkState state{problem.startAt, 0, 0, 0, 0, 0};
  for (int order = 0; order < problem.orderCount; ++order) {
    if (problem.orders[order].onBoard) state.load += problem.orders[order].size;
  }
  return state;
}

/// True when every stop that must come before `stop` is in `state.visited`.
ROUNDHOUSE_HD inline bool walkMayVisit(const Problem& problem, const WalkState& state, int stop) {
  const Stop& wanted = problem.stops[stop];
  for (int other = 1; other <= problem.stopCount; ++other) {
    const Stop& before = problem.stops[other];
    const bool picksUpOurs = wanted.kind == StopKind::dropoff && before.kind == StopKind::pickup &&
                             (before.orders & wanted.orders) != 0;
    const bool isEarlierGroup = !problem.interleave && before.group < wanted.group;
    if ((picksUpOurs || isEarlierGroup) && (state.visited >> other & 1u) == 0) return false;
  }
  return true;
}

ROUNDHOUSE_HD inline bool walkServe(const Problem& problem, const Stop& stop, int64_t arrive, WalkState& state) {
  int64_t served = arrive + stop.preService;
  for (int order = 0; order < problem.orderCount; ++order) {
    if ((stop.orders >> order & 1) == 0) continue;
    const Order& handled = problem.orders[order];
    if (stop.kind == StopKind::pickup) {
      served = larger<int64_t>(served, handled.ready);
      state.load += handled.size;
    } else {
      if (served > handled.latestDropoff) return false;
      state.late += larger<int64_t>(0, served - handled.promised);
      state.fresh += served - handled.ready;
      state.load -= handled.size;
    }
  }
  state.at = served + stop.postService;
  return stop.kind == StopKind::dropoff || (served <= problem.latestPickup && state.load <= problem.capacity);
}

/// Walks `sequence` (stopCount stop numbers). Shares no shortcut with the search, which has its own copy of
/// the rules in prepared form; tests hold the two against each other.
ROUNDHOUSE_HD inline WalkResult walk(const Problem& problem, const uint8_t* sequence) {
  WalkState state = walkStart(problem);
  bool feasible = true;
  for (int position = 0; position < problem.stopCount && feasible; ++position) {
    const int stop = sequence[position];
    feasible = stop >= 1 && stop <= problem.stopCount && (state.visited >> stop & 1u) == 0 &&
               walkMayVisit(problem, state, stop) &&
               walkServe(problem, problem.stops[stop], state.at + problem.travel[state.stop][stop], state);
    state.visited |= 1u << stop;
    state.stop = stop;
  }
  if (!feasible) return {false, 0, 0, 0, 0};
  const int64_t cost = problem.weightLateness * state.late +
                       problem.weightDuration * (state.at - problem.startAt) +
                       problem.weightFreshness * state.fresh;
  return {true, cost, state.late, state.fresh, state.at};
}

}  // namespace roundhouse::route_planner
