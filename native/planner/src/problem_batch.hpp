#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../../../cuda/route_planner/algo/solve.hpp"

namespace roundhouse::planner {

/// INT64 values of one answer: status of prepare, flags (1 feasible, 2 unproven), cost, packed stops, nodes.
constexpr int kAnswerValues = 5;

/// Reads one packed problem (the layout is in pack-problems.ts) and moves `at` behind it. Throws PlannerFailure.
route_planner::Problem unpackProblem(std::span<const int32_t> words, size_t& at);

/// Solves packed problems, one after the other, into kAnswerValues values each; `exact`: also beyond
/// kMaxExactOrders orders, however long it takes. Throws PlannerFailure.
std::vector<int64_t> solvePacked(const std::vector<int32_t>& words, bool exact);

}  // namespace roundhouse::planner
