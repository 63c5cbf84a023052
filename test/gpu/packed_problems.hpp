#pragma once

#include <cstdint>
#include <vector>

#include "../../cuda/route_planner/algo/packed.hpp"

namespace roundhouse::test {

/// Packs problems as native/planner/pack-problems.ts does.
class Packer {
 public:
  explicit Packer(std::vector<int32_t>& words) : words_(words) {}

  void add(const route_planner::Problem& problem) {
    words_.insert(words_.end(), {problem.orderCount, problem.stopCount, problem.capacity, problem.startAt,
                                 problem.interleave ? 1 : 0});
    for (const int64_t wide : {problem.latestPickup, problem.weightLateness, problem.weightDuration,
                               problem.weightFreshness}) {
      addWide(wide);
    }
    for (int index = 0; index < problem.orderCount; ++index) {
      const route_planner::Order& order = problem.orders[index];
      words_.insert(words_.end(), {order.ready, order.promised});
      addWide(order.latestDropoff);
      words_.insert(words_.end(), {order.size, order.onBoard ? 1 : 0});
    }
    for (int number = 1; number <= problem.stopCount; ++number) {
      const route_planner::Stop& stop = problem.stops[number];
      words_.insert(words_.end(), {static_cast<int32_t>(stop.kind), static_cast<int32_t>(stop.group), stop.orders,
                                   stop.preService, stop.postService});
    }
    for (int from = 0; from <= problem.stopCount; ++from) {
      words_.insert(words_.end(), problem.travel[from], problem.travel[from] + problem.stopCount + 1);
    }
  }

 private:
  void addWide(int64_t value) {
    words_.push_back(static_cast<int32_t>(value & 0xffffffff));
    words_.push_back(static_cast<int32_t>(value >> 32));
  }

  std::vector<int32_t>& words_;
};

inline std::vector<int32_t> packed(const std::vector<route_planner::Problem>& problems) {
  std::vector<int32_t> words;
  Packer packer(words);
  for (const route_planner::Problem& problem : problems) packer.add(problem);
  return words;
}

}  // namespace roundhouse::test
