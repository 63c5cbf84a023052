#pragma once

#include "branch_and_bound.hpp"
#include "memo.hpp"

namespace roundhouse::route_planner {

/// docs/or.md has the gap that this width leaves.
constexpr int kBeamWidth = 128;

struct BeamEntry {
  int64_t bound;
  Label label;
};

/// Prefixes of one length; `order` lists entries by bound, then by sequence.
struct BeamLevel {
  int32_t count;
  uint8_t order[kBeamWidth];
  BeamEntry entries[kBeamWidth];
};

struct Beam {
  BeamLevel levels[2];
};

namespace detail {

ROUNDHOUSE_HD inline bool comesBefore(const BeamEntry& a, const BeamEntry& b) {
  return a.bound < b.bound || (a.bound == b.bound && a.label.prefix < b.label.prefix);
}

/// Inserts in order; the worst falls out of a full level.
ROUNDHOUSE_HD inline void keep(BeamLevel& level, const BeamEntry& entry) {
  int position = level.count;
  int slot = level.count;
  if (level.count == kBeamWidth) {
    position = kBeamWidth - 1;
    slot = level.order[position];
    if (!comesBefore(entry, level.entries[slot])) return;
  } else {
    ++level.count;
  }
  level.entries[slot] = entry;
  for (; position > 0 && comesBefore(entry, level.entries[level.order[position - 1]]); --position) {
    level.order[position] = level.order[position - 1];
  }
  level.order[position] = static_cast<uint8_t>(slot);
}

ROUNDHOUSE_HD inline void widen(const Prepared& problem, const Label& parent, Memo& memo, BeamLevel& next) {
  for (uint32_t rest = openStops(problem, parent.visited); rest != 0; rest &= rest - 1) {
    BeamEntry child;
    if (!extend(problem, parent, lowestBit(rest), child.label)) continue;
    child.bound = lowerBound(problem, child.label);
    if (child.bound == kInfeasible || dominated(memo, child.label)) continue;
    keep(next, child);
  }
}

}  // namespace detail

/// Beam search by the lower bound, level by level: sequential and deterministic. Returns the prefixes widened.
ROUNDHOUSE_HD inline int64_t beamSearch(const Prepared& problem, Beam& beam, Memo& memo, Incumbent& best) {
  ++memo.solve;
  int64_t nodes = 0;
  beam.levels[0].count = 0;
  detail::keep(beam.levels[0], {0, startLabel(problem)});
  for (int depth = 0; depth < problem.stopCount; ++depth) {
    const BeamLevel& level = beam.levels[depth & 1];
    BeamLevel& next = beam.levels[(depth + 1) & 1];
    next.count = 0;
    for (int index = 0; index < level.count; ++index, ++nodes) {
      detail::widen(problem, level.entries[level.order[index]].label, memo, next);
    }
  }
  const BeamLevel& last = beam.levels[problem.stopCount & 1];
  for (int index = 0; index < last.count; ++index) {
    const Label& label = last.entries[index].label;
    detail::offer(best, routeCost(problem, label), label.prefix);
  }
  return nodes;
}

}  // namespace roundhouse::route_planner
