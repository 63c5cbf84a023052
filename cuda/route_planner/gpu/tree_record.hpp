#pragma once

#include "answer.hpp"
#include "tree.hpp"

namespace roundhouse::route_planner::gpu {

/// One record word by word; the kernel's lanes pass another way to get at a word.
template <int kOrders, int kHeld, bool kCapacity>
ROUNDHOUSE_HD inline void readTreeRecord(const int32_t* words, TreeProblem<kOrders, kHeld>& out) {
  using Shape = TreeShape<kOrders, kHeld>;
  constexpr TreeForm kForm{kOrders, kHeld};
  for (int way = 0; way < Shape::kWays; ++way) out.way[way] = words[way];
  for (int order = 0; order < Shape::kPickups; ++order) out.pickup[order] = words[kForm.pickupWord() + order];
  for (int order = 0; order < kOrders; ++order) out.minusPromised[order] = words[kForm.promisedWord() + order];
  out.weightLateness = words[kForm.weightWord()];
  out.weightDuration = words[kForm.weightWord() + 1];
  out.weightFreshness = words[kForm.weightWord() + 2];
  out.base = words[kForm.weightWord() + 3];
  for (int stop = 0; stop < Shape::kStops; ++stop) {
    out.number[stop] = static_cast<uint32_t>(words[kForm.numbersWord()]) >> (4 * stop) & 15;
  }
  out.overfull = kCapacity ? static_cast<uint32_t>(words[kForm.overfullWord()]) : 0;
}

ROUNDHOUSE_HD inline Answer treeAnswer(int64_t best) {
  const auto cost = static_cast<int32_t>(best >> 32);
  if (cost >= kTreeInfeasible) return {kInfeasible, 0};
  return {cost, static_cast<uint32_t>(best)};
}

}  // namespace roundhouse::route_planner::gpu
