#pragma once

#include "branch_and_bound.hpp"
#include "heuristic.hpp"

namespace roundhouse::route_planner {

/// Expansions that a plan that is not exact may still use after the beam, where the beam found no route.
constexpr int64_t kRescueNodes = 20000;

/// Memory of one solve at a time; about 90 KB, zeroed by `resetWorkspace` once before its first use.
struct Workspace {
  SearchStack stack;
  Beam beam;
  Memo memo;
};

ROUNDHOUSE_HD inline void resetWorkspace(Workspace& workspace) { clearMemo(workspace.memo); }

namespace detail {

ROUNDHOUSE_HD inline void solveShort(const Prepared& problem, Incumbent& best) {
  if (problem.stopCount == 0) {
    best = {0, 0};
  } else {
    finish(problem, startLabel(problem), best);
  }
}

ROUNDHOUSE_HD inline Plan planOf(const Prepared& problem, const Incumbent& best, bool unproven, int64_t nodes) {
  Plan plan{};
  plan.feasible = best.cost != kInfeasible;
  plan.unproven = unproven;
  plan.nodes = nodes;
  if (!plan.feasible) return plan;
  plan.cost = best.cost;
  plan.stopCount = problem.stopCount;
  for (int position = 0; position < problem.stopCount; ++position) {
    plan.stops[position] = static_cast<uint8_t>((best.prefix >> (4 * (problem.stopCount - 1 - position)) & 15) + 1);
  }
  return plan;
}

}  // namespace detail

/// The cheapest route for any number of orders, whatever it takes: for tests and to measure the heuristic's gap.
ROUNDHOUSE_HD inline Plan solveExact(const Prepared& problem, Workspace& workspace) {
  Incumbent best{kInfeasible, UINT64_MAX};
  if (problem.stopCount < 2) {
    detail::solveShort(problem, best);
    return detail::planOf(problem, best, false, 1);
  }
  const int64_t nodes = branchAndBound(problem, workspace.stack, workspace.memo, INT64_MAX, best);
  return detail::planOf(problem, best, false, nodes);
}

/// Beam search, and a bounded tree search where the beam lost every feasible route.
ROUNDHOUSE_HD inline Plan solveHeuristic(const Prepared& problem, Workspace& workspace) {
  Incumbent best{kInfeasible, UINT64_MAX};
  int64_t nodes = beamSearch(problem, workspace.beam, workspace.memo, best);
  if (best.cost == kInfeasible && problem.stopCount >= 2) {
    nodes += branchAndBound(problem, workspace.stack, workspace.memo, kRescueNodes, best);
  }
  return detail::planOf(problem, best, true, nodes);
}

/// The plan of a prepared problem: exact, or the heuristic's, as isExact says.
ROUNDHOUSE_HD inline Plan solve(const Prepared& problem, Workspace& workspace) {
  return isExact(problem.orderCount, problem.stopCount) ? solveExact(problem, workspace)
                                                        : solveHeuristic(problem, workspace);
}

}  // namespace roundhouse::route_planner
