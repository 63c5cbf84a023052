#pragma once

#include "build.hpp"
#include "warp_planner.hpp"

namespace roundhouse::route_planner::gpu {

/// What a warp needs to build and solve any problem: about 100 KB of device memory, zeroed once.
struct GeneralScratch {
  Workspace workspace;
  Problem problem;
  Prepared prepared;
};

namespace detail {

/// fillShortest of prepared.hpp, each lane with some cells: while a stop is tried in between, no cell of its row and
/// column changes.
template <class Lanes>
ROUNDHOUSE_DEVICE void fillShortestTogether(const Lanes& lanes, Prepared& out) {
  const int count = out.stopCount;
  const int cells = (count + 1) * count;
  for (int cell = lanes.lane(); cell < cells; cell += 32) {
    out.shortest[cell / count][cell % count + 1] = out.leg[cell / count][cell % count + 1];
  }
  lanes.sync();
  for (int via = 1; via <= count; ++via) {
    const int64_t service = out.stops[via].postService;
    for (int cell = lanes.lane(); cell < cells; cell += 32) {
      const int from = cell / count;
      const int to = cell % count + 1;
      if (from == via || to == via) continue;
      int64_t& way = out.shortest[from][to];
      way = smaller(way, out.shortest[from][via] + service + out.shortest[via][to]);
    }
    lanes.sync();
  }
}

}  // namespace detail

/// Solves problem `index` of the source, which is one that `check` lets through.
template <class Lanes, class Source>
ROUNDHOUSE_DEVICE Answer solveGenerally(const Lanes& lanes, const Source& source, int index, GeneralScratch& scratch) {
  const bool builds = lanes.lane() == 0;
  if (builds && source(index, scratch.problem) && check(scratch.problem, scratch.prepared) == PrepareStatus::ok) {
    route_planner::detail::fillLegs(scratch.problem, scratch.prepared);
  }
  lanes.sync();
  detail::fillShortestTogether(lanes, scratch.prepared);
  if (builds) {
    route_planner::detail::fillShares(scratch.prepared);
    route_planner::detail::fillPickupToDropoff(scratch.prepared);
  }
  lanes.sync();
  WarpPlanner<Lanes> planner(lanes, scratch.prepared, scratch.workspace);
  const Answer answer = planner.solve();
  lanes.sync();
  return answer;
}

/// For a batch whose groups the host doesn't know.
constexpr uint32_t kFirstByCounters = UINT32_MAX;

/// Takes problems of the general group and searches that gave up, one after the other, until none is left.
template <class Lanes, class Source>
ROUNDHOUSE_DEVICE void solveGenerals(const Lanes& lanes, const Source& source, const Building& batch,
                                     uint32_t firstItem, GeneralScratch& scratch) {
  Counters& counters = *batch.d_counters;
  const uint32_t total = counters.perGroup[kGeneralGroup] + counters.unsolved;
  if (total == 0) return;
  if (firstItem == kFirstByCounters) firstItem = firstOf(counters, kGeneralGroup);
  for (;;) {
    const uint32_t mine = lanes.lane() == 0 ? lanes.add(&counters.taken, 1) : 0;
    const uint32_t number = lanes.from(0, mine);
    if (number >= total) return;
    const int index = static_cast<int>(batch.d_items[firstItem + number].index);
    const Answer answer = solveGenerally(lanes, source, batch.first + index, scratch);
    if (lanes.lane() == 0) batch.d_answers[index] = answer;
  }
}

}  // namespace roundhouse::route_planner::gpu
