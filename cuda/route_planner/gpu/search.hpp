#pragma once

#include "answer.hpp"
#include "search_memory.hpp"
#include "warp.hpp"

namespace roundhouse::route_planner::gpu {

/**
 * Branch and bound of one narrow problem by the 32 lanes of a warp: exact, the same answer as branch_and_bound.hpp,
 * found in another order. Each round takes labels from the top of the stack until they have 32 children, one a lane;
 * the children that may still win go back sorted, the best on top. What does not fit on the stack ends the search as
 * kUnsolved.
 */
template <class Lanes, int kOrders, int kStack, int kMemo>
class WarpSearch {
 public:
  using Memory = SearchMemory<kOrders, kStack, kMemo>;

  ROUNDHOUSE_DEVICE WarpSearch(const Lanes& lanes, Memory& memory) : lanes_(lanes), memory_(memory) {}

  /// `record` is read by all lanes together.
  ROUNDHOUSE_DEVICE Answer solve(const int32_t* record) {
    load(record);
    pushRoot();
    bool overflow = false;
    while (top_ > 0 && !overflow) overflow = !round();
    if (overflow) return {kUnsolved, 0};
    if (bestCost_ == INT32_MAX) return {kInfeasible, 0};
    return {bestCost_, bestPrefix_};
  }

 private:
  struct Terms {
    uint32_t pickup, dropoff;
    int32_t pickupReady, pickupToDropoff, promised, latest, postService;
  };
  struct Label {
    int32_t at, cost, shareLeft, load;
    uint32_t prefix, state, open;

    ROUNDHOUSE_DEVICE uint32_t visited() const { return state & 0xffff; }
    ROUNDHOUSE_DEVICE uint64_t whole() const { return static_cast<uint64_t>(state >> 16) << 32 | prefix; }
  };

  static constexpr int kRankBits = 5;

  ROUNDHOUSE_DEVICE uint32_t lanesBelow() const { return (1u << lanes_.lane()) - 1; }
  ROUNDHOUSE_DEVICE const NarrowHead& head() const { return *reinterpret_cast<const NarrowHead*>(memory_.record); }
  ROUNDHOUSE_DEVICE NarrowStop& stop(int number) const {
    return reinterpret_cast<NarrowStop*>(memory_.record + kHeadWords)[number - 1];
  }

  ROUNDHOUSE_DEVICE void load(const int32_t* record) {
    const int lane = lanes_.lane();
    struct alignas(16) Four {
      int32_t word[4];
    };
    const auto* from = reinterpret_cast<const Four*>(record);
    auto* to = reinterpret_cast<Four*>(memory_.record);
    for (int four = lane; four < searchRecordWords(kOrders) / 4; four += 32) to[four] = from[four];
    for (int entry = lane; entry < kMemo; entry += 32) memory_.memo[entry].state = 0;
    lanes_.sync();
    stops_ = head().stopCount;
    legs_ = memory_.record + kHeadWords + kStopWords * stops_;
    weightLateness_ = head().weightLateness;
    weightDuration_ = head().weightDuration;
    weightFreshness_ = head().weightFreshness;
    latestPickup_ = head().latestPickup;
    capacity_ = head().capacity;
    fillShortest();
    fillShares();
    readTerms();
  }

  /// As fillShortest of prepared.hpp, each lane with some cells: row and column of `via` do not change while it is
  /// tried, and no cell of them does, since ways and services are at least 0.
  ROUNDHOUSE_DEVICE void fillShortest() {
    constexpr int kMost = (Memory::kStops + 1) * Memory::kStops;
    constexpr int kEach = (kMost + 31) / 32;
    const int cells = (stops_ + 1) * stops_;
    int32_t way[kEach];
    int row[kEach];
    ROUNDHOUSE_UNROLL
    for (int each = 0; each < kEach; ++each) {
      const int cell = lanes_.lane() + 32 * each;
      way[each] = cell < cells ? legs_[cell] : 0;
      row[each] = cell / stops_ * stops_;
      if (cell < cells) memory_.shortest[cell] = way[each];
    }
    lanes_.sync();
    for (int via = 1; via <= stops_; ++via) {
      const int32_t service = stop(via).postService;
      const int32_t* toVia = memory_.shortest + via - 1;
      const int32_t* onward = memory_.shortest + via * stops_;
      ROUNDHOUSE_UNROLL
      for (int each = 0; each < kEach; ++each) {
        const int cell = lanes_.lane() + 32 * each;
        if (cell >= cells) continue;
        const int32_t around = toVia[row[each]] + service + onward[cell - row[each]];
        if (around < way[each]) memory_.shortest[cell] = way[each] = around;
      }
      lanes_.sync();
    }
  }

  ROUNDHOUSE_DEVICE void fillShares() {
    const int to = lanes_.lane() + 1;
    if (to <= stops_) {
      NarrowStop& target = stop(to);
      int32_t least = INT32_MAX;
      for (int from = 0; from <= stops_; ++from) {
        const bool never = from == to || (from == 0 ? target.before != 1u : (stop(from).before >> to & 1) != 0);
        if (!never) least = smaller(least, legs_[from * stops_ + to - 1]);
      }
      target.share = (least == INT32_MAX ? 0 : least) + target.postService;
    }
    lanes_.sync();
  }

  /// Every lane has the orders' numbers in registers.
  ROUNDHOUSE_DEVICE void readTerms() {
    ROUNDHOUSE_UNROLL
    for (int order = 0; order < kOrders; ++order) {
      const int packed = head().order[order];
      const int pickup = packed & 15;
      const int dropoff = packed >> 4;
      Terms& terms = terms_[order];
      terms = {static_cast<uint32_t>(pickup), static_cast<uint32_t>(dropoff), 0, 0, 0, 0, 0};
      if (dropoff == 0) continue;
      const NarrowStop& last = stop(dropoff);
      terms.promised = last.promised;
      terms.latest = last.latest;
      terms.postService = last.postService;
      if (pickup == 0) continue;
      terms.pickupReady = stop(pickup).ready;
      terms.pickupToDropoff = stop(pickup).postService + memory_.shortest[pickup * stops_ + dropoff - 1];
    }
  }

  ROUNDHOUSE_DEVICE uint32_t openAfter(uint32_t visited) const {
    uint32_t open = 0;
    for (int number = 1; number <= stops_; ++number) {
      if ((visited >> number & 1) == 0 && (stop(number).before & ~visited) == 0) open |= 1u << number;
    }
    return open;
  }

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
    grouped_ = head().grouped != 0;
    top_ = 1;
    lanes_.sync();
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

  /// Goes on to stop `to`; false where a hard limit is broken.
  ROUNDHOUSE_DEVICE bool extend(Label& label, int to) const {
    const NarrowStop& next = stop(to);
    const int row = label.visited() == 1 ? 0 : static_cast<int>(label.prefix & 15) + 1;
    const int32_t served = larger(label.at + legs_[row * stops_ + to - 1], next.ready);
    label.load += next.loadChange;
    const bool isPickup = next.opens != 0;
    const int32_t added = weightLateness_ * larger(0, served - next.promised) + weightFreshness_ * served;
    label.cost += isPickup ? 0 : added;
    label.at = served + next.postService;
    label.shareLeft -= next.share;
    label.state = ((label.state | 1u << to) & 0xffff) | label.state >> 16 << 20 | label.prefix >> 28 << 16;
    label.prefix = label.prefix << 4 | static_cast<uint32_t>(to - 1);
    label.open = grouped_ ? openAfter(label.visited()) : (label.open & ~(1u << to)) | next.opens;
    return (served <= next.latest) & !(isPickup & (label.load > capacity_));
  }

  /// As lowerBound of bound.hpp; false where some order can't make its limits any more.
  ROUNDHOUSE_DEVICE bool lowerBound(const Label& label, int32_t& bound) const {
    const int32_t* way = memory_.shortest + ((label.prefix & 15) + 1) * static_cast<uint32_t>(stops_) - 1;
    int32_t end = label.at + label.shareLeft;
    int32_t late = 0;
    int32_t fresh = 0;
    bool possible = true;
    const uint32_t visited = label.visited();
    ROUNDHOUSE_UNROLL
    for (int order = 0; order < kOrders; ++order) {
      const Terms& terms = terms_[order];
      const bool isOpen = (visited >> terms.dropoff & 1) == 0;
      const bool waits = (visited >> terms.pickup & 1) == 0;
      int32_t served = label.at + way[waits ? terms.pickup : terms.dropoff];
      served = larger(served, waits ? terms.pickupReady : 0);
      possible = possible & !(waits & (served > latestPickup_));
      served += waits ? terms.pickupToDropoff : 0;
      possible = possible & !(isOpen & (served > terms.latest));
      late += isOpen ? larger(0, served - terms.promised) : 0;
      fresh += isOpen ? served : 0;
      end = larger(end, isOpen ? served + terms.postService : 0);
    }
    bound = label.cost + weightLateness_ * late + weightFreshness_ * fresh + weightDuration_ * end;
    return possible;
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
    if (survives) {
      const int index = top_ + count - 1 - rank;
      memory_.bound[index] = bound;
      memory_.at[index] = label.at;
      memory_.cost[index] = label.cost;
      memory_.prefix[index] = label.prefix;
      memory_.state[index] = label.state;
      memory_.openLoad[index] = label.open | static_cast<uint32_t>(label.load) << 16;
      memory_.shareLeft[index] = label.shareLeft;
    }
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

  const Lanes& lanes_;
  Memory& memory_;
  Terms terms_[kOrders];
  const int32_t* legs_ = nullptr;
  uint64_t bestPrefix_ = UINT64_MAX;
  int32_t bestCost_ = INT32_MAX;
  int32_t weightLateness_ = 0;
  int32_t weightDuration_ = 0;
  int32_t weightFreshness_ = 0;
  int32_t latestPickup_ = 0;
  int32_t capacity_ = 0;
  int stops_ = 0;
  int top_ = 0;
  bool grouped_ = false;
};

}  // namespace roundhouse::route_planner::gpu
