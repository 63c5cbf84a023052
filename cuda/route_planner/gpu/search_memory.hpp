#pragma once

#include "search_record.hpp"

namespace roundhouse::route_planner::gpu {

/// A prefix that rules out others of the same state, as memo.hpp argues.
struct alignas(16) SearchMemoEntry {
  /// Visited stops in the lower half (0: free), upper part of the prefix in the upper half.
  uint32_t state;
  uint32_t prefix;
  int32_t at;
  int32_t cost;
};

/// Shared memory of one search. A label is one entry of each stack array.
template <int kOrders, int kStack, int kMemo>
struct alignas(16) SearchMemory {
  static constexpr int kStops = mostSearchStops(kOrders);
  static constexpr int kMemoEntries = kMemo;

  int32_t record[searchRecordWords(kStops)];
  SearchMemoEntry memo[kMemo];
  int32_t shortest[(kStops + 1) * kStops];
  int32_t bound[kStack];
  int32_t at[kStack];
  int32_t cost[kStack];
  /// Lower 8 stops of the prefix, 4 bits each.
  uint32_t prefix[kStack];
  /// As SearchMemoEntry::state.
  uint32_t state[kStack];
  /// Stops that may come next in the lower half, load in the upper half.
  uint32_t openLoad[kStack];
  int32_t shareLeft[kStack];
  uint8_t owner[32];
};

}  // namespace roundhouse::route_planner::gpu
