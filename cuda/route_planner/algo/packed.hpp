#pragma once

#include "problem.hpp"

/// Problems as INT32 words, one behind the other (docs/tensors.md; native/planner/pack-problems.ts writes them).
namespace roundhouse::route_planner {

constexpr int kPackedHead = 13;

/// Words of a packed problem.
ROUNDHOUSE_HD constexpr int packedWords(int orders, int stops) {
  return kPackedHead + 6 * orders + 5 * stops + (stops + 1) * (stops + 1);
}
constexpr int kMostPackedWords = packedWords(kMaxOrders, kMaxStops);

/// What is wrong with a packed problem; `name` null: nothing.
struct PackedFault {
  const char* name;
  int32_t value;
};

namespace detail {

/// Reads words one by one; remembers the first that is out of range.
class WordReader {
 public:
  ROUNDHOUSE_HD explicit WordReader(const int32_t* words) : next_(words) {}

  ROUNDHOUSE_HD int32_t next() { return *next_++; }
  ROUNDHOUSE_HD int64_t nextWide() {
    const auto low = static_cast<uint32_t>(next());
    const auto high = static_cast<uint32_t>(next());
    return static_cast<int64_t>(static_cast<uint64_t>(high) << 32 | low);
  }
  ROUNDHOUSE_HD int32_t nextWithin(int32_t most, const char* name) {
    const int32_t value = next();
    if ((value < 0 || value > most) && fault_.name == nullptr) fault_ = {name, value};
    return value;
  }
  ROUNDHOUSE_HD const PackedFault& fault() const { return fault_; }

 private:
  const int32_t* next_;
  PackedFault fault_{nullptr, 0};
};

ROUNDHOUSE_HD inline void readOrders(WordReader& reader, Problem& problem) {
  for (int index = 0; index < problem.orderCount; ++index) {
    Order& order = problem.orders[index];
    order.ready = reader.next();
    order.promised = reader.next();
    order.latestDropoff = reader.nextWide();
    order.size = reader.next();
    order.onBoard = reader.nextWithin(1, "onBoard") == 1;
  }
}

ROUNDHOUSE_HD inline void readStops(WordReader& reader, Problem& problem) {
  problem.stops[0] = {};
  for (int number = 1; number <= problem.stopCount; ++number) {
    Stop& stop = problem.stops[number];
    stop.kind = reader.nextWithin(1, "kind") == 0 ? StopKind::pickup : StopKind::dropoff;
    stop.group = reader.nextWithin(1, "group") == 0 ? Group::held : Group::bundle;
    stop.orders = static_cast<uint8_t>(reader.nextWithin(255, "orders"));
    stop.preService = reader.next();
    stop.postService = reader.next();
  }
  for (int from = 0; from <= problem.stopCount; ++from) {
    for (int to = 0; to <= problem.stopCount; ++to) problem.travel[from][to] = reader.next();
  }
}

}  // namespace detail

/// What is wrong with the counts that a packed problem begins with; only these two words are read.
ROUNDHOUSE_HD inline PackedFault checkPackedCounts(const int32_t* words) {
  if (words[0] < 0 || words[0] > kMaxOrders) return {"orderCount", words[0]};
  if (words[1] < 0 || words[1] > kMaxStops) return {"stopCount", words[1]};
  return {nullptr, 0};
}

/// Reads a packed problem whose counts are right and whose words are all there.
ROUNDHOUSE_HD inline PackedFault unpack(const int32_t* words, Problem& problem) {
  detail::WordReader reader(words);
  problem.orderCount = reader.next();
  problem.stopCount = reader.next();
  problem.capacity = reader.next();
  problem.startAt = reader.next();
  problem.interleave = reader.nextWithin(1, "interleave") == 1;
  problem.latestPickup = reader.nextWide();
  problem.weightLateness = reader.nextWide();
  problem.weightDuration = reader.nextWide();
  problem.weightFreshness = reader.nextWide();
  detail::readOrders(reader, problem);
  detail::readStops(reader, problem);
  return reader.fault();
}

}  // namespace roundhouse::route_planner
