// A shard's tables, bound and checked, with its travel and its orders' stated times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../cuda/candidate_cost/fault_text.hpp"
#include "check.hpp"
#include "shard_fixture.hpp"

namespace roundhouse::test {

using namespace roundhouse::candidate_cost;

// What is wrong with the tables; empty for good ones.
inline std::string faultOf(const ShardFixture& shard, int32_t zones = 0) {
  ShardTables tables{};
  Fault fault = bindTables(shard.bytes(), tables);
  if (!fault) fault = validateTables(tables, zones);
  return fault ? faultText(fault) : "";
}

struct Bound {
  ShardTables tables{};
  TravelModel travel{};
  std::vector<OrderTimes> times;

  explicit Bound(const ShardFixture& shard, const int32_t* matrix = nullptr, int32_t zones = 0) {
    CHECK(!bindTables(shard.bytes(), tables));
    CHECK_EQUAL(faultOf(shard, zones), "");
    const int32_t factors[kVehicles] = {1000, 1000, 1000, 1000};
    travel = travelModel(tables, factors, matrix, zones);
    for (int row = 0; row < tables.orderCount; ++row) times.push_back(statedTimes(tables.order(row)));
  }

  route_planner::Problem problem(int row) const {
    CandidateProblem out{};
    CHECK(buildProblem(tables, travel, times.data(), row, out.problem, out.places));
    return out.problem;
  }
};

}  // namespace roundhouse::test
