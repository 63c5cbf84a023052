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

/// The words that a packed problem begins with.
struct PackedCounts {
  int32_t orders;
  int32_t stops;
};

/// Reads each word once: a peer may change words of shared memory at any time, so that what was checked is what is used.
ROUNDHOUSE_HD inline PackedCounts readPackedCounts(const volatile int32_t* words) { return {words[0], words[1]}; }

ROUNDHOUSE_HD inline PackedFault checkPackedCounts(const PackedCounts& counts) {
  if (counts.orders < 0 || counts.orders > kMaxOrders) return {"orderCount", counts.orders};
  if (counts.stops < 0 || counts.stops > kMaxStops) return {"stopCount", counts.stops};
  return {nullptr, 0};
}

/// Reads a packed problem with these counts, which are right, and whose words are all there; its own are not read again.
ROUNDHOUSE_HD inline PackedFault unpack(const int32_t* words, const PackedCounts& counts, Problem& problem) {
  detail::WordReader reader(words + 2);
  problem.orderCount = counts.orders;
  problem.stopCount = counts.stops;
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
