#pragma once

#include "../../route_planner/algo/solve.hpp"
#include "bind_tables.hpp"
#include "validate.hpp"

namespace roundhouse::candidate_cost {

/// The times of one order that its plans use, known or predicted: seconds from the round's asOf, and services ≥ 0.
struct OrderTimes {
  int32_t readyAt;
  int32_t pickupPostService;
  int32_t dropoffPostService;
};

/// The times that the round states for an order; its flags say which of them are known.
ROUNDHOUSE_HD inline OrderTimes statedTimes(const int32_t* order) {
  return {order[layout::OrderColumn::readyAt], order[layout::OrderColumn::pickupPostService],
          order[layout::OrderColumn::dropoffPostService]};
}

/// A candidate as a route problem, with the place row of each stop (place 0 is the courier's).
struct CandidateProblem {
  route_planner::Problem problem;
  int32_t places[route_planner::kMaxStops + 1];
};

/// Memory for costing one candidate at a time.
struct CandidateWorkspace {
  CandidateProblem candidate;
  route_planner::Prepared prepared;
  route_planner::Workspace planner;
  /// Of the last search.
  int64_t nodes;
};

namespace detail {

ROUNDHOUSE_HD inline int64_t limitOf(int32_t value) {
  return value == layout::NO_LIMIT ? route_planner::kNoLimit : value;
}

/// A problem under construction, with the place row of each stop so far (place 0 is the courier's).
struct ProblemParts {
  route_planner::Problem& problem;
  int32_t* places;
};

/// The stop that an order at `place` joins, or 0: with mergePickups an earlier pickup of its group at its place.
ROUNDHOUSE_HD inline int pickupToJoin(const ShardTables& tables, const ProblemParts& parts, int32_t place,
                                      route_planner::Group group) {
  if (!tables.flag(layout::Param::mergePickups)) return 0;
  const route_planner::Problem& problem = parts.problem;
  ROUNDHOUSE_ROLLED
  for (int stop = 1; stop <= problem.stopCount; ++stop) {
    const route_planner::Stop& earlier = problem.stops[stop];
    if (earlier.kind == route_planner::StopKind::pickup && parts.places[stop] == place &&
        (problem.interleave || earlier.group == group)) {
      return stop;
    }
  }
  return 0;
}

ROUNDHOUSE_HD inline void addPickup(const ShardTables& tables, const int32_t* order, const OrderTimes& times,
                                    route_planner::Group group, uint8_t bit, const ProblemParts& out) {
  const int32_t place = order[layout::OrderColumn::pickupPlace];
  const int32_t before = order[layout::OrderColumn::pickupPreService];
  const int joined = pickupToJoin(tables, out, place, group);
  if (joined == 0) {
    out.places[++out.problem.stopCount] = place;
    out.problem.stops[out.problem.stopCount] = {route_planner::StopKind::pickup, group, bit, before,
                                                times.pickupPostService};
    return;
  }
  route_planner::Stop& stop = out.problem.stops[joined];
  stop.orders |= bit;
  stop.preService = larger(stop.preService, before);
  stop.postService = larger(stop.postService, times.pickupPostService);
}

/// Does an order of a bundle, a row of the table, begin another trip than the one before it?
ROUNDHOUSE_HD inline bool beginsTrip(const ShardTables& tables, const int32_t* before, const int32_t* order) {
  return tables.params[layout::Param::interleave] == layout::Interleave::tripByTrip &&
         order[layout::OrderColumn::pickupPlace] != before[layout::OrderColumn::pickupPlace];
}

ROUNDHOUSE_HD inline route_planner::Group groupOfTrip(int trip) {
  return static_cast<route_planner::Group>(static_cast<int>(route_planner::Group::bundle) + trip);
}

/// Appends an order, a row of the table, and its stops by the numbering rule of schemas/src/tensors.ts.
ROUNDHOUSE_HD inline void addOrder(const ShardTables& tables, const int32_t* order, const OrderTimes& times, bool onBoard,
                                   route_planner::Group group, const ProblemParts& out) {
  namespace C = layout::OrderColumn;
  const int index = out.problem.orderCount++;
  const auto bit = static_cast<uint8_t>(1u << index);
  out.problem.orders[index] = {times.readyAt, order[C::promisedAt], limitOf(order[C::latestDropoffAt]), order[C::size],
                               onBoard};
  if (!onBoard) addPickup(tables, order, times, group, bit, out);
  out.places[++out.problem.stopCount] = order[C::dropoffPlace];
  out.problem.stops[out.problem.stopCount] = {route_planner::StopKind::dropoff, group, bit,
                                              order[C::dropoffPreService], times.dropoffPostService};
}

/// What a problem has of its courier and its shard; no orders and stops yet.
ROUNDHOUSE_HD inline void beginProblem(const ShardTables& tables, const int32_t* courier, const ProblemParts& out) {
  namespace C = layout::CourierColumn;
  out.problem.stopCount = 0;
  out.problem.orderCount = 0;
  out.problem.stops[0] = {};
  out.problem.weightLateness = tables.params[layout::Param::weightLateness];
  out.problem.weightDuration = tables.params[layout::Param::weightDuration];
  out.problem.weightFreshness = tables.params[layout::Param::weightFreshness];
  out.problem.startAt = courier[C::startAt];
  out.problem.capacity = courier[C::capacity];
  out.problem.latestPickup = limitOf(courier[C::latestPickupAt]);
  out.problem.interleave = tables.params[layout::Param::interleave] == layout::Interleave::mixed;
  out.places[0] = courier[C::place];
}

/// False if some travel time is above INT32.
ROUNDHOUSE_HD inline bool fillTravel(const ShardTables& tables, const TravelModel& travel, int vehicle,
                                     const ProblemParts& out) {
  const int count = out.problem.stopCount;
  int64_t longest = 0;
  for (int from = 0; from <= count; ++from) {
    const int32_t* start = tables.place(out.places[from]);
    out.problem.travel[from][from] = 0;
    for (int to = 1; to <= count; ++to) {
      if (from == to || (travel.matrix == nullptr && to < from)) continue;
      const int64_t seconds = travelSeconds(travel, vehicle, start, tables.place(out.places[to]));
      longest = larger(longest, seconds);
      out.problem.travel[from][to] = static_cast<int32_t>(seconds);
      if (travel.matrix == nullptr) out.problem.travel[to][from] = static_cast<int32_t>(seconds);
    }
  }
  return longest <= INT32_MAX;
}

ROUNDHOUSE_HD inline void putBytes(uint8_t* at, uint64_t value, int bytes) {
  for (int index = 0; index < bytes; ++index) at[index] = static_cast<uint8_t>(value >> (8 * index));
}

ROUNDHOUSE_HD inline uint64_t packStops(const route_planner::Plan& plan) {
  uint64_t packed = 0;
  for (int position = 0; position < plan.stopCount; ++position) {
    packed |= static_cast<uint64_t>(plan.stops[position] - 1) << (4 * position);
  }
  return packed;
}

}  // namespace detail

/// The travel of validated tables; factors per mille within 1..kMaxFactor. `matrix` is null for travel by speed.
ROUNDHOUSE_HD inline TravelModel travelModel(const ShardTables& tables, const int32_t (&factorPerMille)[kVehicles],
                                             const int32_t* matrix, int32_t zones) {
  TravelModel travel{};
  travel.quantum = tables.params[layout::Param::quantumSeconds];
  for (int vehicle = 0; vehicle < kVehicles; ++vehicle) {
    travel.metresPerHour[vehicle] = tables.params[layout::Param::metresPerHour + vehicle];
    travel.factorPerMille[vehicle] = factorPerMille[vehicle];
  }
  travel.matrix = tables.params[layout::Param::travelKind] == 1 ? matrix : nullptr;
  travel.zones = zones;
  return travel;
}

/// Builds the problem of a candidate of validated tables; `times` has one entry an order row, `places` gets one a stop
/// and has room for kMaxStops + 1. False: some travel takes longer than INT32 seconds.
ROUNDHOUSE_HD inline bool buildProblem(const ShardTables& tables, const TravelModel& travel, const OrderTimes* times,
                                       int row, route_planner::Problem& problem, int32_t* places) {
  namespace C = layout::CourierColumn;
  const uint16_t* candidate = tables.candidate(row);
  const int32_t* courier = tables.courier(candidate[layout::CandidateColumn::courier]);
  const detail::ProblemParts out{problem, places};
  detail::beginProblem(tables, courier, out);
  for (int index = 0; index < courier[C::heldCount]; ++index) {
    const int32_t* held = tables.heldOrder(courier[C::heldOffset] + index);
    const int32_t order = held[layout::HeldColumn::order];
    detail::addOrder(tables, tables.order(order), times[order], held[layout::HeldColumn::onBoard] != 0,
                     route_planner::Group::held, out);
  }
  const int size = tables.bundleSize(row);
  int trip = 0;
  for (int index = 0; index < size; ++index) {
    const uint16_t* bundle = candidate + layout::CandidateColumn::firstOrder;
    if (index > 0 && detail::beginsTrip(tables, tables.order(bundle[index - 1]), tables.order(bundle[index]))) ++trip;
    const uint16_t order = bundle[index];
    detail::addOrder(tables, tables.order(order), times[order], false, detail::groupOfTrip(trip), out);
  }
  return detail::fillTravel(tables, travel, courier[C::vehicle], out);
}

/// Writes the PLAN_RECORD_BYTES of a candidate's plan. An infeasible one has cost INT64_MAX and no stops.
ROUNDHOUSE_HD inline void writePlanRecord(const ShardTables& tables, int row, const route_planner::Plan& plan,
                                          uint8_t* record) {
  namespace R = layout::PlanRecord;
  const uint16_t* candidate = tables.candidate(row);
  const int size = tables.bundleSize(row);
  const int32_t courier = tables.courier(candidate[0])[layout::CourierColumn::roundIndex];
  detail::putBytes(record + R::courier, static_cast<uint64_t>(courier), 2);
  record[R::orderCount] = static_cast<uint8_t>(size);
  record[R::flags] = static_cast<uint8_t>((plan.feasible ? layout::PlanFlag::feasible : 0) |
                                          (plan.unproven ? layout::PlanFlag::unproven : 0));
  for (int index = 0; index < layout::MAX_BUNDLE_ORDERS; ++index) {
    const int32_t order = index < size ? tables.order(candidate[1 + index])[layout::OrderColumn::roundIndex]
                                       : int32_t{layout::NO_ROW};
    detail::putBytes(record + R::orders + 2 * index, static_cast<uint64_t>(order), 2);
  }
  detail::putBytes(record + R::cost, static_cast<uint64_t>(plan.feasible ? plan.cost : INT64_MAX), 8);
  detail::putBytes(record + R::stops, detail::packStops(plan), 8);
}

/// Costs one candidate of validated tables into `record`.
ROUNDHOUSE_HD inline Fault costCandidate(const ShardTables& tables, const TravelModel& travel, const OrderTimes* times,
                                         int row, CandidateWorkspace& workspace, uint8_t* record) {
  if (!buildProblem(tables, travel, times, row, workspace.candidate.problem, workspace.candidate.places)) {
    return {"candidates", row, nullptr, 0, "has travel of more than 2147483647 seconds"};
  }
  const auto status = route_planner::prepare(workspace.candidate.problem, workspace.prepared);
  if (status == route_planner::PrepareStatus::costTooLarge) {
    return {"candidates", row, nullptr, 0, "could cost more than 2^62: weights and times are too large"};
  }
  if (status != route_planner::PrepareStatus::ok) {
    return {"candidates", row, nullptr, static_cast<int64_t>(status), "is no route problem (status of prepare)"};
  }
  const route_planner::Plan plan = route_planner::solve(workspace.prepared, workspace.planner);
  workspace.nodes = plan.nodes;
  writePlanRecord(tables, row, plan, record);
  return kNoFault;
}

/// Writes the ORDER_TIME_COLUMNS of an order row.
ROUNDHOUSE_HD inline void writeOrderTimes(const ShardTables& tables, int row, const OrderTimes& times, int32_t* out) {
  out[layout::OrderTimeColumn::roundIndex] = tables.order(row)[layout::OrderColumn::roundIndex];
  out[layout::OrderTimeColumn::readyAt] = times.readyAt;
  out[layout::OrderTimeColumn::pickupPostService] = times.pickupPostService;
  out[layout::OrderTimeColumn::dropoffPostService] = times.dropoffPostService;
}

}  // namespace roundhouse::candidate_cost
