#pragma once

#include "../../route_planner/algo/problem.hpp"
#include "travel.hpp"

namespace roundhouse::candidate_cost {

/// Weights up to this; with INT32 times the planner still checks each problem's costs against 2^62.
constexpr int64_t kMaxWeight = int64_t{1} << 53;

namespace detail {

/// One column's closed range.
struct Range {
  int column;
  const char* name;
  int64_t least;
  int64_t most;
  const char* limit;
};

template <typename Value>
Fault checkRanges(const char* tensor, int64_t row, const Value* values, const Range* ranges, int count) {
  for (int index = 0; index < count; ++index) {
    const Range& range = ranges[index];
    const int64_t value = values[range.column];
    if (value < range.least || value > range.most) return {tensor, row, range.name, value, range.limit};
  }
  return kNoFault;
}

template <typename Value, int count>
Fault checkRanges(const char* tensor, int64_t row, const Value* values, const Range (&ranges)[count]) {
  return checkRanges(tensor, row, values, ranges, count);
}

inline Fault checkParams(const int64_t* params) {
  namespace P = layout::Param;
  const Range ranges[] = {
      {P::quantumSeconds, "quantumSeconds", 1, kMaxQuantum, "is not within 1..86400"},
      {P::weightLateness, "weightLateness", 0, kMaxWeight, "is not within 0..2^53"},
      {P::weightDuration, "weightDuration", 0, kMaxWeight, "is not within 0..2^53"},
      {P::weightFreshness, "weightFreshness", 0, kMaxWeight, "is not within 0..2^53"},
      {P::interleave, "interleave", 0, 2, "is not 0, 1 or 2"},
      {P::mergePickups, "mergePickups", 0, 1, "is not 0 or 1"},
      {P::travelKind, "travelKind", 0, 1, "is not 0 or 1"},
      {P::metresPerHour, "metresPerHour of walk", 0, kMaxMetresPerHour, "is not within 0..1000000"},
      {P::metresPerHour + 1, "metresPerHour of bike", 0, kMaxMetresPerHour, "is not within 0..1000000"},
      {P::metresPerHour + 2, "metresPerHour of scooter", 0, kMaxMetresPerHour, "is not within 0..1000000"},
      {P::metresPerHour + 3, "metresPerHour of car", 0, kMaxMetresPerHour, "is not within 0..1000000"},
      {P::travelKnown, "travelKnown", 0, 1, "is not 0 or 1"},
  };
  const int64_t quantile = params[P::quantile];
  if (quantile != 50 && quantile != 90) return {"params", 0, "quantile", quantile, "is not 50 or 90"};
  return checkRanges("params", 0, params, ranges);
}

inline Fault checkPlace(const ShardTables& tables, int row, int32_t zones) {
  namespace C = layout::PlaceColumn;
  const bool byMatrix = tables.params[layout::Param::travelKind] == 1;
  const Range ranges[] = {
      {C::x, "x", -kMaxCoordinate, kMaxCoordinate, "is not within -2^30..2^30"},
      {C::y, "y", -kMaxCoordinate, kMaxCoordinate, "is not within -2^30..2^30"},
      {C::zone, "zone", byMatrix ? 0 : -1, byMatrix ? int64_t{zones} - 1 : INT32_MAX,
       "is no zone of the travel matrix"},
  };
  return checkRanges("places", row, tables.place(row), ranges);
}

inline Fault checkOrder(const ShardTables& tables, int row) {
  namespace C = layout::OrderColumn;
  const int64_t lastPlace = int64_t{tables.placeCount} - 1;
  const Range ranges[] = {
      {C::roundIndex, "roundIndex", 0, layout::NO_ROW - 1, "is not within 0..65534"},
      {C::pickupPlace, "pickupPlace", 0, lastPlace, "is no row of places"},
      {C::dropoffPlace, "dropoffPlace", 0, lastPlace, "is no row of places"},
      {C::size, "size", 0, INT32_MAX, "is below 0"},
      {C::flags, "flags", 0, 7, "is not within 0..7"},
      {C::pickupPreService, "pickupPreService", 0, INT32_MAX, "is below 0"},
      {C::pickupPostService, "pickupPostService", 0, INT32_MAX, "is below 0"},
      {C::dropoffPreService, "dropoffPreService", 0, INT32_MAX, "is below 0"},
      {C::dropoffPostService, "dropoffPostService", 0, INT32_MAX, "is below 0"},
  };
  return checkRanges("orders", row, tables.order(row), ranges);
}

inline Fault checkHeld(const ShardTables& tables, int row) {
  const Range ranges[] = {
      {layout::HeldColumn::order, "order", 0, int64_t{tables.orderCount} - 1, "is no row of orders"},
      {layout::HeldColumn::onBoard, "onBoard", 0, 1, "is not 0 or 1"},
  };
  return checkRanges("held", row, tables.heldOrder(row), ranges);
}

/// A courier's own columns, and the rows of `held` that it names.
inline Fault checkCourier(const ShardTables& tables, int row) {
  namespace C = layout::CourierColumn;
  const int32_t* courier = tables.courier(row);
  const Range ranges[] = {
      {C::roundIndex, "roundIndex", 0, layout::NO_ROW - 1, "is not within 0..65534"},
      {C::place, "place", 0, int64_t{tables.placeCount} - 1, "is no row of places"},
      {C::vehicle, "vehicle", 0, kVehicles - 1, "is not within 0..3"},
      {C::capacity, "capacity", 0, INT32_MAX, "is below 0"},
      {C::heldCount, "heldCount", 0, layout::MAX_PLAN_ORDERS, "is not within 0..8"},
      {C::heldOffset, "heldOffset", courier[C::heldCount] > 0 ? 1 : 0,
       courier[C::heldCount] > 0 ? int64_t{tables.heldCount} - courier[C::heldCount] : INT32_MAX,
       "leads outside the rows of held"},
  };
  if (const Fault fault = checkRanges("couriers", row, courier, ranges)) return fault;
  const bool bySpeed = tables.params[layout::Param::travelKind] == 0;
  if (bySpeed && tables.params[layout::Param::metresPerHour + courier[C::vehicle]] == 0) {
    return {"couriers", row, "vehicle", courier[C::vehicle], "has metresPerHour 0"};
  }
  for (int index = 0; index < courier[C::heldCount]; ++index) {
    const int at = courier[C::heldOffset] + index;
    if (const Fault fault = checkHeld(tables, at)) return fault;
    for (int before = courier[C::heldOffset]; before < at; ++before) {
      const int32_t order = tables.heldOrder(at)[layout::HeldColumn::order];
      if (tables.heldOrder(before)[layout::HeldColumn::order] == order) {
        return {"held", at, "order", order, "is held twice by one courier"};
      }
    }
  }
  return kNoFault;
}

ROUNDHOUSE_HD inline Fault checkBundleOrder(const ShardTables& tables, int row, int column, const int32_t* courier) {
  const uint16_t* columns = tables.candidate(row);
  const int64_t order = columns[column];
  if (order >= tables.orderCount) return {"candidates", row, "order", order, "is no row of orders"};
  for (int before = 1; before < column; ++before) {
    if (columns[before] == order) return {"candidates", row, "order", order, "stands twice in the bundle"};
  }
  for (int index = 0; index < courier[layout::CourierColumn::heldCount]; ++index) {
    const int32_t* held = tables.heldOrder(courier[layout::CourierColumn::heldOffset] + index);
    if (held[layout::HeldColumn::order] == order) {
      return {"candidates", row, "order", order, "is held by the courier already"};
    }
  }
  return kNoFault;
}

/// Is asked on a GPU as well, where only a fault's being there counts.
ROUNDHOUSE_HD inline Fault checkCandidate(const ShardTables& tables, int row) {
  const uint16_t* columns = tables.candidate(row);
  const int64_t courierRow = columns[layout::CandidateColumn::courier];
  if (courierRow >= tables.courierCount) {
    return {"candidates", row, "courier", courierRow, "is no row of couriers"};
  }
  const int32_t* courier = tables.courier(static_cast<int>(courierRow));
  const int size = tables.bundleSize(row);
  for (int column = 1; column <= size; ++column) {
    if (const Fault fault = checkBundleOrder(tables, row, column, courier)) return fault;
  }
  for (int column = 1 + size; column < tables.candidateColumns; ++column) {
    if (columns[column] != layout::NO_ROW) {
      return {"candidates", row, "order", columns[column], "stands behind the end of the bundle"};
    }
  }
  const int64_t orders = int64_t{size} + courier[layout::CourierColumn::heldCount];
  if (orders > layout::MAX_PLAN_ORDERS) {
    return {"candidates", row, nullptr, orders, "orders in one plan are more than 8"};
  }
  return kNoFault;
}

}  // namespace detail

/// Every index, offset and range of the tables but those of the candidates. `zones`: of the travel matrix, or 0.
inline Fault validateRows(const ShardTables& tables, int32_t zones) {
  if (const Fault fault = detail::checkParams(tables.params)) return fault;
  for (int row = 0; row < tables.placeCount; ++row) {
    if (const Fault fault = detail::checkPlace(tables, row, zones)) return fault;
  }
  for (int row = 0; row < tables.orderCount; ++row) {
    if (const Fault fault = detail::checkOrder(tables, row)) return fault;
  }
  for (int row = 0; row < tables.courierCount; ++row) {
    if (const Fault fault = detail::checkCourier(tables, row)) return fault;
  }
  return kNoFault;
}

/// The candidates of tables that `validateRows` passed, from row `first` on.
inline Fault validateCandidates(const ShardTables& tables, int first = 0) {
  for (int row = first; row < tables.candidateCount; ++row) {
    if (const Fault fault = detail::checkCandidate(tables, row)) return fault;
  }
  return kNoFault;
}

/// Both: nothing after it needs a check.
inline Fault validateTables(const ShardTables& tables, int32_t zones) {
  const Fault fault = validateRows(tables, zones);
  return fault ? fault : validateCandidates(tables);
}

}  // namespace roundhouse::candidate_cost
