#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "algo/tables.hpp"
#include "prediction.hpp"
#include "travel_matrix.hpp"

namespace roundhouse::candidate_cost {

/// One request's tables, checked. They are a copy: a peer may change those of the request, in shared memory, at any time.
struct Shard {
  ShardTables tables{};
  /// The same tables in the request's memory, for copies from there to a GPU: what they hold is not checked.
  ShardTables given{};
  std::unique_ptr<std::byte[]> own;
  /// Null for travel by speed.
  std::shared_ptr<const TravelMatrix> matrix;
  PredictionRows needed;
};

/// The hash of the matrix that a shard's params name.
Sha256 matrixHash(const std::int64_t* params);

/// `later`: a GPU checks the candidates, with detail::checkCandidate, and all else is checked here.
enum class CandidateCheck { here, later };

/// Checks everything that plans and features are made of. Throws Error naming tensor, row and column, the same for
/// both ways to check candidates.
Shard openShard(const ShardBytes& bytes, MatrixStore& matrices, CandidateCheck candidates = CandidateCheck::here);

/// Throw the Error of a row that a GPU found wrong: of the candidate, or of its problem.
void refuseCandidate(const Shard& shard, int row);
void refuseProblem(const Shard& shard, const ShardTimes& times, int row);

/// Costs every candidate into `plans` (PLAN_RECORD_BYTES each). `stop` is asked first and about every quarter of a
/// millisecond between candidates (WorkPoll); where it says true the call throws Error (DEADLINE_EXCEEDED).
void costShard(const Shard& shard, const ShardTimes& times, CandidateWorkspace& workspace,
               const std::function<bool()>& stop, std::uint8_t* plans);

}  // namespace roundhouse::candidate_cost
