#pragma once

#include <cstdint>
#include <vector>

#include "phases.hpp"
#include "request.hpp"
#include "shard.hpp"

namespace roundhouse::candidate_cost {

/// The inputs of one request and what was read from them.
struct ShardRequest {
  std::vector<backend::InputTensor> inputs;
  Shard shard;

  /// All inputs lie in page-locked memory.
  bool isPinned() const;
};

/// Throws Error naming tensor, row and column.
ShardRequest readRequest(TRITONBACKEND_Request* handle, MatrixStore& matrices,
                         CandidateCheck candidates = CandidateCheck::here);

/// Memory of the outputs that are filled in place.
backend::OutputMemory plansOf(backend::Reply& reply, const Shard& shard);
backend::OutputMemory orderTimesOf(backend::Reply& reply, const Shard& shard);

/// Writes the rest, and the time now as the end of `interval`, and sends.
void sendReply(backend::Reply& reply, const std::int32_t (&rideFactors)[kVehicles], const Phases& phases,
               std::int64_t startNs);

}  // namespace roundhouse::candidate_cost
