#pragma once

#include <algorithm>
#include <set>

#include "../../cuda/candidate_cost/shard_values.hpp"
#include "../native/random_problems.hpp"

/// Random shards with a fixed seed, for tests and benches of candidate_cost.
namespace roundhouse::test {

namespace layout = candidate_cost::layout;

struct ShardShape {
  int couriers = 20;
  int orders = 40;
  int candidates = 200;
  /// Orders that a courier holds, and that a candidate's bundle has, at most.
  int mostHeld = 2;
  int mostBundle = 3;
  /// Within 0…2^30 metres of the middle.
  int32_t radius = 5000;
  /// Zones of a travel matrix; 0: travel by speed.
  int zones = 0;
  /// Everything that a shard may have: limits, merged pickups, odd numbers. False: a city's evening with unknown times.
  bool strange = true;
};

namespace detail {

inline void addPlace(Random& random, const ShardShape& shape, candidate_cost::ShardValues& shard) {
  const auto at = [&] { return static_cast<int32_t>(random.within(-shape.radius, shape.radius)); };
  const auto zone = static_cast<int32_t>(shape.zones > 0 ? random.within(0, shape.zones - 1) : -1);
  shard.places.insert(shard.places.end(), {at(), at(), zone});
}

inline void addOrder(Random& random, const ShardShape& shape, int row, candidate_cost::ShardValues& shard) {
  const auto within = [&](int64_t least, int64_t most) { return static_cast<int32_t>(random.within(least, most)); };
  // A third of the pickups are at a restaurant of an earlier order.
  const int32_t own = shape.couriers + 2 * row;
  const int32_t pickup = row > 0 && random.oneIn(3) ? shape.couriers + 2 * within(0, row - 1) : own;
  const int32_t latest = shape.strange && random.oneIn(4) ? within(600, 5400) : layout::NO_LIMIT;
  const int32_t flags = shape.strange ? within(0, 7) : 0;
  const int32_t ready = within(0, 1200);
  shard.orders.insert(shard.orders.end(),
                      {row + 7, pickup, own + 1, ready, ready + within(600, 2400), latest, within(0, 2), flags,
                       within(0, 60), within(0, 240), within(0, 60), within(0, 240), -within(0, 900)});
  for (int column = 0; column < layout::ORDER_FEATURE_COLUMNS; ++column) {
    shard.orderFeatures.push_back(static_cast<float>(random.within(0, 2000)) / 100);
  }
}

inline void addCourier(Random& random, const ShardShape& shape, int row, std::set<int32_t>& held,
                       candidate_cost::ShardValues& shard) {
  const auto within = [&](int64_t least, int64_t most) { return static_cast<int32_t>(random.within(least, most)); };
  const auto offset = static_cast<int32_t>(shard.held.size() / layout::HELD_COLUMNS);
  int32_t count = 0;
  for (int tries = within(0, shape.mostHeld); tries > 0; --tries) {
    const int32_t order = within(0, shape.orders - 1);
    if (!held.insert(order).second) continue;
    shard.held.insert(shard.held.end(), {order, within(0, 1)});
    ++count;
  }
  const int32_t capacity = within(shape.strange ? 1 : 4, 8);
  const int32_t shiftEnd = shape.strange && random.oneIn(4) ? within(300, 3600) : layout::NO_LIMIT;
  shard.couriers.insert(shard.couriers.end(),
                        {row + 3, row, within(0, 300), shiftEnd, within(0, 3), capacity, offset, count});
}

inline bool isHeldBy(const candidate_cost::ShardValues& shard, int courier, int32_t order) {
  const int32_t* row = &shard.couriers[static_cast<std::size_t>(courier) * layout::COURIER_COLUMNS];
  for (int32_t index = 0; index < row[layout::CourierColumn::heldCount]; ++index) {
    if (shard.held[2 * static_cast<std::size_t>(row[layout::CourierColumn::heldOffset] + index)] == order) return true;
  }
  return false;
}

inline void addCandidate(Random& random, const ShardShape& shape, candidate_cost::ShardValues& shard) {
  const auto courier = static_cast<int>(random.within(0, shape.couriers - 1));
  const std::size_t first = shard.candidates.size();
  shard.candidates.push_back(static_cast<uint16_t>(courier));
  for (auto left = random.within(shape.strange ? 0 : 1, shape.mostBundle); left > 0; --left) {
    const auto order = static_cast<uint16_t>(random.within(0, shape.orders - 1));
    const auto begin = shard.candidates.begin() + static_cast<std::ptrdiff_t>(first) + 1;
    if (isHeldBy(shard, courier, order) || std::find(begin, shard.candidates.end(), order) != shard.candidates.end()) {
      continue;
    }
    shard.candidates.push_back(order);
  }
  shard.candidates.resize(first + 1 + static_cast<std::size_t>(shape.mostBundle), layout::NO_ROW);
}

inline void fillParams(Random& random, const ShardShape& shape, candidate_cost::ShardValues& shard) {
  namespace P = layout::Param;
  shard.params[P::candidateColumns] = 1 + shape.mostBundle;
  for (int vehicle = 0; vehicle < 4; ++vehicle) shard.params[P::metresPerHour + vehicle] = 5000 * (vehicle + 1);
  shard.params[P::secondsOfDay] = random.within(0, 86399);
  shard.params[P::dayOfWeek] = random.within(0, 6);
  shard.params[P::rainPerMille] = random.within(0, 1000);
  shard.params[P::trafficPerMille] = random.within(0, 1000);
  // A city's evening has no trips.
  shard.params[P::interleave] = random.within(0, shape.strange ? layout::Interleave::tripByTrip : layout::Interleave::mixed);
  shard.params[P::travelKind] = shape.zones > 0 ? 1 : 0;
  if (!shape.strange) return;
  shard.params[P::quantumSeconds] = random.oneIn(2) ? 1 : 60;
  shard.params[P::mergePickups] = random.within(0, 1);
  shard.params[P::quantile] = random.oneIn(2) ? 50 : 90;
  shard.params[P::travelKnown] = random.oneIn(4) ? 1 : 0;
  for (const int weight : {P::weightLateness, P::weightDuration, P::weightFreshness}) {
    // Large ones go to the planner's 64-bit code.
    shard.params[weight] = random.oneIn(8) ? random.within(0, int64_t{1} << 40) : random.within(0, 20);
  }
}

}  // namespace detail

inline candidate_cost::ShardValues randomShard(Random& random, const ShardShape& shape) {
  candidate_cost::ShardValues shard;
  detail::fillParams(random, shape, shard);
  for (int place = 0; place < shape.couriers + 2 * shape.orders; ++place) detail::addPlace(random, shape, shard);
  for (int row = 0; row < shape.orders; ++row) detail::addOrder(random, shape, row, shard);
  shard.held = {0, 0};
  std::set<int32_t> held;
  for (int row = 0; row < shape.couriers; ++row) detail::addCourier(random, shape, row, held, shard);
  for (int row = 0; row < shape.candidates; ++row) detail::addCandidate(random, shape, shard);
  return shard;
}

/// Seconds between zones, as the file of a travel matrix (docs/travel.md) with one layer for all vehicles.
inline std::vector<uint8_t> randomMatrixFile(Random& random, uint32_t zones) {
  std::vector<uint8_t> bytes(32 + std::size_t{4} * zones * zones);
  const auto put = [&](std::size_t at, uint32_t value) {
    for (int byte = 0; byte < 4; ++byte) bytes[at + byte] = static_cast<uint8_t>(value >> (8 * byte));
  };
  std::copy_n("RHTRAVEL", 8, bytes.begin());
  put(8, 1);
  put(12, zones);
  put(16, 1);
  for (std::size_t at = 32; at < bytes.size(); at += 4) put(at, static_cast<uint32_t>(random.within(0, 1800)));
  return bytes;
}

}  // namespace roundhouse::test
