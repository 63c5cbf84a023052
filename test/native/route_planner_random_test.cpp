// Thousands of small random problems against the independent enumeration: cost, sequence and feasibility.
#include <memory>

#include "../../cuda/route_planner/algo/solve.hpp"
#include "../../cuda/route_planner/algo/walk.hpp"
#include "check.hpp"
#include "enumeration.hpp"
#include "random_problems.hpp"

namespace {

using namespace roundhouse;
using route_planner::Plan;

constexpr int64_t kHuge = int64_t{1} << 20;
constexpr int kNever = 1 << 30;

//  name             orders travel       times        weight on merge limit shift bundle size Q metric
const test::Family families[] = {
    {"city", 1, 3, 900, 2000, 10, 4, kNever, kNever, kNever, kNever, 1, 3, true},
    {"no triangle", 1, 3, 900, 2000, 10, 4, kNever, kNever, kNever, kNever, 1, 3, false},
    {"ties", 1, 3, 2, 3, 2, 4, 4, kNever, kNever, 2, 1, 3, false},
    {"all costs 0", 1, 3, 9, 9, 0, 3, 3, 3, 3, 2, 2, 3, false},
    {"Q = 1", 1, 3, 60, 200, 10, 6, kNever, kNever, kNever, kNever, 1, 1, false},
    {"merged", 2, 4, 90, 300, 10, 6, 1, kNever, kNever, 2, 2, 6, false},
    {"groups", 2, 3, 90, 300, 10, 3, 3, kNever, kNever, 2, 1, 3, true},
    {"hard limits", 1, 3, 300, 700, 10, 3, 3, 2, 2, 3, 3, 6, false},
    {"64-bit costs", 1, 3, INT32_MAX, INT32_MAX, kHuge / 4, 3, 3, 6, 6, 3, 1, 3, false},
    {"memo, ties", 4, 6, 3, 4, 2, 1, 2, 8, 8, 3, 1, 9, false},
    {"memo, merged", 4, 6, 300, 600, 10, 2, 1, 6, 6, 2, 1, 9, false},
    {"memo, mixed", 4, 5, 40, 80, 4, 2, 2, 6, 9, 3, 2, 9, true},
    {"7 orders", 7, 7, 40, 80, 4, 1, 1, 9, 9, 8, 1, 9, true},
};

bool sameAsEnumeration(const Plan& plan, const std::optional<test::Route>& expected) {
  if (!expected) return !plan.feasible;
  return plan.feasible && static_cast<__int128>(plan.cost) == expected->cost &&
         test::sequenceText(plan) == test::sequenceText(expected->stops);
}

void checkFamily(const test::Family& family, int count, route_planner::Workspace& workspace) {
  test::Random random{2026};
  static route_planner::Prepared prepared;
  int infeasible = 0;
  for (int index = 0; index < count; ++index) {
    route_planner::Problem problem = test::randomProblem(random, family);
    if (index % 3 == 0) test::splitIntoTrips(random, problem);
    if (problem.stopCount > 9) continue;
    const std::string name = std::string(family.name) + " " + std::to_string(index);
    if (!CHECK_THAT(prepare(problem, prepared) == route_planner::PrepareStatus::ok, name)) continue;
    const Plan plan = solve(prepared, workspace);
    const auto expected = test::Enumeration(problem).cheapest();
    CHECK_THAT(sameAsEnumeration(plan, expected) && !plan.unproven,
               name + ": got " + test::sequenceText(plan) + ", expected " +
                   (expected ? test::sequenceText(expected->stops) : "none"));
    if (plan.feasible) CHECK_THAT(walk(problem, plan.stops).cost == plan.cost, name + ": walk");
    infeasible += plan.feasible ? 0 : 1;
  }
  std::printf("%-14s %d of %d infeasible\n", family.name, infeasible, count);
}

// The largest trees, all ties: 6 orders, 12 stops, travel of 0 or 1.
void checkLargeTies(route_planner::Workspace& workspace) {
  const test::Family family{"12 stops", 6, 6, 1, 2, 1, kNever, kNever, kNever, kNever, kNever, 1, 2, false};
  static route_planner::Prepared prepared;
  test::Random random{7};
  for (int index = 0; index < 6; ++index) {
    const route_planner::Problem problem = test::randomProblem(random, family);
    CHECK(prepare(problem, prepared) == route_planner::PrepareStatus::ok);
    CHECK_THAT(sameAsEnumeration(solve(prepared, workspace), test::Enumeration(problem).cheapest()), "12 stops");
  }
}

// The heuristic may miss the optimum, never the rules: what it returns is walked by the checker, and repeats.
void checkHeuristic(route_planner::Workspace& workspace) {
  static route_planner::Prepared prepared;
  test::Random random{8};
  int missed = 0;
  for (int index = 0; index < 600; ++index) {
    test::Family family = families[index % 12];
    family.leastOrders = 7;
    family.mostOrders = 8;
    const route_planner::Problem problem = test::randomProblem(random, family);
    const std::string name = std::string("heuristic ") + std::to_string(index);
    if (!CHECK_THAT(prepare(problem, prepared) == route_planner::PrepareStatus::ok, name)) continue;
    const Plan plan = solveHeuristic(prepared, workspace);
    const Plan again = solveHeuristic(prepared, workspace);
    CHECK_THAT(plan.unproven && again.cost == plan.cost, name);
    CHECK_THAT(test::sequenceText(plan) == test::sequenceText(again), name);
    const Plan exact = solveExact(prepared, workspace);
    if (!plan.feasible) {
      missed += exact.feasible ? 1 : 0;
      continue;
    }
    const auto walked = test::Enumeration(problem).walkOnly({plan.stops, plan.stops + plan.stopCount});
    CHECK_THAT(walked && walked->cost == plan.cost, name);
    CHECK_THAT(exact.feasible && plan.cost >= exact.cost, name);
  }
  std::printf("heuristic      %d of 600 feasible problems missed\n", missed);
}

}  // namespace

int main() {
  const auto workspace = std::make_unique<route_planner::Workspace>();
  resetWorkspace(*workspace);
  for (const test::Family& family : families) checkFamily(family, 1500, *workspace);
  checkLargeTies(*workspace);
  checkHeuristic(*workspace);
  return test::finish();
}
