// The edges of what the planner takes: counts, overflow, hard limits, and answers without stops.
#include <memory>

#include "../../cuda/route_planner/algo/solve.hpp"
#include "../../cuda/route_planner/algo/walk.hpp"
#include "check.hpp"
#include "enumeration.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::route_planner;

/// `orders` orders with a pickup and a drop-off each, all travel `travel`, ready at 0 and promised at 0.
Problem pairs(int orders, int32_t travel) {
  Problem problem{};
  problem.orderCount = orders;
  problem.stopCount = 2 * orders;
  for (int index = 0; index < orders && index < kMaxOrders; ++index) {
    const auto bit = static_cast<uint8_t>(1 << index);
    problem.orders[index] = {0, 0, kNoLimit, 1, false};
    problem.stops[2 * index + 1] = {StopKind::pickup, Group::held, bit, 0, 0};
    problem.stops[2 * index + 2] = {StopKind::dropoff, Group::held, bit, 0, 0};
  }
  for (auto& row : problem.travel) {
    for (int32_t& seconds : row) seconds = travel;
  }
  problem.weightLateness = problem.weightDuration = problem.weightFreshness = 1;
  problem.capacity = kMaxOrders;
  problem.latestPickup = kNoLimit;
  problem.interleave = true;
  return problem;
}

Workspace& workspace() {
  static const auto memory = [] {
    auto made = std::make_unique<Workspace>();
    resetWorkspace(*made);
    return made;
  }();
  return *memory;
}

PrepareStatus statusOf(const Problem& problem) {
  static Prepared prepared;
  return prepare(problem, prepared);
}

Plan solved(const Problem& problem) {
  static Prepared prepared;
  CHECK(prepare(problem, prepared) == PrepareStatus::ok);
  return solve(prepared, workspace());
}

void checkCounts() {
  CHECK(statusOf(pairs(8, 1)) == PrepareStatus::ok);
  Problem problem = pairs(8, 1);
  problem.stopCount = 17;
  CHECK(statusOf(problem) == PrepareStatus::tooManyStops);
  problem = pairs(2, 1);
  problem.orderCount = 9;
  CHECK(statusOf(problem) == PrepareStatus::tooManyOrders);
}

void checkSigns() {
  Problem problem = pairs(2, 1);
  problem.travel[1][2] = -1;
  CHECK(statusOf(problem) == PrepareStatus::negativeTravel);
  problem = pairs(2, 1);
  problem.stops[3].preService = -1;
  CHECK(statusOf(problem) == PrepareStatus::negativeService);
  problem = pairs(2, 1);
  problem.weightFreshness = -1;
  CHECK(statusOf(problem) == PrepareStatus::negativeWeight);
  problem = pairs(2, 1);
  problem.orders[1].size = -1;
  CHECK(statusOf(problem) == PrepareStatus::negativeSize);
}

void checkConsistency() {
  Problem problem = pairs(2, 1);
  problem.stops[4].orders = 1;  // order 0 is dropped off twice, order 1 never
  CHECK(statusOf(problem) == PrepareStatus::stopsInconsistent);
  problem = pairs(2, 1);
  problem.stops[2].orders = 3;  // a drop-off of two orders
  CHECK(statusOf(problem) == PrepareStatus::stopsInconsistent);
  problem = pairs(2, 1);
  problem.orders[0].onBoard = true;  // and yet it has a pickup
  CHECK(statusOf(problem) == PrepareStatus::stopsInconsistent);
  problem = pairs(1, 1);
  problem.stops[1].orders = 4;  // order 2 does not exist
  CHECK(statusOf(problem) == PrepareStatus::stopsInconsistent);
}

// One order, travel 2^31 − 1 twice: late, fresh and duration are 2^32 − 2 each; with weights w the cost is
// 3w(2^32 − 2). What prepare checks is this very sum, and 3w(2^32 − 2) ≤ 2^62 up to w = 357,913,941.
void checkOverflow() {
  Problem problem = pairs(1, INT32_MAX);
  problem.weightLateness = problem.weightDuration = problem.weightFreshness = 357913941;
  CHECK_EQUAL(solved(problem).cost, int64_t{3} * 357913941 * 4294967294);
  problem.weightFreshness += 1;
  problem.weightLateness += 1;
  problem.weightDuration += 1;
  CHECK(statusOf(problem) == PrepareStatus::costTooLarge);
  problem.weightLateness = INT64_MAX;
  CHECK(statusOf(problem) == PrepareStatus::costTooLarge);
  problem.weightLateness = problem.weightDuration = 0;
  problem.weightFreshness = INT64_MAX;
  CHECK(statusOf(problem) == PrepareStatus::costTooLarge);
}

// All INT32 extremes at once: on board, ready and promised at ±2^31, service and travel of 2^31 − 1.
void checkExtremeTimes() {
  Problem problem = pairs(3, INT32_MAX);
  problem.startAt = INT32_MIN;
  for (int index = 0; index < 3; ++index) {
    problem.orders[index].ready = index == 1 ? INT32_MAX : INT32_MIN;
    problem.orders[index].promised = index == 2 ? INT32_MAX : INT32_MIN;
  }
  for (int stop = 1; stop <= 6; ++stop) problem.stops[stop].preService = problem.stops[stop].postService = INT32_MAX;
  problem.weightLateness = problem.weightDuration = problem.weightFreshness = 1000000;
  const Plan plan = solved(problem);
  const auto expected = test::Enumeration(problem).cheapest();
  CHECK(expected && expected->cost == static_cast<__int128>(plan.cost));
  CHECK_EQUAL(test::sequenceText(plan), test::sequenceText(expected->stops));
}

void checkShortPlans() {
  Plan plan = solved(pairs(0, 1));
  CHECK(plan.feasible && plan.cost == 0 && plan.stopCount == 0);
  Problem problem = pairs(1, 5);
  problem.orders[0].onBoard = true;
  problem.stopCount = 1;
  problem.stops[1] = problem.stops[2];
  plan = solved(problem);
  CHECK(plan.feasible && plan.cost == 15 && plan.stopCount == 1);  // late 5 + duration 5 + fresh 5
}

void checkHardLimits() {
  Problem problem = pairs(2, 10);
  problem.latestPickup = 9;  // the first pickup is at 10
  CHECK(!solved(problem).feasible);
  problem.latestPickup = 20;  // both pickups first: served at 10 and 20
  CHECK_EQUAL(test::sequenceText(solved(problem)), "1 3 2 4");
  problem.orders[0].latestDropoff = 20;  // pickup at 10, drop-off at 20, then the other pickup at 30 > 20
  CHECK(!solved(problem).feasible);
  problem.latestPickup = 30;
  CHECK_EQUAL(test::sequenceText(solved(problem)), "1 2 3 4");
  problem.capacity = 0;
  CHECK(!solved(problem).feasible);
}

// Load is checked at pickups: a courier that is over its capacity already may still deliver.
void checkOverloadedStart() {
  Problem problem = pairs(2, 1);
  problem.orders[0] = {0, 0, kNoLimit, 5, true};
  problem.stopCount = 3;
  problem.stops[1] = problem.stops[2];
  problem.stops[2] = problem.stops[3];
  problem.stops[3] = problem.stops[4];
  problem.capacity = 4;
  CHECK_EQUAL(test::sequenceText(solved(problem)), "1 2 3");
}

// The bundle is stops 3 and 4 and would be cheaper first; only with interleave may it be.
void checkGroups() {
  Problem problem = pairs(2, 10);
  problem.stops[3].group = problem.stops[4].group = Group::bundle;
  problem.travel[0][3] = problem.travel[3][4] = 0;
  problem.interleave = false;
  CHECK_EQUAL(test::sequenceText(solved(problem)), "1 2 3 4");
  problem.interleave = true;
  CHECK_EQUAL(test::sequenceText(solved(problem)), "3 4 1 2");
}

void checkWalkRefuses() {
  const Problem problem = pairs(2, 1);
  const uint8_t twice[] = {1, 1, 3, 4};
  const uint8_t dropFirst[] = {2, 1, 3, 4};
  const uint8_t unknown[] = {1, 2, 3, 9};
  CHECK(!walk(problem, twice).feasible);
  CHECK(!walk(problem, dropFirst).feasible);
  CHECK(!walk(problem, unknown).feasible);
}

// Eight orders, and seven with more than 12 stops, go to the heuristic: unproven, feasible or not.
void checkUnproven() {
  Problem problem = pairs(8, 3);
  CHECK(solved(problem).unproven && solved(problem).feasible);
  problem.capacity = 0;
  CHECK(solved(problem).unproven && !solved(problem).feasible);
  problem = pairs(7, 3);
  CHECK(solved(problem).unproven && solved(problem).feasible);
  problem = pairs(6, 3);
  CHECK(!solved(problem).unproven && solved(problem).feasible);
}

}  // namespace

int main() {
  checkCounts();
  checkSigns();
  checkConsistency();
  checkOverflow();
  checkExtremeTimes();
  checkShortPlans();
  checkHardLimits();
  checkOverloadedStart();
  checkGroups();
  checkWalkRefuses();
  checkUnproven();
  return test::finish();
}
