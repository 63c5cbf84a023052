// From untrusted tables to problems and plan records: the numbering rule, and every fault by name.
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>

#include "bound_shard.hpp"
#include "check.hpp"
#include "random_problems.hpp"
#include "shard_fixture.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::candidate_cost;
using test::Bound;
using test::faultOf;
using test::ShardFixture;
namespace C = layout::OrderColumn;

std::string stopsText(const route_planner::Problem& problem) {
  std::string text;
  for (int stop = 1; stop <= problem.stopCount; ++stop) {
    const auto& entry = problem.stops[stop];
    text += entry.kind == route_planner::StopKind::pickup ? "P" : "D";
    text += std::to_string(entry.orders);
    text += static_cast<char>("hb"[entry.group > route_planner::Group::held]);
    // The second trip is group 2.
    if (entry.group > route_planner::Group::bundle) text += std::to_string(static_cast<int>(entry.group));
    text += ' ';
  }
  return text;
}

// Orders 0 and 1 of a bundle share restaurant 2: one pickup; orders 2 and 3 share restaurant 3, but 2 is on board.
void checkNumbering() {
  ShardFixture shard;
  CHECK_EQUAL(stopsText(Bound(shard).problem(0)), "P1b D1b ");
  CHECK_EQUAL(stopsText(Bound(shard).problem(1)), "P3b D1b D2b ");
  CHECK_EQUAL(stopsText(Bound(shard).problem(2)), "D1h P2h D2h ");
  CHECK_EQUAL(stopsText(Bound(shard).problem(3)), "D1h P2h D2h P4b D4b ");
  shard.order(1, C::pickupPlace) = 3;  // as held order 3: another group, so no merging without interleave
  CHECK_EQUAL(stopsText(Bound(shard).problem(3)), "D1h P2h D2h P4b D4b ");
  shard.params[layout::Param::interleave] = 1;
  CHECK_EQUAL(stopsText(Bound(shard).problem(3)), "D1h P6h D2h D4b ");
  shard.params[layout::Param::mergePickups] = 0;
  CHECK_EQUAL(stopsText(Bound(shard).problem(3)), "D1h P2h D2h P4b D4b ");
}

// Trip by trip, order 1 with another restaurant than order 0 begins a second trip; with the same one it joins the first.
void checkTrips() {
  ShardFixture shard;
  shard.params[layout::Param::interleave] = layout::Interleave::tripByTrip;
  CHECK_EQUAL(stopsText(Bound(shard).problem(1)), "P3b D1b D2b ");
  shard.order(1, C::pickupPlace) = 3;
  CHECK_EQUAL(stopsText(Bound(shard).problem(1)), "P1b D1b P2b2 D2b2 ");
  // Only 1 2 3 4 obeys the groups, whatever it costs.
  const auto workspace = std::make_unique<CandidateWorkspace>();
  resetWorkspace(workspace->planner);
  const Bound bound(shard);
  uint8_t record[layout::PLAN_RECORD_BYTES];
  CHECK(!costCandidate(bound.tables, bound.travel, bound.times.data(), 1, *workspace, record));
  CHECK_EQUAL(static_cast<int>(record[layout::PlanRecord::stops]), 0x10);
  CHECK_EQUAL(static_cast<int>(record[layout::PlanRecord::stops + 1]), 0x32);
}

// A merged stop takes the largest services (2 before, 4 after); ready is the later of 30 and 60 by the orders.
void checkMergedStop() {
  const ShardFixture shard;
  const auto problem = Bound(shard).problem(1);
  CHECK_EQUAL(problem.stops[1].preService, 2);
  CHECK_EQUAL(problem.stops[1].postService, 4);
  CHECK_EQUAL(problem.orders[1].ready, 60);
  CHECK_EQUAL(problem.travel[0][1], 100);  // 100 m at 1 m/s
  CHECK_EQUAL(problem.travel[2][3], 10);
}

// Candidate 0: arrive 100, pre 1 → 101 (ready 30), leave 105; arrive 115, pre 1 → 116, leave 121.
// late 0, fresh 116 − 30 = 86, duration 121: 10·0 + 2·121 + 86 = 328. Stops 1 2 are nibbles 0 and 1: 0x10.
void checkRecord() {
  const ShardFixture shard;
  const Bound bound(shard);
  const auto workspace = std::make_unique<CandidateWorkspace>();
  resetWorkspace(workspace->planner);
  uint8_t record[layout::PLAN_RECORD_BYTES];
  CHECK(!costCandidate(bound.tables, bound.travel, bound.times.data(), 0, *workspace, record));
  const uint8_t expected[layout::PLAN_RECORD_BYTES] = {10,   0,    1,    1,    100,  0, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                       0xff, 0xff, 0xff, 0xff, 0xff, 0x48, 1,    0,    0,    0,    0,
                                                       0,    0,    0x10, 0,    0,    0,    0,    0,    0,    0};
  CHECK(std::memcmp(record, expected, sizeof record) == 0);
  CHECK(!costCandidate(bound.tables, bound.travel, bound.times.data(), 2, *workspace, record));
  CHECK_EQUAL(static_cast<int>(record[layout::PlanRecord::orderCount]), 0);
  CHECK_EQUAL(static_cast<int>(record[layout::PlanRecord::courier]), 11);
}

void checkInfeasibleRecord() {
  ShardFixture shard;
  shard.courier(0, layout::CourierColumn::latestPickupAt) = 100;  // the pickup is served at 101
  const Bound bound(shard);
  const auto workspace = std::make_unique<CandidateWorkspace>();
  resetWorkspace(workspace->planner);
  uint8_t record[layout::PLAN_RECORD_BYTES];
  CHECK(!costCandidate(bound.tables, bound.travel, bound.times.data(), 0, *workspace, record));
  CHECK_EQUAL(static_cast<int>(record[layout::PlanRecord::flags]), 0);
  int64_t cost = 0;
  std::memcpy(&cost, record + layout::PlanRecord::cost, 8);
  CHECK_EQUAL(cost, INT64_MAX);
}

void checkFault(const std::function<void(ShardFixture&)>& change, const std::string& expected) {
  ShardFixture shard;
  change(shard);
  CHECK_EQUAL(faultOf(shard), expected);
}

void checkSizeFaults() {
  checkFault([](auto& s) { s.params.pop_back(); }, "params: 184 bytes are no whole number of rows");
  checkFault([](auto& s) { s.params.resize(48); }, "params: 2 rows are not exactly 1");
  checkFault([](auto& s) { s.params[0] = 2; },
             "params row 0, column abi: 2 is not 1, the version that this build reads");
  checkFault([](auto& s) { s.couriers.pop_back(); }, "couriers: 60 bytes are no whole number of rows");
  checkFault([](auto& s) { s.held.clear(); }, "held: 0 bytes are too few: a row is needed");
  checkFault([](auto& s) { s.orderFeatures.resize(8); }, "order_features: 1 rows are not as many as those of orders");
  checkFault([](auto& s) { s.candidates.pop_back(); }, "candidates: 30 bytes are no whole number of rows");
  checkFault([](auto& s) { s.params[layout::Param::candidateColumns] = 8; },
             "params row 0, column candidateColumns: 8 is not within 2..7");
}

void checkParamFaults() {
  namespace P = layout::Param;
  checkFault([](auto& s) { s.params[P::quantumSeconds] = 0; },
             "params row 0, column quantumSeconds: 0 is not within 1..86400");
  checkFault([](auto& s) { s.params[P::weightLateness] = INT64_MAX; },
             "params row 0, column weightLateness: 9223372036854775807 is not within 0..2^53");
  checkFault([](auto& s) { s.params[P::weightFreshness] = INT64_MIN; },
             "params row 0, column weightFreshness: -9223372036854775808 is not within 0..2^53");
  checkFault([](auto& s) { s.params[P::quantile] = 75; }, "params row 0, column quantile: 75 is not 50 or 90");
  checkFault([](auto& s) { s.params[P::interleave] = 3; }, "params row 0, column interleave: 3 is not 0, 1 or 2");
}

void checkRowFaults() {
  namespace K = layout::CourierColumn;
  checkFault([](auto& s) { s.places[3] = (1 << 30) + 1; },
             "places row 1, column x: 1073741825 is not within -2^30..2^30");
  checkFault([](auto& s) { s.order(3, C::size) = -1; }, "orders row 3, column size: -1 is below 0");
  checkFault([](auto& s) { s.order(2, C::dropoffPlace) = 8; },
             "orders row 2, column dropoffPlace: 8 is no row of places");
  checkFault([](auto& s) { s.order(0, C::roundIndex) = 65535; },
             "orders row 0, column roundIndex: 65535 is not within 0..65534");
  checkFault([](auto& s) { s.courier(1, K::place) = -1; }, "couriers row 1, column place: -1 is no row of places");
  checkFault([](auto& s) { s.courier(0, K::vehicle) = 4; }, "couriers row 0, column vehicle: 4 is not within 0..3");
  checkFault([](auto& s) { s.params[layout::Param::metresPerHour + 2] = 0; },
             "couriers row 1, column vehicle: 2 has metresPerHour 0");
  checkFault([](auto& s) { s.courier(1, K::heldOffset) = 2; },
             "couriers row 1, column heldOffset: 2 leads outside the rows of held");
  checkFault([](auto& s) { s.courier(1, K::heldOffset) = INT32_MAX; },
             "couriers row 1, column heldOffset: 2147483647 leads outside the rows of held");
  checkFault([](auto& s) { s.courier(1, K::heldCount) = -1; },
             "couriers row 1, column heldCount: -1 is not within 0..8");
  checkFault([](auto& s) { s.held[2] = 4; }, "held row 1, column order: 4 is no row of orders");
  checkFault([](auto& s) { s.held[4] = 2; }, "held row 2, column order: 2 is held twice by one courier");
}

void checkCandidateFaults() {
  checkFault([](auto& s) { s.candidates[4] = 2; }, "candidates row 1, column courier: 2 is no row of couriers");
  checkFault([](auto& s) { s.candidates[6] = 4; }, "candidates row 1, column order: 4 is no row of orders");
  checkFault([](auto& s) { s.candidates[6] = 0; }, "candidates row 1, column order: 0 stands twice in the bundle");
  checkFault([](auto& s) { s.candidates[3] = 1; },
             "candidates row 0, column order: 1 stands behind the end of the bundle");
  checkFault([](auto& s) { s.candidates[13] = 3; }, "candidates row 3, column order: 3 is held by the courier already");
}

// Seven held orders and a bundle of two are nine.
void checkTooManyOrders() {
  ShardFixture shard;
  for (int32_t index = 4; index < 10; ++index) shard.addOrder(100 + index, 3, 7);
  shard.held = {0, 0};
  for (int32_t order = 3; order < 10; ++order) shard.held.insert(shard.held.end(), {order, 1});
  shard.courier(1, layout::CourierColumn::heldCount) = 7;
  shard.candidates = {1, 0, ShardFixture::none, ShardFixture::none, 1, 0, 1, ShardFixture::none};
  CHECK_EQUAL(faultOf(shard), "candidates row 1: 9 orders in one plan are more than 8");
}

// 2^31 metres (corner to corner) at 1 m/h take far more than INT32 seconds; a weight of 2^53 overflows sooner.
void checkCostFaults() {
  ShardFixture shard;
  const auto workspace = std::make_unique<CandidateWorkspace>();
  resetWorkspace(workspace->planner);
  uint8_t record[layout::PLAN_RECORD_BYTES];
  const auto costed = [&](const Bound& bound) {
    return faultText(costCandidate(bound.tables, bound.travel, bound.times.data(), 0, *workspace, record));
  };
  shard.params[layout::Param::weightDuration] = kMaxWeight;
  shard.order(0, C::readyAt) = 1000;  // 2^53 · 1000 > 2^62
  CHECK_EQUAL(costed(Bound(shard)), "candidates row 0: could cost more than 2^62: weights and times are too large");
  shard.places[0] = -(1 << 30);
  shard.places[6] = 1 << 30;
  for (int vehicle = 0; vehicle < 4; ++vehicle) shard.params[layout::Param::metresPerHour + vehicle] = 1;
  CHECK_EQUAL(costed(Bound(shard)), "candidates row 0: has travel of more than 2147483647 seconds");
}

/// Any one value of any table, replaced.
void spoil(ShardFixture& shard, test::Random& random) {
  const int64_t values[] = {0, 1, -1, 2, 7, 8, 255, 65535, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN,
                            static_cast<int64_t>(random.next())};
  const int64_t value = values[random.within(0, 12)];
  const auto set = [&](auto& table) {
    using Value = std::decay_t<decltype(table[0])>;
    table[static_cast<size_t>(random.within(0, static_cast<int64_t>(table.size()) - 1))] = static_cast<Value>(value);
  };
  switch (random.within(0, 5)) {
    case 0: return set(shard.params);
    case 1: return set(shard.couriers);
    case 2: return set(shard.held);
    case 3: return set(shard.orders);
    case 4: return set(shard.places);
    default: return set(shard.candidates);
  }
}

// Up to three hostile values at once: a fault, or a plan; never a read outside the tables (run it with
// -DROUNDHOUSE_SANITIZE=address,undefined).
void checkHostileValues() {
  test::Random random{3};
  const auto workspace = std::make_unique<CandidateWorkspace>();
  resetWorkspace(workspace->planner);
  const int32_t factors[kVehicles] = {1, 1000, 1500, kMaxFactor};
  int faults = 0;
  for (int round = 0; round < 30000; ++round) {
    ShardFixture shard;
    for (int64_t count = random.within(1, 3); count > 0; --count) spoil(shard, random);
    ShardTables tables{};
    Fault fault = bindTables(shard.bytes(), tables);
    if (!fault) fault = validateTables(tables, 0);
    if (!fault) {
      std::vector<OrderTimes> times;
      for (int row = 0; row < tables.orderCount; ++row) times.push_back(statedTimes(tables.order(row)));
      const TravelModel travel = travelModel(tables, factors, nullptr, 0);
      uint8_t record[layout::PLAN_RECORD_BYTES];
      for (int row = 0; row < tables.candidateCount && !fault; ++row) {
        fault = costCandidate(tables, travel, times.data(), row, *workspace, record);
      }
    }
    faults += fault ? 1 : 0;
  }
  CHECK(faults > 10000 && faults < 30000);
}

}  // namespace

int main() {
  checkNumbering();
  checkTrips();
  checkMergedStop();
  checkRecord();
  checkInfeasibleRecord();
  checkSizeFaults();
  checkParamFaults();
  checkRowFaults();
  checkCandidateFaults();
  checkTooManyOrders();
  checkCostFaults();
  checkHostileValues();
  return test::finish();
}
