#pragma once

#include "search_memory.hpp"
#include "warp.hpp"

namespace roundhouse::route_planner::gpu {

/// A prefix of a route of a narrow problem; as SearchMemory keeps it.
struct WarpLabel {
  int32_t at, cost, shareLeft, load;
  uint32_t prefix, state, open;

  ROUNDHOUSE_DEVICE uint32_t visited() const { return state & 0xffff; }
  ROUNDHOUSE_DEVICE uint64_t whole() const { return static_cast<uint64_t>(state >> 16) << 32 | prefix; }
};

/// A narrow problem in a warp's shared memory and registers: one step of a route and its bound.
template <class Lanes, int kOrders, class Memory>
class WarpProblem {
 protected:
  using Label = WarpLabel;
  struct Terms {
    uint32_t pickup, dropoff;
    int32_t pickupReady, pickupToDropoff, promised, latest, postService;
  };

  ROUNDHOUSE_DEVICE WarpProblem(const Lanes& lanes, Memory& memory) : lanes_(lanes), memory_(memory) {}

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
    // A record is as long as its stops need; what lies behind it is another's or was never written.
    stops_ = reinterpret_cast<const NarrowHead*>(record)->stopCount;
    for (int four = lane; four < searchRecordWords(stops_) / 4; four += 32) to[four] = from[four];
    for (int entry = lane; entry < Memory::kMemoEntries; entry += 32) memory_.memo[entry].state = 0;
    lanes_.sync();
    legs_ = memory_.record + kHeadWords + kStopWords * stops_;
    weightLateness_ = head().weightLateness;
    weightDuration_ = head().weightDuration;
    weightFreshness_ = head().weightFreshness;
    latestPickup_ = head().latestPickup;
    capacity_ = head().capacity;
    grouped_ = head().grouped != 0;
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

  const Lanes& lanes_;
  Memory& memory_;
  Terms terms_[kOrders];
  const int32_t* legs_ = nullptr;
  int32_t weightLateness_ = 0;
  int32_t weightDuration_ = 0;
  int32_t weightFreshness_ = 0;
  int32_t latestPickup_ = 0;
  int32_t capacity_ = 0;
  int stops_ = 0;
  bool grouped_ = false;
};

}  // namespace roundhouse::route_planner::gpu
