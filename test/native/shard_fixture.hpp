#pragma once

#include <cstdint>
#include <vector>

#include "../../cuda/candidate_cost/algo/tables.hpp"
#include "../../cuda/candidate_cost/shard_values.hpp"

/// A small valid shard that tests change: 2 couriers, 4 orders of 2 restaurants, travel at 3,600 m/h (1 m/s).
namespace roundhouse::test {

namespace layout = candidate_cost::layout;

struct ShardFixture : candidate_cost::ShardValues {
  ShardFixture() {
    namespace P = layout::Param;
    held = {0, 0};
    params[P::weightDuration] = 2;
    params[P::candidateColumns] = 4;
    params[P::travelKnown] = 1;
    for (int vehicle = 0; vehicle < 4; ++vehicle) params[P::metresPerHour + vehicle] = 3600;
    // Places 0 and 1: couriers; 2 and 3: restaurants; 4..7: customers. All on a line.
    for (const int32_t x : {0, 50, 100, 200, 110, 120, 210, 220}) places.insert(places.end(), {x, 0, -1});
    // Courier 0 is free; courier 1 holds order 2 on board and order 3 to be picked up.
    couriers = {10, 0, 0, layout::NO_LIMIT, 1, 9, 0, 0, 11, 1, 5, layout::NO_LIMIT, 2, 9, 1, 2};
    held.insert(held.end(), {2, 1, 3, 0});
    for (int32_t index = 0; index < 4; ++index) addOrder(100 + index, index < 2 ? 2 : 3, 4 + index);
    candidates = {0, 0, none, none, 0, 0, 1, none, 1, none, none, none, 1, 1, none, none};
  }

  void addOrder(int32_t roundIndex, int32_t pickup, int32_t dropoff) {
    orders.insert(orders.end(), {roundIndex, pickup, dropoff, 30 * (roundIndex - 99), 1000, layout::NO_LIMIT, 1, 7,
                                 roundIndex - 99, 4, 1, 5, 0});
    orderFeatures.insert(orderFeatures.end(), layout::ORDER_FEATURE_COLUMNS, 0.f);
  }

  int32_t& order(int row, int column) { return orders[row * layout::ORDER_COLUMNS + column]; }
  int32_t& courier(int row, int column) { return couriers[row * layout::COURIER_COLUMNS + column]; }

  static constexpr uint16_t none = layout::NO_ROW;
};

}  // namespace roundhouse::test
