#pragma once

#include "../../route_planner/algo/platform.hpp"
#include "../layout.hpp"

namespace roundhouse::candidate_cost {

/// A fault of untrusted tensors: where, what stands there, and what is allowed. `limit` null: no fault.
struct Fault {
  const char* tensor;
  /// -1: the fault is of the tensor as a whole.
  int64_t row;
  /// Null: the fault is of the row as a whole.
  const char* column;
  int64_t value;
  const char* limit;

  ROUNDHOUSE_HD explicit operator bool() const { return limit != nullptr; }
};

constexpr Fault kNoFault{nullptr, -1, nullptr, 0, nullptr};

/// Bytes of one input tensor; the data is aligned to its element.
struct TensorBytes {
  const void* data;
  uint64_t bytes;
};

/// The seven inputs of schemas/src/tensors.ts as they came.
struct ShardBytes {
  TensorBytes params;
  TensorBytes couriers;
  TensorBytes held;
  TensorBytes orders;
  TensorBytes places;
  TensorBytes orderFeatures;
  TensorBytes candidates;
};

/// Views of the tables; they own nothing. Rows are only trusted after `validateTables`.
struct ShardTables {
  const int64_t* params;
  const int32_t* couriers;
  const int32_t* held;
  const int32_t* orders;
  const int32_t* places;
  const float* orderFeatures;
  const uint16_t* candidates;
  int32_t courierCount;
  int32_t heldCount;
  int32_t orderCount;
  int32_t placeCount;
  int32_t candidateCount;
  int32_t candidateColumns;

  ROUNDHOUSE_HD const int32_t* courier(int row) const { return couriers + int64_t{row} * layout::COURIER_COLUMNS; }
  ROUNDHOUSE_HD const int32_t* heldOrder(int row) const { return held + int64_t{row} * layout::HELD_COLUMNS; }
  ROUNDHOUSE_HD const int32_t* order(int row) const { return orders + int64_t{row} * layout::ORDER_COLUMNS; }
  ROUNDHOUSE_HD const int32_t* place(int row) const { return places + int64_t{row} * layout::PLACE_COLUMNS; }
  ROUNDHOUSE_HD const uint16_t* candidate(int row) const {
    return candidates + int64_t{row} * candidateColumns;
  }
  ROUNDHOUSE_HD bool flag(int param) const { return params[param] != 0; }
  /// Orders of the candidate's bundle; its row is NO_ROW from there on.
  ROUNDHOUSE_HD int bundleSize(int row) const {
    const uint16_t* columns = candidate(row);
    int size = 0;
    while (1 + size < candidateColumns && columns[1 + size] != layout::NO_ROW) ++size;
    return size;
  }
};

}  // namespace roundhouse::candidate_cost
