#pragma once

#include "narrow.hpp"

namespace roundhouse::route_planner::gpu {

/// Problems of a group run the same code for about as long. In the order of a batch: trees by orders, orders on board
/// and whether capacity may bind; then searches, the most stops first.
using Group = uint8_t;

/// Those of trees: orders on board, times whether capacity may bind.
ROUNDHOUSE_HD constexpr int treeGroupsOf(int orders) { return 2 * (orders + 1); }
constexpr int kTreeGroups = 28;
/// Of searches: by stops.
constexpr int kSearchSizes = kMaxExactStops + 1;

ROUNDHOUSE_HD constexpr Group firstTreeGroup(int orders) {
  int first = 0;
  for (int fewer = 1; fewer < orders; ++fewer) first += treeGroupsOf(fewer);
  return static_cast<Group>(first);
}
ROUNDHOUSE_HD constexpr Group treeGroup(int orders, int held, bool capacity) {
  return static_cast<Group>(firstTreeGroup(orders) + 2 * held + (capacity ? 1 : 0));
}
/// Up to 5 orders in one kernel, 6 in another, 7 in a third.
ROUNDHOUSE_HD constexpr Group firstSearchGroup(int orders) {
  return static_cast<Group>(kTreeGroups + (orders <= 5 ? 0 : orders - 5) * kSearchSizes);
}
ROUNDHOUSE_HD constexpr Group searchGroup(int orders, int stops) {
  return static_cast<Group>(firstSearchGroup(orders) + kSearchSizes - 1 - stops);
}
constexpr Group kGeneralGroup = kTreeGroups + 3 * kSearchSizes;
/// Answered at once: no stops.
constexpr Group kNoneGroup = kGeneralGroup + 1;
constexpr Group kRefusedGroup = kNoneGroup + 1;
constexpr int kGroups = kRefusedGroup + 1;

static_assert(firstTreeGroup(5) == kTreeGroups);

ROUNDHOUSE_HD constexpr Group groupOf(const Choice& choice, int stops) {
  switch (choice.kernel) {
    case Kernel::none: return kNoneGroup;
    case Kernel::tree: return treeGroup(choice.orders, choice.held, choice.capacity);
    case Kernel::search: return searchGroup(choice.orders, stops);
    case Kernel::general: break;
  }
  return kGeneralGroup;
}

}  // namespace roundhouse::route_planner::gpu
