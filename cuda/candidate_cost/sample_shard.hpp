#pragma once

#include <cstdint>
#include <vector>

#include "algo/shard_tables.hpp"

namespace roundhouse::candidate_cost {

/// A small shard with unknown times for the dry run at load: one courier with an order on board, two open
/// orders, and the candidates {}, {1}, {2}, {1, 2}.
class SampleShard {
 public:
  SampleShard();
  ShardBytes bytes() const;

 private:
  std::vector<std::int64_t> params_;
  std::vector<std::int32_t> couriers_, held_, orders_, places_;
  std::vector<float> features_;
  std::vector<std::uint16_t> candidates_;
};

}  // namespace roundhouse::candidate_cost
