#pragma once

#include "build.hpp"
#include "search.hpp"

/**
 * A batch of few problems, solved by warps that find their work themselves: where trees and searches of large batches
 * need the sizes of the groups on the host, nothing of this one comes there before its answers. Problems of 4 orders are
 * searched (Building::searches4).
 */
namespace roundhouse::route_planner::gpu {

constexpr int kSmallTreeOrders = 3;
constexpr int kSmallTreeGroups = firstTreeGroup(kSmallTreeOrders + 1);

template <int kOrders, int kStack, int kMemo>
struct SmallMemory {
  SearchMemory<kOrders, kStack, kMemo> search;
  /// The first item of each group, and behind the last.
  uint32_t firsts[kGroups + 1];
};

/// One search, or up to 32 trees of a group; none is left where `count` is 0.
struct SmallWork {
  int group;
  uint32_t first;
  uint32_t count;
};

namespace detail {

template <class Lanes>
ROUNDHOUSE_DEVICE void findFirsts(const Lanes& lanes, const Counters& counters, uint32_t* firsts) {
  uint32_t before = 0;
  for (int base = 0; base <= kGroups; base += 32) {
    const int group = base + lanes.lane();
    const uint32_t own = group < kGroups ? counters.perGroup[group] : 0;
    uint32_t upToMine = own;
    for (int step = 1; step < 32; step *= 2) {
      const uint32_t below = lanes.up(step, upToMine);
      upToMine += lanes.lane() >= step ? below : 0;
    }
    if (group <= kGroups) firsts[group] = before + upToMine - own;
    before += lanes.from(31, upToMine);
  }
  lanes.sync();
}

/// Searches of the most orders first, for up to `mostOrders`; then trees.
ROUNDHOUSE_DEVICE SmallWork smallWork(const uint32_t* firsts, int mostOrders, uint32_t number) {
  for (int orders = mostOrders; orders >= 5; --orders) {
    const int group = firstSearchGroup(orders);
    const uint32_t count = firsts[group + kSearchSizes] - firsts[group];
    if (number < count) return {group, firsts[group] + number, 1};
    number -= count;
  }
  for (int group = kSmallTreeGroups - 1; group >= 0; --group) {
    const uint32_t count = firsts[group + 1] - firsts[group];
    const uint32_t warps = (count + 31) / 32;
    if (number < warps) return {group, firsts[group] + 32 * number, smaller(uint32_t{32}, count - 32 * number)};
    number -= warps;
  }
  return {0, 0, 0};
}

ROUNDHOUSE_HD constexpr int treeOrdersOf(int group) {
  int orders = 1;
  while (group >= firstTreeGroup(orders + 1)) ++orders;
  return orders;
}

template <int kOrders, int kHeld, bool kCapacity>
ROUNDHOUSE_DEVICE Answer treeAnswerOf(const int32_t* record) {
  constexpr int kWords = TreeForm{kOrders, kHeld}.words(kCapacity);
  struct alignas(16) Four {
    int32_t word[4];
  };
  const auto* from = reinterpret_cast<const Four*>(record);
  int32_t words[kWords];
  ROUNDHOUSE_UNROLL
  for (int four = 0; four < kWords / 4; ++four) {
    const Four read = from[four];
    for (int word = 0; word < 4; ++word) words[4 * four + word] = read.word[word];
  }
  TreeProblem<kOrders, kHeld> problem;
  readTreeRecord<kOrders, kHeld, kCapacity>(words, problem);
  Tree<kOrders, kHeld, kCapacity> tree(problem);
  tree.search();
  return treeAnswer(tree.best);
}

template <int kGroup = 0>
ROUNDHOUSE_DEVICE Answer solveSmallTree(int group, const int32_t* record) {
  if constexpr (kGroup + 1 < kSmallTreeGroups) {
    if (group != kGroup) return solveSmallTree<kGroup + 1>(group, record);
  }
  constexpr int kOrders = treeOrdersOf(kGroup);
  constexpr int kInOrders = kGroup - firstTreeGroup(kOrders);
  return treeAnswerOf<kOrders, kInOrders / 2, kInOrders % 2 == 1>(record);
}

ROUNDHOUSE_DEVICE const int32_t* recordOf(const Building& batch, const Item& item) {
  return reinterpret_cast<const int32_t*>(batch.d_arena + std::size_t{16} * item.offset);
}

template <class Lanes>
ROUNDHOUSE_DEVICE void solveTrees(const Lanes& lanes, const Building& batch, const SmallWork& work) {
  const auto lane = static_cast<uint32_t>(lanes.lane());
  const Item item = batch.d_items[work.first + smaller(lane, work.count - 1)];
  const Answer answer = solveSmallTree(work.group, recordOf(batch, item));
  if (lane < work.count) batch.d_answers[item.index] = answer;
}

template <class Lanes, int kOrders, int kStack, int kMemo>
ROUNDHOUSE_DEVICE void solveOneSearch(const Lanes& lanes, const Building& batch, const SmallWork& work,
                                      SmallMemory<kOrders, kStack, kMemo>& memory) {
  const Item item = batch.d_items[work.first];
  WarpSearch<Lanes, kOrders, kStack, kMemo> search(lanes, memory.search);
  const Answer answer = search.solve(recordOf(batch, item));
  if (lanes.lane() == 0) {
    batch.d_answers[item.index] = answer;
    if (answer.cost == kUnsolved) {
      const uint32_t behind = batch.d_counters->perGroup[kGeneralGroup] + lanes.add(&batch.d_counters->unsolved, 1);
      batch.d_items[memory.firsts[kGeneralGroup] + behind] = item;
    }
  }
  lanes.sync();
}

}  // namespace detail

/// Solves work number `warp` of `warps`, then what no warp has begun yet; problems of more than `kOrders` orders and those
/// that only the general kernel can are left.
template <class Lanes, int kOrders, int kStack, int kMemo>
ROUNDHOUSE_DEVICE void solveSmallBatch(const Lanes& lanes, const Building& batch, uint32_t warp, uint32_t warps,
                                       SmallMemory<kOrders, kStack, kMemo>& memory) {
  detail::findFirsts(lanes, *batch.d_counters, memory.firsts);
  for (uint32_t number = warp;;) {
    const SmallWork work = detail::smallWork(memory.firsts, kOrders, number);
    if (work.count == 0) return;
    if (work.group >= kTreeGroups) {
      detail::solveOneSearch(lanes, batch, work, memory);
    } else {
      detail::solveTrees(lanes, batch, work);
    }
    const uint32_t next = lanes.lane() == 0 ? lanes.add(&batch.d_counters->begun, 1) : 0;
    number = warps + lanes.from(0, next);
  }
}

}  // namespace roundhouse::route_planner::gpu
