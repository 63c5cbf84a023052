#pragma once

#include "memo.hpp"
#include "branch_and_bound.hpp"

namespace roundhouse::route_planner {

constexpr int kBeamWidth = 48;

struct BeamEntry {
  int64_t bound;
  Label label;
};

/// Two levels of the beam, each sorted by bound, then by sequence.
struct Beam {
  int32_t count[2];
  BeamEntry entries[2][kBeamWidth];
};

namespace detail {

ROUNDHOUSE_HD inline bool comesBefore(const BeamEntry& a, const BeamEntry& b) {
  return a.bound < b.bound || (a.bound == b.bound && a.label.prefix < b.label.prefix);
}

/// Inserts in order; the worst falls out of a full level.
ROUNDHOUSE_HD inline void keep(BeamEntry* level, int32_t& count, const BeamEntry& entry) {
  if (count == kBeamWidth && !comesBefore(entry, level[count - 1])) return;
  int slot = count == kBeamWidth ? count - 1 : count++;
  for (; slot > 0 && comesBefore(entry, level[slot - 1]); --slot) level[slot] = level[slot - 1];
  level[slot] = entry;
}

ROUNDHOUSE_HD inline void widen(const Prepared& problem, const BeamEntry& parent, Memo& memo, BeamEntry* level,
                                int32_t& count) {
  for (uint32_t rest = openStops(problem, parent.label.visited); rest != 0; rest &= rest - 1) {
    BeamEntry child;
    if (!extend(problem, parent.label, lowestBit(rest), child.label)) continue;
    child.bound = lowerBound(problem, child.label);
    if (child.bound == kInfeasible || dominated(memo, child.label)) continue;
    keep(level, count, child);
  }
}

}  // namespace detail

/// Beam search by the lower bound, level by level: sequential and deterministic. Returns the prefixes widened.
ROUNDHOUSE_HD inline int64_t beamSearch(const Prepared& problem, Beam& beam, Memo& memo, Incumbent& best) {
  ++memo.solve;
  int64_t nodes = 0;
  beam.count[0] = 1;
  beam.entries[0][0] = {0, startLabel(problem)};
  for (int depth = 0; depth < problem.stopCount; ++depth) {
    const int from = depth & 1;
    const int to = from ^ 1;
    beam.count[to] = 0;
    for (int index = 0; index < beam.count[from]; ++index, ++nodes) {
      detail::widen(problem, beam.entries[from][index], memo, beam.entries[to], beam.count[to]);
    }
  }
  const int last = problem.stopCount & 1;
  for (int index = 0; index < beam.count[last]; ++index) {
    const Label& label = beam.entries[last][index].label;
    detail::offer(best, routeCost(problem, label), label.prefix);
  }
  return nodes;
}

}  // namespace roundhouse::route_planner
