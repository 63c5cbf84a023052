#include "shard.hpp"

#include "error.hpp"
#include "fault_text.hpp"
#include "work_poll.hpp"

namespace roundhouse::candidate_cost {
namespace {

void require(const Fault& fault) {
  if (fault) throw Error(ErrorCode::payloadInvalid, faultText(fault));
}

void requireLayers(const ShardTables& tables, const TravelMatrix& matrix) {
  for (int row = 0; row < tables.courierCount; ++row) {
    const std::int32_t vehicle = tables.courier(row)[layout::CourierColumn::vehicle];
    if (matrix.seconds(vehicle) == nullptr)
      require({"couriers", row, "vehicle", vehicle, "has no layer in the travel matrix"});
  }
}

void requireCandidates(const ShardTables& tables, int first) { require(validateCandidates(tables, first)); }

/// The travel of each vehicle class: a matrix may have a layer for each.
struct Travels {
  TravelModel of[kVehicles];

  Travels(const Shard& shard, const ShardTimes& times) {
    for (int vehicle = 0; vehicle < kVehicles; ++vehicle) {
      const std::int32_t* layer = shard.matrix ? shard.matrix->seconds(vehicle) : nullptr;
      of[vehicle] = travelModel(shard.tables, times.rideFactors, layer, shard.matrix ? shard.matrix->zones() : 0);
    }
  }
  const TravelModel& ofCandidate(const ShardTables& tables, int row) const {
    const std::int32_t* courier = tables.courier(tables.candidate(row)[layout::CandidateColumn::courier]);
    return of[courier[layout::CourierColumn::vehicle]];
  }
};

}  // namespace

Sha256 matrixHash(const std::int64_t* params) {
  Sha256 hash;
  for (int byte = 0; byte < 32; ++byte) {
    const auto word = static_cast<std::uint64_t>(params[layout::Param::matrixHash + byte / 8]);
    hash[byte] = static_cast<std::uint8_t>(word >> (56 - 8 * (byte % 8)));
  }
  return hash;
}

Shard openShard(const ShardBytes& bytes, MatrixStore& matrices, CandidateCheck candidates) {
  Shard shard;
  require(bindTables(bytes, shard.tables));
  if (shard.tables.params[layout::Param::travelKind] == 1) shard.matrix = matrices.get(matrixHash(shard.tables.params));
  require(validateRows(shard.tables, shard.matrix ? shard.matrix->zones() : 0));
  if (candidates == CandidateCheck::here) requireCandidates(shard.tables, 0);
  try {
    if (shard.matrix) requireLayers(shard.tables, *shard.matrix);
    shard.needed = planPrediction(shard.tables);
  } catch (const Error&) {
    if (candidates == CandidateCheck::later) requireCandidates(shard.tables, 0);
    throw;
  }
  return shard;
}

void refuseCandidate(const Shard& shard, int row) { requireCandidates(shard.tables, row); }

void refuseProblem(const Shard& shard, const ShardTimes& times, int row) {
  const Travels travels(shard, times);
  const auto workspace = std::make_unique<CandidateWorkspace>();
  route_planner::resetWorkspace(workspace->planner);
  std::uint8_t record[layout::PLAN_RECORD_BYTES];
  const TravelModel& travel = travels.ofCandidate(shard.tables, row);
  require(costCandidate(shard.tables, travel, times.orders.data(), row, *workspace, record));
}

void costShard(const Shard& shard, const ShardTimes& times, CandidateWorkspace& workspace,
               const std::function<bool()>& stop, std::uint8_t* plans) {
  const ShardTables& tables = shard.tables;
  const Travels travels(shard, times);
  WorkPoll poll;
  workspace.nodes = 0;
  for (int row = 0; row < tables.candidateCount; ++row) {
    if (poll.due(workspace.nodes + kWorkPerProblem) && stop())
      throw Error(ErrorCode::deadlineExceeded, "the caller cancelled the request");
    std::uint8_t* record = plans + std::int64_t{row} * layout::PLAN_RECORD_BYTES;
    require(costCandidate(tables, travels.ofCandidate(tables, row), times.orders.data(), row, workspace, record));
  }
}

}  // namespace roundhouse::candidate_cost
