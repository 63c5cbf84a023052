#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "problem_batch.hpp"

namespace roundhouse::route_planner {

/// One row a problem, in the order of the request (docs/tensors.md).
struct Answers {
  std::vector<std::int64_t> costs;
  /// kMaxStops stop numbers a problem, 0 behind the last and for an infeasible problem.
  std::vector<std::uint8_t> sequences;
  /// Bit 0 feasible, bit 1 unproven.
  std::vector<std::uint8_t> flags;
};

/// Memory for one problem at a time.
struct SolveMemory {
  Prepared prepared;
  Workspace workspace;
};

std::unique_ptr<SolveMemory> makeSolveMemory();

/// Solves packed problems (native/planner/pack-problems.ts has the words). `stop` is asked first
/// and about every quarter of a millisecond between problems (WorkPoll); where it says true the call throws Error
/// (DEADLINE_EXCEEDED). A problem that is refused throws Error naming it.
Answers solveRequest(std::span<const std::int32_t> words, SolveMemory& memory, const std::function<bool()>& stop);

/// Throws what is wrong with problem `index`, which begins at `at`, or that the GPU was wrong to refuse it.
[[noreturn]] void refuseProblem(std::span<const std::int32_t> words, std::size_t at, std::size_t index);

}  // namespace roundhouse::route_planner
