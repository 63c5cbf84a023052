#pragma once

#include "build.hpp"
#include "team_check.hpp"

/**
 * Problems become records as in build.hpp, but several lanes build one together, in memory that they share: for few
 * problems, which are not enough to hide that one lane builds one alone.
 *
 * The source has, beyond what build.hpp says, a type `Scratch` and
 * `bool together(team, index, exists, Problem& out, Scratch& scratch) const`, which all lanes of a warp call: as its
 * operator(), with the counts of `out` 0 where it says false. Where `exists` is false there is no such problem.
 */
namespace roundhouse::route_planner::gpu {

/// What the lanes of a team share. The source's scratch is done with when the problem is there.
template <class Source>
struct TeamWork {
  Problem problem;
  union {
    Checked checked;
    typename Source::Scratch scratch;
  };
};

/// Words behind `words`, at least one, that make teams of `size` lanes as many banks apart.
ROUNDHOUSE_HD constexpr int bankPadding(int words, int size) { return ((size - words) % 32 + 63) % 32 + 1; }

template <class Source, int kSize>
struct TeamMemory : TeamWork<Source> {
  int32_t unused[bankPadding(sizeof(TeamWork<Source>) / 4, kSize)];
};

namespace detail {

/// TreeForm::wayIndex of a way that is possible, without a loop.
ROUNDHOUSE_HD constexpr int wayIndexOf(const TreeForm& form, int from, int to) {
  if (from < 0) return to < form.held ? to : form.held + (to - form.held) / 2;
  const bool dropoff = from > form.held && (from - form.held) % 2 == 1;
  const int dropoffsBefore = from > form.held ? (from - form.held) / 2 : 0;
  const int row = form.orders + from * (form.stops() - 1) - dropoffsBefore;
  return row + to - (to > from ? 1 : 0) - (dropoff && to > from - 1 ? 1 : 0);
}

/// The problem's number of a tree's stop; 0 for −1, the start.
ROUNDHOUSE_DEVICE int numberOf(const Checked& problem, const TreeForm& form, uint32_t treeOrder, int stop) {
  if (stop < 0) return 0;
  const SearchOrder& order = problem.orders[treeOrder >> 4 * form.orderOf(stop) & 15];
  return form.isPickup(stop) ? order.pickup : order.dropoff;
}

/// As fillTreeRecord.
template <class Team>
ROUNDHOUSE_DEVICE void fillTreeTogether(const Team& team, const Problem& whole, const Checked& problem,
                                        const TeamChoice& chosen, int64_t ready, int32_t* out) {
  const TreeForm form = treeForm(chosen.choice);
  const int stops = form.stops();
  ROUNDHOUSE_ROLLED
  for (int cell = team.lane(); cell < (stops + 1) * stops; cell += Team::size) {
    const int from = cell / stops - 1;
    const int to = cell % stops;
    if (!form.hasWay(from, to)) continue;
    const int last = numberOf(problem, form, chosen.treeOrder, to);
    out[wayIndexOf(form, from, to)] = static_cast<int32_t>(
        legOf(whole, numberOf(problem, form, chosen.treeOrder, from), last) + problem.stops[last].postService);
  }
  ROUNDHOUSE_ROLLED
  for (int index = team.lane(); index < form.orders; index += Team::size) {
    const SearchOrder& served = problem.orders[chosen.treeOrder >> 4 * index & 15];
    if (index >= form.held) {
      out[form.pickupWord() + index - form.held] = static_cast<int32_t>(
          relative(problem, served.pickupReady, 0, kNarrowTime) + problem.stops[served.pickup].postService);
    }
    out[form.promisedWord() + index] = -static_cast<int32_t>(promisedAt(problem, served) + served.dropoffPostService);
  }
  if (team.lane() != 0) return;
  int32_t* weights = out + form.weightWord();
  weights[0] = narrowWeight(problem.weightLateness);
  weights[1] = narrowWeight(problem.weightDuration);
  weights[2] = narrowWeight(problem.weightFreshness);
  weights[3] = problem.weightFreshness == 0 ? 0 : static_cast<int32_t>(-problem.weightFreshness * ready);
  uint32_t packed = 0;
  ROUNDHOUSE_ROLLED
  for (int stop = 0; stop < stops; ++stop) {
    packed |= static_cast<uint32_t>(numberOf(problem, form, chosen.treeOrder, stop) - 1) << 4 * stop;
  }
  out[form.numbersWord()] = static_cast<int32_t>(packed);
  const int words = form.words(chosen.choice.capacity);
  ROUNDHOUSE_ROLLED
  for (int word = form.overfullWord(); word < words; ++word) out[word] = 0;
  if (chosen.choice.capacity) out[form.overfullWord()] = static_cast<int32_t>(chosen.overfull);
}

/// As fillSearchRecord.
template <class Team>
ROUNDHOUSE_DEVICE void fillSearchTogether(const Team& team, const Problem& whole, const Checked& problem, bool grouped,
                                          int64_t ready, int32_t* out) {
  auto& head = *reinterpret_cast<NarrowHead*>(out);
  constexpr int kOrderWords = sizeof head.order / sizeof head.order[0];
  ROUNDHOUSE_ROLLED
  for (int index = team.lane(); index < kOrderWords; index += Team::size) {
    const bool is = index < problem.orderCount;
    head.order[index] = is ? problem.orders[index].pickup | problem.orders[index].dropoff << 4 : 0;
  }
  if (team.lane() == 0) {
    head.stopCount = problem.stopCount;
    head.orderCount = problem.orderCount;
    head.startLoad = static_cast<int32_t>(problem.startLoad);
    head.capacity = static_cast<int32_t>(smaller(larger<int64_t>(problem.capacity, -1), kNarrowLoad));
    head.weightLateness = narrowWeight(problem.weightLateness);
    head.weightDuration = narrowWeight(problem.weightDuration);
    head.weightFreshness = narrowWeight(problem.weightFreshness);
    head.base = problem.weightFreshness == 0 ? 0 : static_cast<int32_t>(-problem.weightFreshness * ready);
    head.latestPickup = relative(problem, problem.latestPickup, -1, 2 * kNarrowTime);
    head.grouped = grouped ? 1 : 0;
  }
  const int stops = problem.stopCount;
  auto* to = reinterpret_cast<NarrowStop*>(out + kHeadWords);
  ROUNDHOUSE_ROLLED
  for (int stop = 1 + team.lane(); stop <= stops; stop += Team::size) to[stop - 1] = narrowStop(problem, stop);
  int32_t* const legs = out + kHeadWords + kStopWords * stops;
  const int cells = (stops + 1) * stops;
  ROUNDHOUSE_ROLLED
  for (int cell = team.lane(); cell < cells; cell += Team::size) {
    legs[cell] = static_cast<int32_t>(legOf(whole, cell / stops, cell % stops + 1));
  }
  int32_t* const end = out + searchRecordWords(stops);
  ROUNDHOUSE_ROLLED
  for (int32_t* word = legs + cells + team.lane(); word < end; word += Team::size) *word = 0;
}

/// Σ ready relative to the start, of a tree with the service at the drop-offs.
template <class Team>
ROUNDHOUSE_DEVICE int64_t readyTogether(const Team& team, const Checked& problem, int orders, bool tree) {
  int64_t ready = 0;
  ROUNDHOUSE_ROLLED
  for (int index = team.lane(); index < orders; index += Team::size) {
    const SearchOrder& order = problem.orders[index];
    ready += order.ready - problem.startAt + (tree ? order.dropoffPostService : 0);
  }
  return team.sum(ready);
}

}  // namespace detail

/// Where the record of the team's problem lies, and which of its group it is; the same in all lanes of the team. Lanes
/// whose problem doesn't exist take part.
template <class Team>
ROUNDHOUSE_DEVICE Place placeOf(const Team& team, const Building& to, bool exists, Group group, uint32_t units) {
  const auto& lanes = team.warp();
  const int lane = lanes.lane();
  const bool counts = exists && team.lane() == 0;
  const uint32_t own = counts ? units : 0;
  uint32_t upToMine = own;
  ROUNDHOUSE_ROLLED
  for (int step = 1; step < 32; step *= 2) {
    const uint32_t below = lanes.up(step, upToMine);
    upToMine += lane >= step ? below : 0;
  }
  uint32_t start = 0;
  if (lane == 31) start = lanes.add(&to.d_counters->arena, upToMine);
  const uint32_t offset = lanes.from(31, start) + upToMine - own;
  // Lanes that don't count are with none of the groups.
  const uint32_t peers = lanes.same(counts ? group : uint32_t{kGroups});
  uint32_t rank = 0;
  if (counts && lowestBit(peers) == lane) {
    rank = lanes.add(&to.d_counters->perGroup[group], static_cast<uint32_t>(countBits(peers)));
  }
  rank = lanes.from(lowestBit(peers), rank) + static_cast<uint32_t>(countBits(peers & ((1u << lane) - 1)));
  return {team.fromFirst(offset), team.fromFirst(rank)};
}

/// Builds problem `number` of a batch with the other lanes of its team; beyond `count` a team only takes part. `memory` is
/// the team's.
template <int kSize, class Lanes, class Source>
ROUNDHOUSE_DEVICE void buildTogether(const Lanes& lanes, const Source& source, const Building& to, int number,
                                     TeamMemory<Source, kSize>& memory) {
  const Team<Lanes, kSize> team(lanes);
  const bool exists = number < to.count;
  const bool readable = source.together(team, to.first + number, exists, memory.problem, memory.scratch);
  team.sync();
  const Problem& problem = memory.problem;
  const TeamChecked known = checkTogether(team, problem, memory.checked);
  const PrepareStatus status = readable ? known.status : kUnreadable;
  const TeamChoice chosen = chooseTogether(team, memory.checked, known, to.searches4);
  const bool ok = status == PrepareStatus::ok;
  Summary summary{status, 0, 0, kRefusedGroup};
  if (readable) {
    summary.stopCount = static_cast<uint8_t>(problem.stopCount);
    summary.orderCount = static_cast<uint8_t>(problem.orderCount);
  }
  if (ok) summary.group = groupOf(chosen.choice, known.stops);
  const Kernel kernel = ok ? chosen.choice.kernel : Kernel::none;
  const int64_t ready = detail::readyTogether(team, memory.checked, known.orders, kernel == Kernel::tree);
  const uint32_t units = ok ? detail::unitsOf(chosen.choice, known.stops) : 0;
  const Place place = placeOf(team, to, exists, summary.group, units);
  if (!exists) return;
  auto* const record = reinterpret_cast<int32_t*>(to.d_arena + std::size_t{16} * place.offset);
  if (kernel == Kernel::search) {
    detail::fillSearchTogether(team, problem, memory.checked, chosen.grouped, ready, record);
  } else if (kernel == Kernel::tree) {
    detail::fillTreeTogether(team, problem, memory.checked, chosen, ready, record);
  }
  if (team.lane() != 0) return;
  to.d_places[number] = place;
  to.d_summaries[number] = summary;
  to.d_answers[number] = {summary.group == kNoneGroup ? 0 : kInfeasible, 0};
}

}  // namespace roundhouse::route_planner::gpu
