#pragma once

#include "tables.hpp"

namespace roundhouse::candidate_cost {

/// Columns of the network that are the same for every row of a shard. The host computes them for both devices: a sine has
/// other bits on a GPU.
struct EtrContext {
  float sinTimeOfDay;
  float cosTimeOfDay;
  float isWeekend;
  float rain;
  float traffic;
};

namespace detail {

ROUNDHOUSE_HD inline void fillContext(const EtrContext& context, float* row) {
  namespace F = layout::EtrFeature;
  for (int column = 0; column < layout::ETR_FEATURES; ++column) row[column] = 0.0f;
  row[F::sinTimeOfDay] = context.sinTimeOfDay;
  row[F::cosTimeOfDay] = context.cosTimeOfDay;
  row[F::isWeekend] = context.isWeekend;
  row[F::rain] = context.rain;
  row[F::traffic] = context.traffic;
}

}  // namespace detail

/// The ETR_FEATURES columns that ask for an order's times (docs/etr.md).
ROUNDHOUSE_HD inline void fillOrderRow(const ShardTables& tables, const EtrContext& context, int order, float* row) {
  namespace F = layout::EtrFeature;
  namespace C = layout::OrderColumn;
  detail::fillContext(context, row);
  const float* features = tables.orderFeatures + int64_t{order} * layout::ORDER_FEATURE_COLUMNS;
  for (int column = 0; column < layout::ORDER_FEATURE_COLUMNS; ++column) {
    row[F::orderFeatures + column] = features[column];
  }
  const int32_t* columns = tables.order(order);
  const int64_t metres = distanceMetres(tables.place(columns[C::pickupPlace]), tables.place(columns[C::dropoffPlace]));
  row[F::directKilometres] = static_cast<float>(static_cast<double>(metres) / 1000);
}

/// The columns that ask for a vehicle class's ride factor.
ROUNDHOUSE_HD inline void fillLegRow(const EtrContext& context, int vehicle, float* row) {
  detail::fillContext(context, row);
  row[layout::EtrFeature::isLegRow] = 1.0f;
  row[layout::EtrFeature::vehicle + vehicle] = 1.0f;
}

}  // namespace roundhouse::candidate_cost
