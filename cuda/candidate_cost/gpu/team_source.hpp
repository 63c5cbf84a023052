#pragma once

#include "../../route_planner/gpu/team_build.hpp"
#include "shard_steps.hpp"

namespace roundhouse::candidate_cost::gpu {

/// CandidateSource for teams (team_build.hpp): a lane an order, then a lane a stop, then a lane a way between two stops.
struct TeamCandidateSource : CandidateSource {
  /// Rows of the tables that a candidate's problem is made of.
  struct Scratch {
    int32_t orders[route_planner::kMaxOrders][layout::ORDER_COLUMNS];
    OrderTimes times[route_planner::kMaxOrders];
    int32_t onBoard[route_planner::kMaxOrders];
    int32_t places[route_planner::kMaxStops + 1];
    int32_t at[route_planner::kMaxStops + 1][layout::PLACE_COLUMNS];
  };

  template <class Team>
  ROUNDHOUSE_DEVICE bool together(const Team& team, int index, bool exists, route_planner::Problem& problem,
                                  Scratch& scratch) const {
    const int number = exists ? batch.shardOf(index) : 0;
    const DeviceShard& shard = batch.shards[number];
    exists = exists && batch.states[number].isGood();
    const int row = exists ? index - shard.firstCandidate : 0;
    Rows rows{};
    if (exists) rows = rowsOf(shard, row);
    // What a peer has changed since the host counted.
    exists = exists && rows.held >= 0 && rows.bundled >= 0 && rows.held + rows.bundled <= route_planner::kMaxOrders;
    if (exists) fetchOrders(team, shard, rows, scratch);
    team.sync();
    if (team.lane() == 0) {
      if (exists) {
        addOrders(shard.tables, rows, problem, scratch);
      } else {
        problem.stopCount = problem.orderCount = 0;
        problem.weightLateness = problem.weightDuration = problem.weightFreshness = 0;
        problem.startAt = 0;
      }
    }
    team.sync();
    const int stops = exists ? problem.stopCount : -1;
    ROUNDHOUSE_ROLLED
    for (int stop = team.lane(); stop <= stops; stop += Team::size) {
      const int32_t* place = shard.tables.place(scratch.places[stop]);
      for (int column = 0; column < layout::PLACE_COLUMNS; ++column) scratch.at[stop][column] = place[column];
    }
    team.sync();
    const bool fits = !exists || fillTravelTogether(team, travelOf(shard, batch.states[number], rows.vehicle), stops,
                                                    problem, scratch);
    return !team.any(!fits) && exists;
  }

 private:
  struct Rows {
    const uint16_t* bundle;
    const int32_t* courier;
    int32_t vehicle;
    int32_t held;
    int32_t bundled;
  };

  static ROUNDHOUSE_DEVICE Rows rowsOf(const DeviceShard& shard, int row) {
    const uint16_t* candidate = shard.tables.candidate(row);
    const int32_t* courier = shard.tables.courier(candidate[layout::CandidateColumn::courier]);
    return {candidate + layout::CandidateColumn::firstOrder, courier, courier[layout::CourierColumn::vehicle],
            courier[layout::CourierColumn::heldCount], shard.tables.bundleSize(row)};
  }

  template <class Team>
  ROUNDHOUSE_DEVICE void fetchOrders(const Team& team, const DeviceShard& shard, const Rows& rows, Scratch& to) const {
    ROUNDHOUSE_ROLLED
    for (int index = team.lane(); index < rows.held + rows.bundled; index += Team::size) {
      int32_t row = 0;
      int32_t onBoard = 0;
      if (index < rows.held) {
        const int32_t* held = shard.tables.heldOrder(rows.courier[layout::CourierColumn::heldOffset] + index);
        row = held[layout::HeldColumn::order];
        onBoard = held[layout::HeldColumn::onBoard];
      } else {
        row = rows.bundle[index - rows.held];
      }
      const int32_t* order = shard.tables.order(row);
      ROUNDHOUSE_UNROLL
      for (int column = 0; column < layout::ORDER_COLUMNS; ++column) to.orders[index][column] = order[column];
      to.times[index] = batch.times[shard.firstOrder + row];
      to.onBoard[index] = onBoard;
    }
  }

  /// As buildProblem, by one lane: a stop's number depends on those before it.
  static ROUNDHOUSE_DEVICE void addOrders(const ShardTables& tables, const Rows& rows, route_planner::Problem& problem,
                                          Scratch& from) {
    const detail::ProblemParts out{problem, from.places};
    detail::beginProblem(tables, rows.courier, out);
    int trip = 0;
    ROUNDHOUSE_ROLLED
    for (int index = 0; index < rows.held + rows.bundled; ++index) {
      const bool held = index < rows.held;
      if (index > rows.held && detail::beginsTrip(tables, from.orders[index - 1], from.orders[index])) ++trip;
      const auto group = held ? route_planner::Group::held : detail::groupOfTrip(trip);
      detail::addOrder(tables, from.orders[index], from.times[index], held && from.onBoard[index] != 0, group, out);
    }
  }

  /// Of one vehicle class, which stands in the first place: no index is computed at run time.
  static ROUNDHOUSE_DEVICE TravelModel travelOf(const DeviceShard& shard, const ShardState& state, int32_t vehicle) {
    TravelModel travel{};
    travel.quantum = shard.tables.params[layout::Param::quantumSeconds];
    travel.metresPerHour[0] = shard.tables.params[layout::Param::metresPerHour + vehicle];
    travel.factorPerMille[0] = state.rideFactors[vehicle];
    travel.matrix = shard.tables.params[layout::Param::travelKind] == 1 ? shard.layers[vehicle] : nullptr;
    travel.zones = shard.zones;
    return travel;
  }

  /// Two stops, from < to, in the order of `to`.
  struct Pair {
    int from = 0;
    int to = 1;
    ROUNDHOUSE_DEVICE explicit Pair(int number) { move(number); }
    ROUNDHOUSE_DEVICE void move(int by) {
      from += by;
      while (from >= to) from -= to++;
    }
  };

  /// As detail::fillTravel; false in a lane that found a time above INT32.
  template <class Team>
  static ROUNDHOUSE_DEVICE bool fillTravelTogether(const Team& team, const TravelModel& travel, int stops,
                                                   route_planner::Problem& problem, const Scratch& scratch) {
    ROUNDHOUSE_ROLLED
    for (int stop = team.lane(); stop <= stops; stop += Team::size) problem.travel[stop][stop] = 0;
    int64_t longest = 0;
    bool back = false;
    ROUNDHOUSE_ROLLED
    for (Pair pair(team.lane()); pair.to <= stops;) {
      const int from = back ? pair.to : pair.from;
      const int to = back ? pair.from : pair.to;
      const int64_t seconds = travelSeconds(travel, 0, scratch.at[from], scratch.at[to]);
      longest = larger(longest, seconds);
      problem.travel[from][to] = static_cast<int32_t>(seconds);
      if (travel.matrix == nullptr) problem.travel[to][from] = static_cast<int32_t>(seconds);
      // By zones the way back is another one; there is none to the start.
      back = !back && travel.matrix != nullptr && from > 0;
      if (!back) pair.move(Team::size);
    }
    return longest <= INT32_MAX;
  }
};

}  // namespace roundhouse::candidate_cost::gpu
