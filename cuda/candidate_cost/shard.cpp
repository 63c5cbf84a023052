#include "shard.hpp"

#include <cstring>

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

/// Copies the tensors side by side into `own`; each begins where its widest values may.
ShardBytes copyInto(std::unique_ptr<std::byte[]>& own, ShardBytes bytes) {
  TensorBytes* const tensors[] = {&bytes.params, &bytes.couriers,      &bytes.held,      &bytes.orders,
                                  &bytes.places, &bytes.orderFeatures, &bytes.candidates};
  const auto aligned = [](std::uint64_t size) { return (size + 7) / 8 * 8; };
  std::uint64_t size = 0;
  for (const TensorBytes* tensor : tensors) size += aligned(tensor->bytes);
  own = std::make_unique_for_overwrite<std::byte[]>(size);
  std::byte* next = own.get();
  for (TensorBytes* tensor : tensors) {
    if (tensor->bytes > 0) std::memcpy(next, tensor->data, tensor->bytes);
    tensor->data = next;
    next += aligned(tensor->bytes);
  }
  return bytes;
}

ShardTables at(const ShardBytes& bytes, ShardTables tables) {
  tables.params = static_cast<const std::int64_t*>(bytes.params.data);
  tables.couriers = static_cast<const std::int32_t*>(bytes.couriers.data);
  tables.held = static_cast<const std::int32_t*>(bytes.held.data);
  tables.orders = static_cast<const std::int32_t*>(bytes.orders.data);
  tables.places = static_cast<const std::int32_t*>(bytes.places.data);
  tables.orderFeatures = static_cast<const float*>(bytes.orderFeatures.data);
  tables.candidates = static_cast<const std::uint16_t*>(bytes.candidates.data);
  return tables;
}

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
  require(bindTables(copyInto(shard.own, bytes), shard.tables));
  shard.given = at(bytes, shard.tables);
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
