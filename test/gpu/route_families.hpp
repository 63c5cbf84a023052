#pragma once

#include <vector>

#include "../native/random_problems.hpp"

namespace roundhouse::test {

constexpr int kNever = 1 << 30;
constexpr int64_t kHugeWeight = int64_t{1} << 18;

//  name             orders travel       times        weight on merge limit shift bundle size Q metric
inline const Family routeFamilies[] = {
    {"city", 1, 6, 900, 2000, 10, 4, kNever, kNever, kNever, kNever, 1, 3, true},
    {"no triangle", 1, 6, 900, 2000, 10, 4, kNever, kNever, kNever, kNever, 1, 6, false},
    {"trees", 1, 4, 400, 800, 5, 3, kNever, kNever, kNever, kNever, 2, 9, false},
    {"trees, ties", 1, 4, 3, 4, 2, 3, kNever, kNever, kNever, kNever, 2, 6, false},
    {"ties", 1, 6, 2, 3, 2, 4, 4, kNever, kNever, 2, 1, 3, false},
    {"all costs 0", 1, 5, 9, 9, 0, 3, 3, 3, 3, 2, 2, 3, false},
    {"merged, groups", 2, 6, 90, 300, 10, 4, 2, kNever, kNever, 2, 2, 6, false},
    {"hard limits", 1, 6, 300, 700, 10, 3, 3, 2, 2, 3, 3, 6, false},
    {"64-bit costs", 1, 5, INT32_MAX, INT32_MAX, kHugeWeight, 3, 3, 6, 6, 3, 1, 3, false},
    {"memo, mixed", 5, 6, 40, 80, 4, 2, 2, 6, 9, 3, 2, 9, true},
    {"7 orders", 7, 7, 900, 2000, 10, 2, kNever, kNever, kNever, kNever, 1, 9, true},
    {"7, ties", 7, 7, 3, 4, 2, 2, kNever, 9, 9, kNever, 1, 9, false},
    {"7 and 8", 7, 8, 400, 900, 10, 2, 3, 4, 5, 3, 2, 9, false},
    {"7 and 8, rescue", 7, 8, 300, 500, 4, 3, 6, 2, 2, 3, 2, 3, false},
};

/// Shares of `all`; the slow kinds get few.
inline std::size_t familySize(const Family& family, std::size_t all) {
  if (family.leastOrders == 7) return all / 100;
  return family.mostWeight == kHugeWeight ? all / 50 : all * 94 / 900;
}

inline std::vector<route_planner::Problem> drawFamily(const Family& family, std::size_t count, uint64_t seed) {
  Random random{seed};
  std::vector<route_planner::Problem> problems(count);
  for (route_planner::Problem& problem : problems) problem = randomProblem(random, family);
  return problems;
}

}  // namespace roundhouse::test
