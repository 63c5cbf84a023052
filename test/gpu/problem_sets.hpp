#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../native/or_samples.hpp"
#include "../native/random_problems.hpp"

/// Problems to measure with: as many distinct ones as wanted, the same on every machine.
namespace roundhouse::test {

using route_planner::Problem;

/// Travel between random points of a square of `side` metres at 20 km/h, each way with a detour of its own.
inline void drawCityTravel(Random& random, int64_t side, Problem& problem) {
  int64_t x[route_planner::kMaxStops + 1];
  int64_t y[route_planner::kMaxStops + 1];
  for (int stop = 0; stop <= problem.stopCount; ++stop) {
    x[stop] = random.within(0, side);
    y[stop] = random.within(0, side);
  }
  for (int from = 0; from <= problem.stopCount; ++from) {
    for (int to = 0; to <= problem.stopCount; ++to) {
      const double metres = std::hypot(static_cast<double>(x[to] - x[from]), static_cast<double>(y[to] - y[from]));
      const double seconds = metres * 3.6 / 20 * (1 + static_cast<double>(random.within(0, 100)) / 1000);
      problem.travel[from][to] = from == to ? 0 : static_cast<int32_t>(std::ceil(seconds));
    }
  }
}

inline void drawCityOrder(Random& random, bool onBoard, int slack, Problem& problem) {
  using namespace route_planner;
  const int index = problem.orderCount++;
  const auto bit = static_cast<uint8_t>(1 << index);
  const auto ready = static_cast<int32_t>(problem.startAt + (onBoard ? -random.within(0, 900) : random.within(-600, 1500)));
  problem.orders[index] = {ready, static_cast<int32_t>(ready + random.within(1200, slack)), kNoLimit, 1, onBoard};
  const auto service = [&] { return static_cast<int32_t>(random.within(60, 240)); };
  if (!onBoard) addStop(problem, {StopKind::pickup, Group::held, bit, 0, service()});
  addStop(problem, {StopKind::dropoff, Group::held, bit, 0, service()});
}

/// As bench/solver/city-problems.ts draws them. The last order is the offered one, never on board.
inline Problem drawnCity(Random& random, int orders, bool empty) {
  Problem problem{};
  problem.startAt = 40000;
  int aboard = 0;
  for (int index = 0; index < orders; ++index) {
    const bool onBoard = !empty && index + 1 < orders && aboard < 3 && random.within(0, 99) < 35;
    aboard += onBoard ? 1 : 0;
    drawCityOrder(random, onBoard, empty ? 5500 : 4000, problem);
  }
  drawCityTravel(random, 10000, problem);
  problem.weightLateness = 10;
  problem.weightDuration = 2;
  problem.weightFreshness = 1;
  problem.capacity = static_cast<int32_t>(empty ? orders : random.within(3, 5));
  problem.latestPickup = route_planner::kNoLimit;
  problem.interleave = true;
  return problem;
}

/// A sample with every way up to a tenth longer and every time up to 5 minutes off.
inline Problem varied(Random& random, const Problem& sample) {
  Problem problem = sample;
  for (auto& row : problem.travel) {
    for (int32_t& seconds : row) seconds += static_cast<int32_t>(random.within(0, seconds / 10));
  }
  for (auto& order : problem.orders) {
    order.ready += static_cast<int32_t>(random.within(-300, 300));
    order.promised += static_cast<int32_t>(random.within(-300, 300));
  }
  return problem;
}

struct ProblemSet {
  std::string name;
  int orders;
  std::vector<Problem> problems;
};

/// `count` variations of the samples `<kind>_n<orders>`, or drawn problems where there are none.
inline ProblemSet measuredSet(const std::string& folder, const std::string& kind, int orders, int count) {
  ProblemSet set{kind + "_n" + std::to_string(orders), orders, {}};
  const std::vector<Sample> samples = readSamples(folder, set.name);
  Random random{static_cast<uint64_t>(1000 + orders + (kind == "worst" ? 100 : 0))};
  set.problems.reserve(static_cast<size_t>(count));
  for (int index = 0; index < count; ++index) {
    set.problems.push_back(samples.empty() ? drawnCity(random, orders, kind == "worst")
                                           : varied(random, samples[static_cast<size_t>(index) % samples.size()].problem));
  }
  set.name += samples.empty() ? " drawn" : " varied";
  return set;
}

}  // namespace roundhouse::test
