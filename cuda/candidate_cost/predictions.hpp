#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "../delivery_time/network.hpp"
#include "shard.hpp"

namespace roundhouse::candidate_cost {

/// The network's rows of every shard of a batch, and for a shard without them why.
class Predictions {
 public:
  /// Few calls for all shards together where `batchInvariant`, else one a shard; calls for all that fail are repeated
  /// a shard, so that no shard fails for another's rows. Null stands for a request that has failed already. `stop(i)`
  /// is asked between calls: where it says true the shard at i fails with DEADLINE_EXCEEDED.
  Predictions(delivery_time::Network& network, bool batchInvariant, std::span<const Shard* const> shards,
              const std::function<bool(std::size_t)>& stop);

  /// The rows of the shard at `index`. Throws why the network failed for it.
  const float* of(std::size_t index) const;

 private:
  /// False where a call failed.
  bool predictTogether(delivery_time::Network& network, const std::function<bool(std::size_t)>& stop);
  std::exception_ptr predict(delivery_time::Network& network, std::size_t first, std::size_t rows);

  std::vector<float> features_;
  std::vector<float> quantiles_;
  /// Row where each shard's rows begin, and behind the last one their count.
  std::vector<std::size_t> firstRow_;
  std::vector<std::exception_ptr> failures_;
};

}  // namespace roundhouse::candidate_cost
