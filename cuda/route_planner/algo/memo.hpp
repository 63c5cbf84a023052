#pragma once

#include "bound.hpp"

namespace roundhouse::route_planner {

constexpr int kMemoEntries = 1024;

struct MemoEntry {
  /// Solve number and state (visited stops, last stop): entries of earlier solves never match.
  uint64_t tag;
  int64_t at;
  int64_t cost;
  uint64_t prefix;
};

/// Prefixes seen, by state: lossy and direct-mapped. What is lost or overwritten only costs time, see `dominated`.
struct Memo {
  uint64_t solve;
  MemoEntry entries[kMemoEntries];
};

/// Zero once; each solve then takes a new number.
ROUNDHOUSE_HD inline void clearMemo(Memo& memo) {
  memo.solve = 0;
  for (int entry = 0; entry < kMemoEntries; ++entry) memo.entries[entry] = MemoEntry{0, 0, 0, 0};
}

ROUNDHOUSE_HD inline uint32_t memoState(const Label& label) {
  return label.visited >> 1 << 4 | static_cast<uint32_t>(label.stop - 1);
}

/// Where the table keeps a state.
ROUNDHOUSE_HD inline uint32_t memoIndex(uint32_t state) { return (state * 2654435761u) >> 22; }

/**
 * True if another feasible prefix P of the same state rules out that `label` (prefix Q) begins the answer.
 *
 * The answer Z is the lexicographically smallest of the cheapest routes. Costs after a prefix grow with its time, and
 * what is feasible after a late prefix is feasible after an early one. So if P is as early and as cheap as Q, then
 * P+X costs at most Q+X for every continuation X. If P is cheaper, Q+X is not a cheapest route; if it costs the same
 * but P is lexicographically smaller, Q+X is not the smallest. Either way Q+X ≠ Z. Hence no prefix of Z is ever ruled
 * out, whatever the table remembers and whether or not P's own continuations are searched. Equal cost and a larger P
 * must not rule out Q: that is where a usual dominance rule would lose Z.
 */
ROUNDHOUSE_HD inline bool dominated(Memo& memo, const Label& label) {
  const uint32_t state = memoState(label);
  const uint64_t tag = memo.solve << 20 | state;
  MemoEntry& entry = memo.entries[memoIndex(state)];
  if (entry.tag == tag && entry.at <= label.at &&
      (entry.cost < label.cost || (entry.cost == label.cost && entry.prefix < label.prefix))) {
    return true;
  }
  entry = MemoEntry{tag, label.at, label.cost, label.prefix};
  return false;
}

}  // namespace roundhouse::route_planner
