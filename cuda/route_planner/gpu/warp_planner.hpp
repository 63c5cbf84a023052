#pragma once

#include "../algo/solve.hpp"
#include "answer.hpp"

namespace roundhouse::route_planner::gpu {

/**
 * The planner of solve.hpp, step for step, by the 32 lanes of a warp: children of a prefix are walked and bounded one a
 * lane, everything that depends on order happens in the same order. So it expands the same nodes, and a search ended by
 * its budget gives the same route. For what the fast kernels do not take: 64-bit numbers, plans that are not exact, and problems
 * that another kernel gave up.
 */
template <class Lanes>
class WarpPlanner {
 public:
  ROUNDHOUSE_DEVICE WarpPlanner(const Lanes& lanes, const Prepared& problem, Workspace& workspace)
      : lanes_(lanes), problem_(problem), workspace_(workspace) {}

  ROUNDHOUSE_DEVICE Answer solve() {
    if (problem_.stopCount < 2) {
      route_planner::detail::solveShort(problem_, best_);
    } else if (isExact(problem_.orderCount, problem_.stopCount)) {
      search(INT64_MAX);
    } else {
      beam();
      if (best_.cost == kInfeasible) search(kRescueNodes);
    }
    return {best_.cost, best_.prefix};
  }

 private:
  /// The keys of a beam's level in order: position 32·k + lane is number k of this lane.
  struct Keys {
    int64_t bound[kBeamWidth / 32];
    uint64_t prefix[kBeamWidth / 32];
    int slot[kBeamWidth / 32];
    int count;
  };

  ROUNDHOUSE_DEVICE static bool before(int64_t boundA, uint64_t prefixA, int64_t boundB, uint64_t prefixB) {
    return boundA < boundB || (boundA == boundB && prefixA < prefixB);
  }

  ROUNDHOUSE_DEVICE void newSolve() {
    if (lanes_.lane() == 0) ++workspace_.memo.solve;
    lanes_.sync();
  }

  /// The best of all lanes' own incumbents.
  ROUNDHOUSE_DEVICE void offerOwn(Incumbent own) {
    for (int step = 16; step > 0; step /= 2) {
      const int64_t cost = lanes_.across(step, own.cost);
      const uint64_t prefix = lanes_.across(step, own.prefix);
      route_planner::detail::offer(own, cost, prefix);
    }
    route_planner::detail::offer(best_, own.cost, own.prefix);
  }

  ROUNDHOUSE_DEVICE void expand(const Label& label, int stopsLeft, Frame& frame) {
    const int lane = lanes_.lane();
    const uint32_t open = route_planner::detail::openStops(problem_, label.visited);
    Label child;
    bool alive = lane < kMaxStops && (open >> (lane + 1) & 1) != 0 && extend(problem_, label, lane + 1, child);
    if (stopsLeft == 2) {
      Incumbent own{kInfeasible, UINT64_MAX};
      if (alive) route_planner::detail::finish(problem_, child, own);
      offerOwn(own);
      alive = false;
    }
    const int64_t bound = alive ? lowerBound(problem_, child) : kInfeasible;
    alive = bound != kInfeasible &&
            route_planner::detail::worthwhile(best_, bound, child.prefix, stopsLeft - 1);
    const uint32_t survivors = lanes_.ballot(alive);
    int rank = 0;
    for (uint32_t rest = survivors; rest != 0; rest &= rest - 1) {
      const int other = lowestBit(rest);
      const int64_t theirs = lanes_.from(other, bound);
      rank += theirs < bound || (theirs == bound && other < lane) ? 1 : 0;
    }
    if (alive) {
      frame.children[lane] = {bound, child};
      frame.order[rank] = static_cast<uint8_t>(lane);
    }
    if (lane == 0) {
      frame.count = countBits(survivors);
      frame.next = 0;
    }
    lanes_.sync();
  }

  ROUNDHOUSE_DEVICE bool ruledOut(const Label& label) {
    const int first = lanes_.lane() == 0 && dominated(workspace_.memo, label) ? 1 : 0;
    const bool result = lanes_.from(0, first) != 0;
    lanes_.sync();
    return result;
  }

  /// branchAndBound of branch_and_bound.hpp.
  ROUNDHOUSE_DEVICE void search(int64_t maxNodes) {
    Frame* frames = workspace_.stack.frames;
    const bool useMemo = problem_.orderCount >= kMemoFromOrders;
    newSolve();
    int64_t nodes = 1;
    int depth = 0;
    expand(startLabel(problem_), problem_.stopCount, frames[0]);
    while (depth >= 0 && nodes < maxNodes) {
      Frame& frame = frames[depth];
      const int next = frame.next;
      const int count = frame.count;
      lanes_.sync();
      if (next == count) {
        --depth;
        continue;
      }
      if (lanes_.lane() == 0) frame.next = next + 1;
      const Child child = frame.children[frame.order[next]];
      const int stopsLeft = problem_.stopCount - depth - 1;
      if (!route_planner::detail::worthwhile(best_, child.bound, child.label.prefix, stopsLeft)) continue;
      if (useMemo && stopsLeft >= 3 && depth >= 2 && ruledOut(child.label)) continue;
      ++nodes;
      expand(child.label, stopsLeft, frames[++depth]);
    }
  }

  /// `dominated` for every lane that wants it, as if one after the other: only lanes of the same entry wait.
  ROUNDHOUSE_DEVICE bool ruledOutInTurn(bool wants, const Label& label) {
    const int lane = lanes_.lane();
    const uint32_t entry = wants ? memoIndex(memoState(label)) : kMemoEntries + static_cast<uint32_t>(lane);
    const uint32_t rivals = lanes_.same(entry);
    const int turn = countBits(rivals & ((1u << lane) - 1));
    const uint32_t turns = lanes_.either(wants ? 1u << turn : 0u);
    bool result = false;
    for (int now = 0; turns >> now != 0; ++now) {
      if (wants && turn == now) result = dominated(workspace_.memo, label);
      lanes_.sync();
    }
    return result;
  }

  /// keep() of heuristic.hpp for the child of lane `source`.
  ROUNDHOUSE_DEVICE void keep(Keys& keys, BeamLevel& level, int source, int64_t ownBound, const Label& own) {
    constexpr int kRows = kBeamWidth / 32;
    const int lane = lanes_.lane();
    const int64_t bound = lanes_.from(source, ownBound);
    const uint64_t prefix = lanes_.from(source, own.prefix);
    int position = 0;
    ROUNDHOUSE_UNROLL
    for (int row = 0; row < kRows; ++row) {
      const bool ahead = 32 * row + lane < keys.count && before(keys.bound[row], keys.prefix[row], bound, prefix);
      position += countBits(lanes_.ballot(ahead));
    }
    if (position == kBeamWidth) return;
    const int worst = lanes_.from(31, keys.slot[kRows - 1]);
    const int slot = keys.count < kBeamWidth ? keys.count : worst;
    keys.count = smaller(keys.count + 1, kBeamWidth);
    ROUNDHOUSE_UNROLL
    for (int row = kRows - 1; row >= 0; --row) {
      const int carry = row > 0 ? row - 1 : 0;
      int64_t boundBefore = lanes_.up(1, keys.bound[row]);
      uint64_t prefixBefore = lanes_.up(1, keys.prefix[row]);
      int slotBefore = lanes_.up(1, keys.slot[row]);
      const int64_t boundCarried = lanes_.from(31, keys.bound[carry]);
      const uint64_t prefixCarried = lanes_.from(31, keys.prefix[carry]);
      const int slotCarried = lanes_.from(31, keys.slot[carry]);
      if (lane == 0) {
        boundBefore = boundCarried;
        prefixBefore = prefixCarried;
        slotBefore = slotCarried;
      }
      const int here = 32 * row + lane;
      if (here < position) continue;
      keys.bound[row] = here == position ? bound : boundBefore;
      keys.prefix[row] = here == position ? prefix : prefixBefore;
      keys.slot[row] = here == position ? slot : slotBefore;
    }
    if (lane == source) level.entries[slot] = {ownBound, own};
  }

  ROUNDHOUSE_DEVICE void widen(const BeamLevel& level, BeamLevel& next) {
    const int lane = lanes_.lane();
    Keys keys{};
    for (int first = 0; first < level.count; first += 2) {
      const int index = first + lane / kMaxStops;
      const int to = lane % kMaxStops + 1;
      bool alive = index < level.count;
      Label child;
      int64_t bound = kInfeasible;
      if (alive) {
        const Label& parent = level.entries[level.order[index]].label;
        const uint32_t open = route_planner::detail::openStops(problem_, parent.visited);
        alive = (open >> to & 1) != 0 && extend(problem_, parent, to, child);
        if (alive) bound = lowerBound(problem_, child);
        alive = bound != kInfeasible;
      }
      alive = !ruledOutInTurn(alive, child) && alive;
      for (uint32_t rest = lanes_.ballot(alive); rest != 0; rest &= rest - 1) {
        keep(keys, next, lowestBit(rest), bound, child);
      }
    }
    ROUNDHOUSE_UNROLL
    for (int row = 0; row < kBeamWidth / 32; ++row) {
      next.order[32 * row + lane] = static_cast<uint8_t>(keys.slot[row]);
    }
    if (lane == 0) next.count = keys.count;
    lanes_.sync();
  }

  /// beamSearch of heuristic.hpp.
  ROUNDHOUSE_DEVICE void beam() {
    BeamLevel* levels = workspace_.beam.levels;
    newSolve();
    if (lanes_.lane() == 0) {
      levels[0].entries[0] = {0, startLabel(problem_)};
      levels[0].order[0] = 0;
      levels[0].count = 1;
    }
    lanes_.sync();
    for (int depth = 0; depth < problem_.stopCount; ++depth) widen(levels[depth & 1], levels[(depth + 1) & 1]);
    const BeamLevel& last = levels[problem_.stopCount & 1];
    Incumbent own{kInfeasible, UINT64_MAX};
    for (int index = lanes_.lane(); index < last.count; index += 32) {
      const Label& label = last.entries[index].label;
      route_planner::detail::offer(own, routeCost(problem_, label), label.prefix);
    }
    offerOwn(own);
  }

  const Lanes& lanes_;
  const Prepared& problem_;
  Workspace& workspace_;
  Incumbent best_{kInfeasible, UINT64_MAX};
};

}  // namespace roundhouse::route_planner::gpu
