#include "shard.hpp"

#include "error.hpp"
#include "fault_text.hpp"
#include "work_poll.hpp"

namespace roundhouse::candidate_cost {
namespace {

void require(const Fault& fault) {
  if (fault) throw Error(ErrorCode::payloadInvalid, faultText(fault));
}

Sha256 matrixHash(const std::int64_t* params) {
  Sha256 hash;
  for (int byte = 0; byte < 32; ++byte) {
    const auto word = static_cast<std::uint64_t>(params[layout::Param::matrixHash + byte / 8]);
    hash[byte] = static_cast<std::uint8_t>(word >> (56 - 8 * (byte % 8)));
  }
  return hash;
}

void requireLayers(const ShardTables& tables, const TravelMatrix& matrix) {
  for (int row = 0; row < tables.courierCount; ++row) {
    const std::int32_t vehicle = tables.courier(row)[layout::CourierColumn::vehicle];
    if (matrix.seconds(vehicle) == nullptr)
      require({"couriers", row, "vehicle", vehicle, "has no layer in the travel matrix"});
  }
}

}  // namespace

Shard openShard(const ShardBytes& bytes, MatrixStore& matrices) {
  Shard shard;
  require(bindTables(bytes, shard.tables));
  if (shard.tables.params[layout::Param::travelKind] == 1) shard.matrix = matrices.get(matrixHash(shard.tables.params));
  require(validateTables(shard.tables, shard.matrix ? shard.matrix->zones() : 0));
  if (shard.matrix) requireLayers(shard.tables, *shard.matrix);
  shard.needed = planPrediction(shard.tables);
  return shard;
}

void costShard(const Shard& shard, const ShardTimes& times, CandidateWorkspace& workspace,
               const std::function<bool()>& stop, std::uint8_t* plans) {
  const ShardTables& tables = shard.tables;
  TravelModel travels[kVehicles];
  for (int vehicle = 0; vehicle < kVehicles; ++vehicle) {
    const std::int32_t* layer = shard.matrix ? shard.matrix->seconds(vehicle) : nullptr;
    travels[vehicle] = travelModel(tables, times.rideFactors, layer, shard.matrix ? shard.matrix->zones() : 0);
  }
  WorkPoll poll;
  workspace.nodes = 0;
  for (int row = 0; row < tables.candidateCount; ++row) {
    if (poll.due(workspace.nodes + kWorkPerProblem) && stop())
      throw Error(ErrorCode::deadlineExceeded, "the caller cancelled the request");
    const std::int32_t* courier = tables.courier(tables.candidate(row)[layout::CandidateColumn::courier]);
    const TravelModel& travel = travels[courier[layout::CourierColumn::vehicle]];
    std::uint8_t* record = plans + std::int64_t{row} * layout::PLAN_RECORD_BYTES;
    require(costCandidate(tables, travel, times.orders.data(), row, workspace, record));
  }
}

}  // namespace roundhouse::candidate_cost
