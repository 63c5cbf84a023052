#pragma once

#include "shard_values.hpp"

namespace roundhouse::candidate_cost {

/// A small shard with unknown times for the dry run at load: one courier with an order on board, two open
/// orders, and the candidates {}, {1}, {2}, {1, 2}.
ShardValues sampleShard();

}  // namespace roundhouse::candidate_cost
