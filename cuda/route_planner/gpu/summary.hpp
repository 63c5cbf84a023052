#pragma once

#include "../algo/prepared.hpp"
#include "groups.hpp"

namespace roundhouse::route_planner::gpu {

/// The status of a problem that its source can't build.
constexpr PrepareStatus kUnreadable = static_cast<PrepareStatus>(255);

/// What became of a problem. Where `status` is not ok, it has no answer.
struct Summary {
  PrepareStatus status;
  uint8_t stopCount;
  uint8_t orderCount;
  Group group;
};

/// The counters of a batch, all 0 before it is built.
struct Counters {
  /// Problems of each group.
  uint32_t perGroup[kGroups];
  /// Units of 16 bytes of the arena that are taken.
  uint32_t arena;
  /// Searches that gave up; they follow the items of kGeneralGroup.
  uint32_t unsolved;
  /// Items that the general kernel has taken.
  uint32_t taken;
  /// Searches that asked to be handed over, and their pieces that were taken.
  uint32_t hard;
  uint32_t pieces;
  /// Work of a small batch that its warps have begun beyond their first.
  uint32_t begun;
};

/// Problems of the groups before `group`.
ROUNDHOUSE_HD inline uint32_t firstOf(const Counters& counters, int group) {
  uint32_t first = 0;
  for (int before = 0; before < group; ++before) first += counters.perGroup[before];
  return first;
}

/// The plan that an answer stands for.
ROUNDHOUSE_HD inline Plan planOf(const Answer& answer, const Summary& summary) {
  Plan plan{};
  plan.feasible = summary.status == PrepareStatus::ok && answer.cost != kInfeasible;
  plan.unproven = summary.status == PrepareStatus::ok && !isExact(summary.orderCount, summary.stopCount);
  if (!plan.feasible) return plan;
  plan.cost = answer.cost;
  plan.stopCount = summary.stopCount;
  for (int position = 0; position < summary.stopCount; ++position) {
    plan.stops[position] = static_cast<uint8_t>((answer.route >> (4 * (summary.stopCount - 1 - position)) & 15) + 1);
  }
  return plan;
}

}  // namespace roundhouse::route_planner::gpu
