#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "../../cuda/route_planner/algo/solve.hpp"
#include "in_parallel.hpp"

namespace roundhouse::test {

/// The planner of algo/ on `threads` threads.
inline void solveOnCpu(std::span<const route_planner::Problem> problems, std::span<route_planner::Plan> plans,
                       std::span<route_planner::PrepareStatus> statuses, int threads) {
  std::atomic<size_t> next{0};
  inParallel(static_cast<size_t>(threads), [&](size_t) {
    const auto workspace = std::make_unique<route_planner::Workspace>();
    const auto prepared = std::make_unique<route_planner::Prepared>();
    resetWorkspace(*workspace);
    constexpr size_t kAtOnce = 64;
    for (size_t from = next.fetch_add(kAtOnce); from < problems.size(); from = next.fetch_add(kAtOnce)) {
      for (size_t index = from; index < problems.size() && index < from + kAtOnce; ++index) {
        statuses[index] = prepare(problems[index], *prepared);
        plans[index] = statuses[index] == route_planner::PrepareStatus::ok ? solve(*prepared, *workspace)
                                                                          : route_planner::Plan{};
      }
    }
  });
}

}  // namespace roundhouse::test
