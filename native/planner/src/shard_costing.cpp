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
constexpr int32_t kFactors[kVehicles] = {1000, 1000, 1000, 1000};

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

void requireLayers(const ShardTables& tables, const TravelLayers& layers) {
  for (int row = 0; row < tables.courierCount; ++row) {
    const int32_t vehicle = tables.courier(row)[layout::CourierColumn::vehicle];
    if (layers.seconds[vehicle] == nullptr) {
      refuse({"couriers", row, "vehicle", vehicle, "has no layer in the travel matrix"});
    }
  }
}

/// Checked tables; throws for whatever is wrong with them or can't be costed here.
ShardTables checkedTables(const ShardBytes& bytes, const TravelLayers& layers) {
  ShardTables tables{};
  refuse(bindTables(bytes, tables));
  const bool byMatrix = tables.params[layout::Param::travelKind] == 1;
  if (byMatrix && layers.zones < 1) {
    throw PlannerFailure("TRAVEL_MATRIX_UNKNOWN", "params column travelKind: 1 needs a travel matrix");
  }
  refuse(validateTables(tables, layers.zones));
  if (byMatrix) requireLayers(tables, layers);
  requireKnown(tables);
  return tables;
}

void costCandidates(const ShardTables& tables, const TravelLayers& layers, const std::vector<OrderTimes>& times,
                    std::vector<uint8_t>& plans) {
  TravelModel travels[kVehicles];
  for (int vehicle = 0; vehicle < kVehicles; ++vehicle) {
    travels[vehicle] = travelModel(tables, kFactors, layers.seconds[vehicle], layers.zones);
  }
  const auto workspace = std::make_unique<CandidateWorkspace>();
  resetWorkspace(workspace->planner);
  plans.resize(static_cast<size_t>(tables.candidateCount) * layout::PLAN_RECORD_BYTES);
  for (int row = 0; row < tables.candidateCount; ++row) {
    const int32_t* courier = tables.courier(tables.candidate(row)[layout::CandidateColumn::courier]);
    const TravelModel& travel = travels[courier[layout::CourierColumn::vehicle]];
    uint8_t* record = plans.data() + size_t{layout::PLAN_RECORD_BYTES} * row;
    refuse(costCandidate(tables, travel, times.data(), row, *workspace, record));
  }
}

}  // namespace

ShardCosts costKnownShard(const ShardBytes& bytes, const TravelLayers& layers) {
  const ShardTables tables = checkedTables(bytes, layers);
  std::vector<OrderTimes> times(static_cast<size_t>(tables.orderCount));
  ShardCosts costs;
  costs.orderTimes.resize(times.size() * layout::ORDER_TIME_COLUMNS);
  for (int row = 0; row < tables.orderCount; ++row) {
    times[row] = statedTimes(tables.order(row));
    writeOrderTimes(tables, row, times[row], costs.orderTimes.data() + size_t{layout::ORDER_TIME_COLUMNS} * row);
  }
  costs.rideFactors.assign(kFactors, kFactors + kVehicles);
  costCandidates(tables, layers, times, costs.plans);
  return costs;
}

}  // namespace roundhouse::planner
