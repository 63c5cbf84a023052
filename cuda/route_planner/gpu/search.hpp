#pragma once

#include "answer.hpp"
#include "warp_problem.hpp"

namespace roundhouse::route_planner::gpu {

/**
 * Branch and bound of one narrow problem by the 32 lanes of a warp: exact, the same answer as branch_and_bound.hpp,
 * found in another order. Each round takes labels from the top of the stack until they have 32 children, one a lane;
 * the children that may still win go back sorted, the best on top. What does not fit on the stack ends the search as
 * kUnsolved.
 */
template <class Lanes, int kOrders, int kStack, int kMemo>
class WarpSearch : private WarpProblem<Lanes, kOrders, SearchMemory<kOrders, kStack, kMemo>> {
 public:
  using Memory = SearchMemory<kOrders, kStack, kMemo>;

  ROUNDHOUSE_DEVICE WarpSearch(const Lanes& lanes, Memory& memory) : Base(lanes, memory) {}

  /// `record` is read by all lanes together.
  ROUNDHOUSE_DEVICE Answer solve(const int32_t* record) {
    return solve(record, INT32_MAX, [](int32_t) { return false; });
  }

  /// After `mostRounds` rounds it asks handOver(cost of the best route, INT32_MAX: none yet): true, and it ends as
  /// kHandedOver.
  template <class HandOver>
  ROUNDHOUSE_DEVICE Answer solve(const int32_t* record, int mostRounds, const HandOver& handOver) {
    load(record);
    pushRoot();
    bool overflow = false;
    for (int rounds = 0; top_ > 0 && !overflow; ++rounds) {
      if (rounds == mostRounds && handOver(bestCost_)) return {kHandedOver, 0};
      overflow = !round();
    }
    return answer(overflow);
  }

  /// The best of all routes that begin with two stops, unless one with others is cheaper. `cheapest` is the cost of the
  /// cheapest that the searches of all beginnings know.
  ROUNDHOUSE_DEVICE Answer solvePiece(const int32_t* record, int first, int second, int32_t* cheapest) {
    load(record);
    bestCost_ = lanes_.from(0, lanes_.now(cheapest));
    if (!pushPiece(first, second)) return {kInfeasible, 0};
    bool overflow = false;
    for (int rounds = 1; top_ > 0 && !overflow; ++rounds) {
      overflow = !round();
      if (rounds % kShareEvery == 0) share(cheapest);
    }
    share(cheapest);
    return answer(overflow);
  }

 private:
  using Base = WarpProblem<Lanes, kOrders, Memory>;
  using typename Base::Label;
  using Base::extend, Base::head, Base::load, Base::lowerBound, Base::openAfter, Base::stop;
  using Base::lanes_, Base::memory_, Base::stops_, Base::weightDuration_;

  static constexpr int kRankBits = 5;
  static constexpr int kShareEvery = 16;

  ROUNDHOUSE_DEVICE Answer answer(bool overflow) const {
    if (overflow) return {kUnsolved, 0};
    if (bestPrefix_ == UINT64_MAX) return {kInfeasible, 0};
    return {bestCost_, bestPrefix_};
  }

  /// A route of other beginnings may be as cheap and smaller, so one of the same cost stays wanted.
  ROUNDHOUSE_DEVICE void share(int32_t* cheapest) {
    if (lanes_.lane() == 0) lanes_.lower(cheapest, bestCost_);
    const int32_t now = lanes_.from(0, lanes_.now(cheapest));
    if (now >= bestCost_) return;
    bestCost_ = now;
    bestPrefix_ = UINT64_MAX;
  }

  ROUNDHOUSE_DEVICE uint32_t lanesBelow() const { return (1u << lanes_.lane()) - 1; }
  ROUNDHOUSE_DEVICE void pushRoot() {
    int32_t shareOfAll = 0;
    for (int number = 1; number <= stops_; ++number) shareOfAll += stop(number).share;
    if (lanes_.lane() == 0) {
      memory_.bound[0] = INT32_MIN;
      memory_.at[0] = 0;
      memory_.cost[0] = head().base;
      memory_.prefix[0] = 0;
      memory_.state[0] = 1;
      memory_.openLoad[0] = openAfter(1) | static_cast<uint32_t>(head().startLoad) << 16;
      memory_.shareLeft[0] = shareOfAll;
    }
    top_ = 1;
    lanes_.sync();
  }

  /// The stack with the one label of a beginning; false where no route of it is wanted.
  ROUNDHOUSE_DEVICE bool pushPiece(int first, int second) {
    pushRoot();
    Label label = labelAt(0);
    top_ = 0;
    lanes_.sync();
    if ((label.open >> first & 1) == 0 || !extend(label, first)) return false;
    if ((label.open >> second & 1) == 0 || !extend(label, second)) return false;
    int32_t bound = 0;
    if (!lowerBound(label, bound) || !worthwhile(bound, label.state, label.prefix)) return false;
    if (lanes_.lane() == 0) store(0, label, bound);
    top_ = 1;
    lanes_.sync();
    return true;
  }

  ROUNDHOUSE_DEVICE void store(int index, const Label& label, int32_t bound) const {
    memory_.bound[index] = bound;
    memory_.at[index] = label.at;
    memory_.cost[index] = label.cost;
    memory_.prefix[index] = label.prefix;
    memory_.state[index] = label.state;
    memory_.openLoad[index] = label.open | static_cast<uint32_t>(label.load) << 16;
    memory_.shareLeft[index] = label.shareLeft;
  }

  ROUNDHOUSE_DEVICE bool worthwhile(int32_t bound, uint32_t state, uint32_t prefix) const {
    bool result = bound < bestCost_;
    if (bound == bestCost_) {
      const int left = stops_ + 1 - countBits(state & 0xffff);
      result = (static_cast<uint64_t>(state >> 16) << 32 | prefix) <= bestPrefix_ >> (4 * left);
    }
    return result;
  }

  ROUNDHOUSE_DEVICE Label labelAt(int index) const {
    Label label;
    label.at = memory_.at[index];
    label.cost = memory_.cost[index];
    label.shareLeft = memory_.shareLeft[index];
    label.prefix = memory_.prefix[index];
    label.state = memory_.state[index];
    const uint32_t openLoad = memory_.openLoad[index];
    label.open = openLoad & 0xffff;
    label.load = static_cast<int32_t>(openLoad >> 16);
    return label;
  }

  /// Lanes with a complete route of cost `whole` offer it.
  ROUNDHOUSE_DEVICE void offer(bool complete, int32_t whole, const Label& label) {
    const bool better =
        complete && (whole < bestCost_ || (whole == bestCost_ && label.whole() < bestPrefix_));
    if (lanes_.ballot(better) == 0) return;
    const int32_t least = lanes_.least(better ? whole : INT32_MAX);
    const bool cheapest = better && whole == least;
    const uint32_t upper = lanes_.least(cheapest ? label.state >> 16 : UINT32_MAX);
    const bool first = cheapest && label.state >> 16 == upper;
    const uint32_t lower = lanes_.least(first ? label.prefix : UINT32_MAX);
    bestCost_ = least;
    bestPrefix_ = static_cast<uint64_t>(upper) << 32 | lower;
  }

  ROUNDHOUSE_DEVICE static uint32_t memoSlot(uint32_t state, uint32_t prefix) {
    return ((state << 16) + (prefix & 15)) * 2654435761u >> 16 & (kMemo - 1);
  }

  /// Whether the entry of its slot rules a prefix out: the rule of memo.hpp.
  ROUNDHOUSE_DEVICE bool ruledOut(uint32_t slot, uint32_t state, uint32_t prefix, int32_t at, int32_t cost) const {
    const SearchMemoEntry seen = memory_.memo[slot];
    const bool sameState = ((seen.state ^ state) & 0xffff) == 0 && ((seen.prefix ^ prefix) & 15) == 0;
    const uint64_t before = static_cast<uint64_t>(seen.state >> 16) << 32 | seen.prefix;
    const bool smallerPrefix = before < (static_cast<uint64_t>(state >> 16) << 32 | prefix);
    return sameState & (seen.at <= at) & ((seen.cost < cost) | ((seen.cost == cost) & smallerPrefix));
  }

  /// A label with 3 stops to go or more is worth an entry.
  ROUNDHOUSE_DEVICE bool isRemembered(uint32_t state) const { return countBits(state & 0xffff) <= stops_ - 2; }

  /// `wants` lanes look up their label and leave it in the table; true for those ruled out.
  ROUNDHOUSE_DEVICE bool dominated(bool wants, const Label& label) {
    const uint32_t slot = memoSlot(label.state, label.prefix);
    const uint32_t rivals = lanes_.same(wants ? slot : 0x10000u + static_cast<uint32_t>(lanes_.lane()));
    const bool out = wants & ruledOut(slot, label.state, label.prefix, label.at, label.cost);
    const uint32_t writers = lanes_.ballot(wants && !out) & rivals;
    lanes_.sync();
    if (wants && !out && lowestBit(writers) == lanes_.lane()) {
      memory_.memo[slot] = SearchMemoEntry{label.state, label.prefix, label.at, label.cost};
    }
    return out;
  }

  /// The place of each surviving lane among the survivors by bound, the least first: by the upper kRankBits bits of
  /// their range, then by lane. A full sort takes three times the instructions and saves no round.
  ROUNDHOUSE_DEVICE int rankOf(bool survives, uint32_t survivors, int32_t bound) const {
    const int32_t least = lanes_.least(survives ? bound : INT32_MAX);
    const int32_t most = -lanes_.least(survives ? -bound : INT32_MAX);
    const auto range = static_cast<uint32_t>(most - least);
    const int shift = larger(range == 0 ? 0 : highestBit(range) + 1 - kRankBits, 0);
    const uint32_t key = static_cast<uint32_t>(bound - least) >> shift;
    uint32_t equal = survivors;
    uint32_t before = 0;
    ROUNDHOUSE_UNROLL
    for (int bit = kRankBits - 1; bit >= 0; --bit) {
      const bool set = (key >> bit & 1) != 0;
      const uint32_t ones = lanes_.ballot(set);
      before |= set ? equal & ~ones : 0;
      equal &= set ? ones : ~ones;
    }
    return countBits(before | (equal & lanesBelow()));
  }

  ROUNDHOUSE_DEVICE bool push(bool survives, const Label& label, int32_t bound) {
    const uint32_t survivors = lanes_.ballot(survives);
    const int count = countBits(survivors);
    if (count == 0) return true;
    if (top_ + count > kStack) return false;
    const int rank = rankOf(survives, survivors, bound);
    if (survives) store(top_ + count - 1 - rank, label, bound);
    top_ += count;
    lanes_.sync();
    return true;
  }

  /// Which label of the stack this lane widens, and by which of its children; false for none.
  ROUNDHOUSE_DEVICE bool take(int& index, int& to) {
    const int lane = lanes_.lane();
    const int mine = top_ - 1 - lane;
    uint32_t open = 0;
    if (mine >= 0) {
      const uint32_t state = memory_.state[mine];
      const uint32_t prefix = memory_.prefix[mine];
      // The table may have learnt of a better prefix since this one was pushed: asking again saves a tenth of the rounds.
      const bool out = isRemembered(state) & ruledOut(memoSlot(state, prefix), state, prefix, memory_.at[mine],
                                                      memory_.cost[mine]);
      const bool wanted = worthwhile(memory_.bound[mine], state, prefix) & !out;
      open = wanted ? memory_.openLoad[mine] & 0xffff : 0;
    }
    const auto count = static_cast<uint32_t>(countBits(open));
    const uint32_t upToMine = lanesBelow() | 1u << lane;
    const int sum = countBits(lanes_.ballot((count & 1) != 0) & upToMine) +
                    2 * countBits(lanes_.ballot((count & 2) != 0) & upToMine) +
                    4 * countBits(lanes_.ballot((count & 4) != 0) & upToMine);
    const bool taken = mine >= 0 && sum <= 32;
    const int labels = countBits(lanes_.ballot(taken));
    const int children = lanes_.from(labels - 1, sum);
    const uint32_t starts = lanes_.either(taken && count > 0 ? 1u << (sum - static_cast<int>(count)) : 0u);
    if (taken && count > 0) memory_.owner[sum - static_cast<int>(count)] = static_cast<uint8_t>(lane);
    lanes_.sync();
    const bool works = lane < children;
    const int start = works ? highestBit(starts & (0xffffffffu >> (31 - lane))) : 0;
    const int owner = works ? memory_.owner[start] : 0;
    uint32_t choices = lanes_.from(owner, open);
    ROUNDHOUSE_UNROLL
    for (int skipped = 0; skipped < kOrders - 1; ++skipped) {
      choices &= skipped < lane - start ? choices - 1 : choices;
    }
    index = top_ - 1 - owner;
    to = works & (choices != 0) ? lowestBit(choices) : 1;
    top_ -= labels;
    return works;
  }

  /// One round; false when the stack is too small.
  ROUNDHOUSE_DEVICE bool round() {
    int index = 0;
    int to = 1;
    bool alive = take(index, to);
    Label label = labelAt(index);
    alive = extend(label, to) & alive;
    const uint32_t every = (2u << stops_) - 1;
    if (alive && countBits(every & ~label.visited()) == 1) {
      alive = label.open != 0 && extend(label, lowestBit(label.open));
    }
    const bool complete = alive && label.visited() == every;
    offer(complete, label.cost + weightDuration_ * label.at, label);
    int32_t bound = 0;
    alive = alive & !complete & lowerBound(label, bound);
    alive = alive & worthwhile(bound, label.state, label.prefix);
    alive = !dominated(alive && isRemembered(label.state), label) && alive;
    lanes_.sync();
    return push(alive, label, bound);
  }

  uint64_t bestPrefix_ = UINT64_MAX;
  int32_t bestCost_ = INT32_MAX;
  int top_ = 0;
};

}  // namespace roundhouse::route_planner::gpu
