#pragma once

#include "batch.hpp"
#include "model.hpp"

namespace roundhouse::candidate_cost {

/// Answers every request of the batch: ETR for all of them in one network call, then OR shard by shard. A
/// request is answered as soon as its own plans are there. Runs on the instance's thread.
void executeBatch(Model& model, Instance& instance, backend::Batch& batch);

}  // namespace roundhouse::candidate_cost
