#pragma once

#include "../algo/platform.hpp"

namespace roundhouse::route_planner::gpu {

/// How stops are numbered in a tree of `orders` orders of which the first `held` are on board: drop-offs of what is on
/// board, then pickup and drop-off of each other order. And where a problem's numbers are in its record.
struct TreeForm {
  int orders;
  int held;

  ROUNDHOUSE_HD constexpr int stops() const { return 2 * orders - held; }
  ROUNDHOUSE_HD constexpr int pickups() const { return orders - held; }
  ROUNDHOUSE_HD constexpr bool isPickup(int stop) const { return stop >= held && (stop - held) % 2 == 0; }
  ROUNDHOUSE_HD constexpr int orderOf(int stop) const { return stop < held ? stop : held + (stop - held) / 2; }
  ROUNDHOUSE_HD constexpr int pickupOf(int order) const { return order < held ? -1 : held + 2 * (order - held); }
  ROUNDHOUSE_HD constexpr int dropoffOf(int order) const { return order < held ? order : pickupOf(order) + 1; }

  /// Whether a route can go from `from` (−1: the start) to `to` at once.
  ROUNDHOUSE_HD constexpr bool hasWay(int from, int to) const {
    if (from == to) return false;
    if (from < 0) return isPickup(to) || to < held;
    return !(isPickup(to) && dropoffOf(orderOf(to)) == from);
  }
  /// Index of that way among all that are possible.
  ROUNDHOUSE_HD constexpr int wayIndex(int from, int to) const {
    int index = 0;
    for (int a = -1; a < stops(); ++a) {
      for (int b = 0; b < stops(); ++b) {
        if (a == from && b == to) return index;
        index += hasWay(a, b) ? 1 : 0;
      }
    }
    return index;
  }
  ROUNDHOUSE_HD constexpr int ways() const { return held + stops() * (stops() - 1); }

  ROUNDHOUSE_HD constexpr int pickupWord() const { return ways(); }
  ROUNDHOUSE_HD constexpr int promisedWord() const { return pickupWord() + pickups(); }
  ROUNDHOUSE_HD constexpr int weightWord() const { return promisedWord() + orders; }
  ROUNDHOUSE_HD constexpr int numbersWord() const { return weightWord() + 4; }
  ROUNDHOUSE_HD constexpr int overfullWord() const { return numbersWord() + 1; }
  /// Words of a problem's record: the last only where the capacity may bind; a multiple of 4, so that it is read 16 bytes
  /// at a time.
  ROUNDHOUSE_HD constexpr int words(bool capacity) const { return (overfullWord() + (capacity ? 1 : 0) + 3) / 4 * 4; }
};

/**
 * Full enumeration of the routes of `kOrders` orders of which the first `kHeld` are on board, unrolled at compile
 * time: a problem's numbers lie in registers, and no index is computed at run time. Stops are numbered as
 * TreeForm says; `TreeProblem::number` has the problem's own numbers, by which ties are decided.
 *
 * All numbers are 32 bits, times relative to the start; narrow.hpp says which problems fit. Services behind a stop are
 * part of the way to it, so a stop is left at `time + way`, and promised and ready times are shifted by as much.
 */
template <int kOrders, int kHeld>
struct TreeShape {
  static constexpr int kStops = 2 * kOrders - kHeld;
  static constexpr int kPickups = kOrders - kHeld;
  static constexpr int kWays = TreeForm{kOrders, kHeld}.ways();

  ROUNDHOUSE_HD static constexpr bool isPickup(int stop) { return TreeForm{kOrders, kHeld}.isPickup(stop); }
  ROUNDHOUSE_HD static constexpr int orderOf(int stop) { return TreeForm{kOrders, kHeld}.orderOf(stop); }
  ROUNDHOUSE_HD static constexpr int pickupOf(int order) { return TreeForm{kOrders, kHeld}.pickupOf(order); }
  ROUNDHOUSE_HD static constexpr int dropoffOf(int order) { return TreeForm{kOrders, kHeld}.dropoffOf(order); }
  ROUNDHOUSE_HD static constexpr int wayIndex(int from, int to) {
    return TreeForm{kOrders, kHeld}.wayIndex(from, to);
  }
};

/// No cost of a problem that fits reaches it; a route over capacity costs at least as much, and less than 2^31.
constexpr int32_t kTreeInfeasible = int32_t{1} << 30;

template <int kOrders, int kHeld>
struct TreeProblem {
  using Shape = TreeShape<kOrders, kHeld>;
  int32_t way[Shape::kWays];
  /// Earliest departure from a pickup.
  int32_t pickup[Shape::kPickups > 0 ? Shape::kPickups : 1];
  /// Minus the promised departure from a drop-off.
  int32_t minusPromised[kOrders];
  int32_t weightLateness;
  int32_t weightDuration;
  int32_t weightFreshness;
  /// −weightFreshness·Σ(ready + service): what all routes have in common.
  int32_t base;
  /// The problem's own stop number − 1 of each stop.
  uint32_t number[Shape::kStops];
  /// Bit S: with the set of orders S on board the courier is over its capacity.
  uint32_t overfull;
};

/// max(a + b, c): one instruction on the GPU.
ROUNDHOUSE_HD inline int32_t addMax(int32_t a, int32_t b, int32_t c) {
#if defined(__CUDA_ARCH__)
  return __viaddmax_s32(a, b, c);
#else
  return larger(a + b, c);
#endif
}

#if defined(__CUDACC__)
#define ROUNDHOUSE_UNROLLED __host__ __device__ __forceinline__
#else
#define ROUNDHOUSE_UNROLLED inline
#endif

template <int kOrders, int kHeld, bool kCapacity>
struct Tree {
  using Shape = TreeShape<kOrders, kHeld>;
  using Problem = TreeProblem<kOrders, kHeld>;
  static constexpr uint32_t kAll = (1u << Shape::kStops) - 1;

  const Problem& problem;
  /// Cost in the upper half; route in the problem's numbers, 4 bits each, the first highest: the smallest is the answer.
  int64_t best;

  ROUNDHOUSE_UNROLLED explicit Tree(const Problem& whole) : problem(whole), best(INT64_MAX) {}

  ROUNDHOUSE_UNROLLED void search() { children<0, -1, 0>(0, problem.base, 0); }

 private:
  ROUNDHOUSE_HD static constexpr bool isOpen(uint32_t visited, int stop) {
    if ((visited >> stop & 1) != 0) return false;
    const int order = Shape::orderOf(stop);
    return Shape::isPickup(stop) || order < kHeld || (visited >> Shape::pickupOf(order) & 1) != 0;
  }
  /// Orders on board after `visited`.
  ROUNDHOUSE_HD static constexpr uint32_t carried(uint32_t visited) {
    uint32_t set = 0;
    for (int order = 0; order < kOrders; ++order) {
      const bool picked = order < kHeld || (visited >> Shape::pickupOf(order) & 1) != 0;
      if (picked && (visited >> Shape::dropoffOf(order) & 1) == 0) set |= 1u << order;
    }
    return set;
  }

  /// Goes from `kFrom` to `kTo` and on from there.
  template <uint32_t kVisited, int kFrom, int kTo>
  ROUNDHOUSE_UNROLLED void visit(int32_t at, int32_t cost, uint32_t route) {
    constexpr uint32_t kNow = kVisited | 1u << kTo;
    constexpr int kOrder = Shape::orderOf(kTo);
    const int32_t way = problem.way[Shape::wayIndex(kFrom, kTo)];
    if constexpr (Shape::isPickup(kTo)) {
      at = addMax(at, way, problem.pickup[kOrder - kHeld]);
      if constexpr (kCapacity) {
        constexpr uint32_t kSet = carried(kNow);
        cost = larger(cost, static_cast<int32_t>(0x80000000u - ((problem.overfull >> kSet & 1) << 30)));
      }
    } else {
      at += way;
      cost += problem.weightLateness * addMax(at, problem.minusPromised[kOrder], 0);
      cost += problem.weightFreshness * at;
    }
    route = route * 16 + problem.number[kTo];
    if constexpr (kNow == kAll) {
      const int32_t whole = cost + problem.weightDuration * at;
      best = smaller(best, static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(whole)) << 32 | route));
    } else {
      children<kNow, kTo, 0>(at, cost, route);
    }
  }

  template <uint32_t kVisited, int kFrom, int kNext>
  ROUNDHOUSE_UNROLLED void children(int32_t at, int32_t cost, uint32_t route) {
    if constexpr (kNext < Shape::kStops) {
      if constexpr (isOpen(kVisited, kNext)) visit<kVisited, kFrom, kNext>(at, cost, route);
      children<kVisited, kFrom, kNext + 1>(at, cost, route);
    }
  }
};

}  // namespace roundhouse::route_planner::gpu
