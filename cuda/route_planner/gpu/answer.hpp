#pragma once

#include "../algo/problem.hpp"

namespace roundhouse::route_planner::gpu {

/// What a kernel says about a problem; `route` has 4 bits a stop, the first highest.
struct Answer {
  /// kInfeasible: no route obeys the limits. kUnsolved: the kernel gave up, another must solve it.
  int64_t cost;
  uint64_t route;
};

constexpr int64_t kUnsolved = INT64_MAX - 1;
/// Of a search that others go on with.
constexpr int64_t kHandedOver = INT64_MAX - 2;

}  // namespace roundhouse::route_planner::gpu
