#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace roundhouse::planner {

/// What a measurement repeats for every problem.
enum class Measured : int32_t {
  /// The planner on a prepared problem.
  solve = 0,
  /// Checks, derived tables, and the planner.
  prepareAndSolve = 1,
  /// Every sequence, walked step by step: the baseline on the same machine in the same run.
  enumeration = 2,
};

struct Measurement {
  int64_t plans = 0;
  /// Processor seconds of the thread.
  double seconds = 0;
  /// Nodes that the planner expanded in one pass over the problems.
  int64_t nodes = 0;
  int64_t mostNodes = 0;
};

/// Repeats whole passes over packed problems for at least `leastSeconds` of processor time, in this thread. Throws PlannerFailure.
Measurement measurePacked(const std::vector<int32_t>& words, Measured what, double leastSeconds);

}  // namespace roundhouse::planner
