#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "../../cuda/route_planner/algo/solve.hpp"
#include "triton_host.hpp"

namespace roundhouse::test {

/// Where answers of the route_planner model go: rows as docs/tensors.md says.
struct Rows {
  int64_t* costs;
  uint8_t* sequences;
  uint8_t* flags;
};

constexpr std::size_t kRowBytes = sizeof(int64_t) + route_planner::kMaxStops + 1;

/// Costs, then sequences, then flags in `memory` of kRowBytes a problem.
inline Rows rowsIn(std::byte* memory, std::size_t count) {
  auto* costs = reinterpret_cast<int64_t*>(memory);
  auto* sequences = reinterpret_cast<uint8_t*>(costs + count);
  return {costs, sequences, sequences + count * route_planner::kMaxStops};
}

/// A call of the model with `count` problems in `words`; both in memory of that kind.
inline std::unique_ptr<Call> plannerCall(TritonHost& host, std::span<const int32_t> words, std::size_t count,
                                         const Rows& rows, MemoryKind memory) {
  return host.call("route_planner",
                   {{"problems", TRITONSERVER_TYPE_INT32, {1, static_cast<std::int64_t>(words.size())}, words.data(),
                     words.size_bytes(), memory}},
                   {{"costs", rows.costs, count * sizeof(int64_t), memory},
                    {"sequences", rows.sequences, count * route_planner::kMaxStops, memory},
                    {"flags", rows.flags, count, memory}});
}

/// Whether a row says what the plan of a solved problem says.
inline bool sameRow(const Rows& rows, std::size_t row, const route_planner::Plan& plan) {
  const uint8_t* const stops = rows.sequences + row * route_planner::kMaxStops;
  const int flags = (plan.feasible ? 1 : 0) | (plan.unproven ? 2 : 0);
  return rows.costs[row] == plan.cost && rows.flags[row] == flags &&
         std::equal(stops, stops + route_planner::kMaxStops, plan.stops);
}

}  // namespace roundhouse::test
