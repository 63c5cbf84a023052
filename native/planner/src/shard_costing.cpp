#include "shard_costing.hpp"

#include <memory>

#include "../../../cuda/candidate_cost/algo/tables.hpp"
#include "../../../cuda/candidate_cost/fault_text.hpp"
#include "planner_failure.hpp"

namespace roundhouse::planner {
namespace {

using namespace candidate_cost;

constexpr int kAllKnown =
    layout::KnownFlag::ready | layout::KnownFlag::pickupWait | layout::KnownFlag::handover;
constexpr int32_t kFactorOne = 1000;

void refuse(const Fault& fault) {
  if (fault) throw PlannerFailure("PAYLOAD_INVALID", faultText(fault));
}

void requireKnown(const ShardTables& tables) {
  constexpr const char* limit = "has times to be predicted: only the engine can cost this shard";
  if (!tables.flag(layout::Param::travelKnown)) refuse({"params", 0, "travelKnown", 0, limit});
  for (int row = 0; row < tables.orderCount; ++row) {
    const int32_t flags = tables.order(row)[layout::OrderColumn::flags];
    if (flags != kAllKnown) refuse({"orders", row, "flags", flags, limit});
  }
}

void checkMatrix(const ShardTables& tables, const TravelMatrix& matrix) {
  if (tables.params[layout::Param::travelKind] == 1 && matrix.zones < 1) {
    throw PlannerFailure("TRAVEL_MATRIX_UNKNOWN", "params column travelKind: 1 needs a travel matrix");
  }
  if (matrix.seconds.size() != static_cast<size_t>(matrix.zones) * static_cast<size_t>(matrix.zones)) {
    throw PlannerFailure("PAYLOAD_INVALID", "the travel matrix is not zones · zones values");
  }
  for (const int32_t seconds : matrix.seconds) {
    if (seconds < 0) throw PlannerFailure("PAYLOAD_INVALID", "the travel matrix has a negative time");
  }
}

}  // namespace

ShardCosts costKnownShard(const ShardBytes& bytes, const TravelMatrix& matrix) {
  ShardTables tables{};
  refuse(bindTables(bytes, tables));
  checkMatrix(tables, matrix);
  refuse(validateTables(tables, matrix.zones));
  requireKnown(tables);
  const int32_t factors[kVehicles] = {kFactorOne, kFactorOne, kFactorOne, kFactorOne};
  const TravelModel travel = travelModel(tables, factors, matrix.seconds.data(), matrix.zones);
  std::vector<OrderTimes> times(static_cast<size_t>(tables.orderCount));
  ShardCosts costs;
  costs.orderTimes.resize(times.size() * layout::ORDER_TIME_COLUMNS);
  for (int row = 0; row < tables.orderCount; ++row) {
    times[row] = statedTimes(tables.order(row));
    writeOrderTimes(tables, row, times[row], costs.orderTimes.data() + size_t{layout::ORDER_TIME_COLUMNS} * row);
  }
  costs.rideFactors.assign(factors, factors + kVehicles);
  costs.plans.resize(static_cast<size_t>(tables.candidateCount) * layout::PLAN_RECORD_BYTES);
  const auto workspace = std::make_unique<CandidateWorkspace>();
  resetWorkspace(workspace->planner);
  for (int row = 0; row < tables.candidateCount; ++row) {
    uint8_t* record = costs.plans.data() + size_t{layout::PLAN_RECORD_BYTES} * row;
    refuse(costCandidate(tables, travel, times.data(), row, *workspace, record));
  }
  return costs;
}

}  // namespace roundhouse::planner
