#pragma once

#include "shard_tables.hpp"

namespace roundhouse::candidate_cost {

/// More rows than this in one table are refused, so that row numbers fit INT32 with room to spare.
constexpr uint64_t kMaxRows = 1u << 20;

namespace detail {

/// Rows of a table of `columns` values of `valueBytes` each.
inline Fault countRows(const char* tensor, const TensorBytes& from, uint64_t columns, uint64_t valueBytes,
                       uint64_t leastRows, int32_t& rows) {
  const uint64_t rowBytes = columns * valueBytes;
  const auto bytes = static_cast<int64_t>(from.bytes);
  if (from.bytes % rowBytes != 0) return {tensor, -1, nullptr, bytes, "bytes are no whole number of rows"};
  if (from.bytes / rowBytes > kMaxRows) return {tensor, -1, nullptr, bytes, "bytes are more than 1048576 rows"};
  if (from.bytes / rowBytes < leastRows) return {tensor, -1, nullptr, bytes, "bytes are too few: a row is needed"};
  if (from.bytes > 0 && reinterpret_cast<uintptr_t>(from.data) % valueBytes != 0) {
    return {tensor, -1, nullptr, bytes, "bytes are not aligned to their values"};
  }
  rows = static_cast<int32_t>(from.bytes / rowBytes);
  return kNoFault;
}

inline Fault countCandidates(const ShardBytes& from, ShardTables& out) {
  const int64_t columns = out.params[layout::Param::candidateColumns];
  if (columns < 2 || columns > 1 + layout::MAX_BUNDLE_ORDERS) {
    return {"params", 0, "candidateColumns", columns, "is not within 2..7"};
  }
  out.candidateColumns = static_cast<int32_t>(columns);
  return countRows("candidates", from.candidates, static_cast<uint64_t>(columns), 2, 0, out.candidateCount);
}

}  // namespace detail

/// Checks the sizes of the tensors and sets the views on them. `params` must say our ABI before the rest is read.
inline Fault bindTables(const ShardBytes& from, ShardTables& out) {
  using detail::countRows;
  int32_t rows = 0;
  Fault fault = countRows("params", from.params, layout::PARAM_COUNT, 8, 1, rows);
  if (!fault && rows != 1) fault = {"params", -1, nullptr, rows, "rows are not exactly 1"};
  if (fault) return fault;
  out.params = static_cast<const int64_t*>(from.params.data);
  if (out.params[layout::Param::abi] != layout::TENSOR_ABI) {
    return {"params", 0, "abi", out.params[layout::Param::abi], "is not 1, the version that this build reads"};
  }
  out.couriers = static_cast<const int32_t*>(from.couriers.data);
  out.held = static_cast<const int32_t*>(from.held.data);
  out.orders = static_cast<const int32_t*>(from.orders.data);
  out.places = static_cast<const int32_t*>(from.places.data);
  out.orderFeatures = static_cast<const float*>(from.orderFeatures.data);
  out.candidates = static_cast<const uint16_t*>(from.candidates.data);
  int32_t featureRows = 0;
  fault = countRows("couriers", from.couriers, layout::COURIER_COLUMNS, 4, 0, out.courierCount);
  if (!fault) fault = countRows("held", from.held, layout::HELD_COLUMNS, 4, 1, out.heldCount);
  if (!fault) fault = countRows("orders", from.orders, layout::ORDER_COLUMNS, 4, 0, out.orderCount);
  if (!fault) fault = countRows("places", from.places, layout::PLACE_COLUMNS, 4, 0, out.placeCount);
  if (!fault) {
    fault = countRows("order_features", from.orderFeatures, layout::ORDER_FEATURE_COLUMNS, 4, 0, featureRows);
  }
  if (!fault && featureRows != out.orderCount) {
    fault = {"order_features", -1, nullptr, featureRows, "rows are not as many as those of orders"};
  }
  return fault ? fault : detail::countCandidates(from, out);
}

}  // namespace roundhouse::candidate_cost
