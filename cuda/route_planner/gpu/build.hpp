#pragma once

#include "device_batch.hpp"
#include "narrow.hpp"
#include "summary.hpp"
#include "warp.hpp"

/**
 * Problems of a source become records that the kernels read, grouped, without the host: a lane a problem builds, checks
 * and chooses; then every problem's item goes to its place among those of its group.
 *
 * A source is a value with `bool operator()(int index, Problem& out) const`, on the device: it fills every field that
 * algo/ reads of problem `index`, or says false where there is none to be had (the status is then kUnreadable). It may
 * be asked for a problem more than once.
 */
namespace roundhouse::route_planner::gpu {

/// Where the record of a problem lies, and which of its group it is.
struct Place {
  uint32_t offset;
  uint32_t rank;
};

struct HardSearch;

/// Device memory of a batch of `count` problems, of which the first is number `first` of the source.
struct Building {
  int first;
  int count;
  std::byte* d_arena;
  Place* d_places;
  /// Room for twice as many: searches that give up are appended.
  Item* d_items;
  Summary* d_summaries;
  Answer* d_answers;
  Counters* d_counters;
  /// Those of 4 orders are for the warps that search, not for trees.
  bool searches4 = false;
  /// Room for kMostHard searches that are handed over (split.hpp).
  HardSearch* d_hard = nullptr;
};

/// Records begin at whole sectors of the GPU's memory.
constexpr uint32_t kRecordAlign = 2;

ROUNDHOUSE_HD constexpr uint32_t recordUnits(int words) {
  return (static_cast<uint32_t>(words) + 4 * kRecordAlign - 1) / (4 * kRecordAlign) * kRecordAlign;
}
constexpr uint32_t kMostRecordUnits = recordUnits(searchRecordWords(kMaxExactStops));

namespace detail {

/// 16-byte units that the record takes.
ROUNDHOUSE_HD inline uint32_t unitsOf(const Choice& choice, int stops) {
  if (choice.kernel == Kernel::search) return recordUnits(searchRecordWords(stops));
  return choice.kernel == Kernel::tree ? recordUnits(treeForm(choice).words(choice.capacity)) : 0;
}

ROUNDHOUSE_HD inline void fillRecord(const Problem& problem, const Checked& checked, const Choice& choice,
                                     int32_t* out) {
  if (choice.kernel == Kernel::search) fillSearchRecord(problem, checked, out);
  if (choice.kernel == Kernel::tree) fillTreeRecord(problem, checked, choice, out);
}

}  // namespace detail

/// Builds problem `number` of a batch with the other lanes' of a warp; beyond `count` a lane only takes part.
template <class Lanes, class Source>
ROUNDHOUSE_DEVICE void buildProblem(const Lanes& lanes, const Source& source, const Building& to, int number) {
  Problem problem;
  Checked checked;
  Choice choice{Kernel::none, 0, 0, false};
  Summary summary{kUnreadable, 0, 0, kRefusedGroup};
  const bool exists = number < to.count;
  if (exists) {
    if (source(to.first + number, problem)) {
      summary = {check(problem, checked), static_cast<uint8_t>(problem.stopCount),
                 static_cast<uint8_t>(problem.orderCount), kRefusedGroup};
    }
    if (summary.status == PrepareStatus::ok) {
      choice = choose(checked);
      if (to.searches4 && choice.kernel == Kernel::tree && choice.orders == 4) choice.kernel = Kernel::search;
      summary.group = groupOf(choice, checked.stopCount);
    }
  }
  const int lane = lanes.lane();
  const uint32_t units = detail::unitsOf(choice, summary.stopCount);
  uint32_t upToMine = units;
  for (int step = 1; step < 32; step *= 2) {
    const uint32_t below = lanes.up(step, upToMine);
    upToMine += lane >= step ? below : 0;
  }
  uint32_t start = 0;
  if (lane == 31) start = lanes.add(&to.d_counters->arena, upToMine);
  const uint32_t offset = lanes.from(31, start) + upToMine - units;
  // Lanes beyond the end count with none of the groups.
  const uint32_t peers = lanes.same(exists ? summary.group : uint32_t{kGroups});
  uint32_t rank = 0;
  if (exists && lowestBit(peers) == lane) {
    rank = lanes.add(&to.d_counters->perGroup[summary.group], static_cast<uint32_t>(countBits(peers)));
  }
  rank = lanes.from(lowestBit(peers), rank) + static_cast<uint32_t>(countBits(peers & ((1u << lane) - 1)));
  if (!exists) return;
  if (units > 0) detail::fillRecord(problem, checked, choice, reinterpret_cast<int32_t*>(to.d_arena + std::size_t{16} * offset));
  to.d_places[number] = {offset, rank};
  to.d_summaries[number] = summary;
  to.d_answers[number] = {summary.group == kNoneGroup ? 0 : kInfeasible, 0};
}

/// Puts the item of problem `number` where its group's kernel finds it; `firsts` is firstOf each group.
ROUNDHOUSE_DEVICE void placeItem(const Building& to, int number, const uint32_t* firsts) {
  const Group group = to.d_summaries[number].group;
  if (group > kGeneralGroup) return;
  const Place place = to.d_places[number];
  to.d_items[firsts[group] + place.rank] = {place.offset, static_cast<uint32_t>(number)};
}

}  // namespace roundhouse::route_planner::gpu
