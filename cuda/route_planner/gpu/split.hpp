#pragma once

#include "build.hpp"
#include "search.hpp"

/**
 * Searches that take long are handed over and split at the root: a warp each for the routes that begin with the same two
 * stops, which tell each other the cheapest cost found. The answer is the one of the whole search: the cheapest route, and
 * of equally cheap ones the smallest, whichever warp is first.
 */
namespace roundhouse::route_planner::gpu {

/// Rounds. A search that nobody would wait for: of the worst kind of 6 orders one in fifty is not over after a third of it.
constexpr int kHandOverAfter = 3000;
/// Of a batch; later ones go on where they are.
constexpr uint32_t kMostHard = 256;
/// First stop times second stop.
constexpr uint32_t kPieces = kMaxExactStops * kMaxExactStops;

struct HardSearch {
  Item item;
  /// The cheapest cost known; INT32_MAX: none.
  int32_t cheapest;
  /// Pieces that have no answer yet.
  uint32_t left;
  Answer pieces[kPieces];
};

/// Hands the search of `item` over; false where there are too many.
template <class Lanes>
ROUNDHOUSE_DEVICE bool handOver(const Lanes& lanes, const Building& batch, const Item& item, int32_t cheapest) {
  const uint32_t mine = lanes.lane() == 0 ? lanes.add(&batch.d_counters->hard, 1) : 0;
  const uint32_t number = lanes.from(0, mine);
  if (number >= kMostHard) return false;
  HardSearch& hard = batch.d_hard[number];
  if (lanes.lane() == 0) {
    hard.item = item;
    hard.cheapest = cheapest;
    hard.left = kPieces;
  }
  return true;
}

namespace detail {

/// Of all pieces; kUnsolved where one of them is.
template <class Lanes>
ROUNDHOUSE_DEVICE Answer answerOf(const Lanes& lanes, const HardSearch& hard) {
  Answer best{kInfeasible, UINT64_MAX};
  bool unsolved = false;
  for (uint32_t piece = static_cast<uint32_t>(lanes.lane()); piece < kPieces; piece += 32) {
    const Answer answer{lanes.now(&hard.pieces[piece].cost), lanes.now(&hard.pieces[piece].route)};
    unsolved = unsolved || answer.cost == kUnsolved;
    const bool better = answer.cost < best.cost || (answer.cost == best.cost && answer.route < best.route);
    if (answer.cost < kHandedOver && better) best = answer;
  }
  for (int step = 16; step > 0; step /= 2) {
    const Answer other{lanes.across(step, best.cost), lanes.across(step, best.route)};
    if (other.cost < best.cost || (other.cost == best.cost && other.route < best.route)) best = other;
  }
  if (lanes.ballot(unsolved) != 0) return {kUnsolved, 0};
  return best.cost == kInfeasible ? Answer{kInfeasible, 0} : best;
}

}  // namespace detail

/// Takes pieces of the searches that were handed over, one after the other, until none is left.
template <class Lanes, int kOrders, int kStack, int kMemo>
ROUNDHOUSE_DEVICE void solvePieces(const Lanes& lanes, const Building& batch, int firstGeneral,
                                   SearchMemory<kOrders, kStack, kMemo>& memory) {
  Counters& counters = *batch.d_counters;
  const uint32_t total = kPieces * smaller(counters.hard, kMostHard);
  while (total > 0) {
    const uint32_t mine = lanes.lane() == 0 ? lanes.add(&counters.pieces, 1) : 0;
    const uint32_t number = lanes.from(0, mine);
    if (number >= total) return;
    HardSearch& hard = batch.d_hard[number / kPieces];
    const auto piece = static_cast<int>(number % kPieces);
    WarpSearch<Lanes, kOrders, kStack, kMemo> search(lanes, memory);
    const auto* record = reinterpret_cast<const int32_t*>(batch.d_arena + std::size_t{16} * hard.item.offset);
    const Answer answer = search.solvePiece(record, piece / kMaxExactStops + 1, piece % kMaxExactStops + 1, &hard.cheapest);
    uint32_t left = 0;
    if (lanes.lane() == 0) {
      hard.pieces[piece] = answer;
      lanes.publish();
      left = lanes.add(&hard.left, UINT32_MAX);
    }
    lanes.sync();
    if (lanes.from(0, left) != 1) continue;
    lanes.publish();
    const Answer whole = detail::answerOf(lanes, hard);
    if (lanes.lane() != 0) continue;
    batch.d_answers[hard.item.index] = whole;
    if (whole.cost != kUnsolved) continue;
    const uint32_t behind = counters.perGroup[kGeneralGroup] + lanes.add(&counters.unsolved, 1);
    batch.d_items[static_cast<uint32_t>(firstGeneral) + behind] = hard.item;
  }
}

}  // namespace roundhouse::route_planner::gpu
