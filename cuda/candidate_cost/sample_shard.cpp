#include "sample_shard.hpp"

namespace roundhouse::candidate_cost {

ShardValues sampleShard() {
  namespace P = layout::Param;
  ShardValues shard;
  shard.params[P::interleave] = 1;
  shard.params[P::candidateColumns] = 3;
  for (int vehicle = 0; vehicle < 4; ++vehicle) shard.params[P::metresPerHour + vehicle] = 5000 * (vehicle + 1);
  shard.params[P::secondsOfDay] = 43200;
  shard.couriers = {0, 0, 0, layout::NO_LIMIT, 1, 4, 1, 1};
  shard.held = {0, 0, 0, 1};
  shard.places = {0, 0, -1, 900, 0, -1, 0, 1200, -1, 1500, 700, -1};
  shard.orderFeatures.assign(3 * layout::ORDER_FEATURE_COLUMNS, 1.0f);
  shard.candidates = {0, layout::NO_ROW, layout::NO_ROW, 0, 1, layout::NO_ROW, 0, 2, layout::NO_ROW, 0, 1, 2};
  const std::int32_t dropoffPlace[] = {3, 2, 3};
  for (std::int32_t row = 0; row < 3; ++row) {
    const std::int32_t order[] = {row, 1, dropoffPlace[row], 300, 1800, layout::NO_LIMIT, 1, 0, 30, 60, 30, 60, -120};
    shard.orders.insert(shard.orders.end(), order, order + layout::ORDER_COLUMNS);
  }
  return shard;
}

}  // namespace roundhouse::candidate_cost
