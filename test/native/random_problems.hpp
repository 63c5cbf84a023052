#pragma once

#include <cstdint>

#include "../../cuda/route_planner/algo/problem.hpp"

/// Random problems with a fixed seed: every hard limit, merged stops, groups, ties and large numbers.
namespace roundhouse::test {

/// SplitMix64.
struct Random {
  uint64_t state;

  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int64_t within(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(next() % static_cast<uint64_t>(most - least + 1));
  }
  bool oneIn(int n) { return within(1, n) == 1; }
};

/// What a family of problems looks like.
struct Family {
  const char* name;
  int leastOrders, mostOrders;
  int32_t longestTravel;
  int32_t timeSpread;
  int64_t mostWeight;
  /// One in so many: order on board, pickup merged into an earlier one, limit on a drop-off, shift end, group bundle.
  int onBoardIn, mergeIn, limitIn, shiftIn, bundleIn;
  int32_t mostSize, mostCapacity;
  bool metric;
};

inline void addStop(route_planner::Problem& problem, route_planner::Stop stop) {
  problem.stops[++problem.stopCount] = stop;
}

inline void addRandomOrder(Random& random, const Family& family, route_planner::Problem& problem) {
  using namespace route_planner;
  const int index = problem.orderCount++;
  const auto bit = static_cast<uint8_t>(1 << index);
  const bool bundle = problem.orderCount > 1 && random.oneIn(family.bundleIn);
  const bool onBoard = !bundle && random.oneIn(family.onBoardIn);
  const auto time = [&] { return static_cast<int32_t>(random.within(-family.timeSpread, family.timeSpread)); };
  const auto service = [&] {
    return static_cast<int32_t>(random.oneIn(2) ? 0 : random.within(0, family.longestTravel / 4));
  };
  const Group group = bundle ? Group::bundle : Group::held;
  const int64_t latest = random.oneIn(family.limitIn) ? time() + int64_t{family.longestTravel} * 2 : kNoLimit;
  problem.orders[index] = {time(), time(), latest, static_cast<int32_t>(random.within(0, family.mostSize)), onBoard};
  int joined = 0;
  for (int stop = 1; stop <= problem.stopCount && joined == 0; ++stop) {
    const bool fits = problem.stops[stop].kind == StopKind::pickup && problem.stops[stop].group == group;
    if (fits && !onBoard && random.oneIn(family.mergeIn)) joined = stop;
  }
  if (joined != 0) problem.stops[joined].orders |= bit;
  if (joined == 0 && !onBoard) addStop(problem, {StopKind::pickup, group, bit, service(), service()});
  addStop(problem, {StopKind::dropoff, group, bit, service(), service()});
}

/// Stop numbers in a random order, so that number and kind say nothing of each other.
inline void shuffleStops(Random& random, route_planner::Problem& problem) {
  for (int stop = problem.stopCount; stop > 1; --stop) {
    const auto other = random.within(1, stop);
    const route_planner::Stop held = problem.stops[stop];
    problem.stops[stop] = problem.stops[other];
    problem.stops[other] = held;
  }
}

inline void fillRandomTravel(Random& random, const Family& family, route_planner::Problem& problem) {
  int64_t x[route_planner::kMaxStops + 1];
  for (int stop = 0; stop <= problem.stopCount; ++stop) x[stop] = random.within(0, family.longestTravel);
  for (int from = 0; from <= problem.stopCount; ++from) {
    for (int to = 0; to <= problem.stopCount; ++to) {
      const int64_t straight = x[from] < x[to] ? x[to] - x[from] : x[from] - x[to];
      const int64_t any = random.oneIn(4) ? 0 : random.within(0, family.longestTravel);
      problem.travel[from][to] = static_cast<int32_t>(family.metric ? straight : any);
    }
  }
}

inline route_planner::Problem randomProblem(Random& random, const Family& family) {
  route_planner::Problem problem{};
  const auto orders = random.within(family.leastOrders, family.mostOrders);
  problem.startAt = static_cast<int32_t>(random.within(-family.timeSpread, family.timeSpread));
  while (problem.orderCount < orders) addRandomOrder(random, family, problem);
  shuffleStops(random, problem);
  fillRandomTravel(random, family, problem);
  problem.weightLateness = random.within(0, family.mostWeight);
  problem.weightDuration = random.within(0, family.mostWeight);
  problem.weightFreshness = random.within(0, family.mostWeight);
  problem.capacity = static_cast<int32_t>(random.within(1, family.mostCapacity));
  problem.latestPickup = random.oneIn(family.shiftIn)
                             ? problem.startAt + random.within(0, int64_t{family.longestTravel} * 4)
                             : route_planner::kNoLimit;
  problem.interleave = random.oneIn(2);
  return problem;
}

/// Makes up to three trips of the bundle: a pickup and the drop-offs of its orders change their group together.
inline void splitIntoTrips(Random& random, route_planner::Problem& problem) {
  using namespace route_planner;
  for (int number = 1; number <= problem.stopCount; ++number) {
    Stop& pickup = problem.stops[number];
    if (pickup.kind != StopKind::pickup || pickup.group == Group::held) continue;
    const auto trip = static_cast<Group>(random.within(1, 3));
    for (int other = 1; other <= problem.stopCount; ++other) {
      if ((problem.stops[other].orders & pickup.orders) != 0) problem.stops[other].group = trip;
    }
  }
}

}  // namespace roundhouse::test
