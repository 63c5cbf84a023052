#pragma once

#include <algorithm>
#include <vector>

#include "prices.hpp"

namespace roundhouse::packing {

/// The columns that can stand in a solution better than `known`; see policy/assignment/near-columns.ts.
struct Near {
  std::vector<double> reduced;
  /// Largest reduced profit of each courier, at least 0.
  std::vector<double> best;
  /// Those columns alone.
  Rows rows;

  Near(const Rows& all, const Prices& prices, double known, double reach = 1)
      : reduced(all.columns->count, 0), best(all.columns->courierCount, 0) {
    const int32_t* courier = all.columns->courier;
    for (const int32_t column : all.byCourier) {
      const double value = prices.reduced(column, prices.best);
      reduced[column] = value;
      best[courier[column]] = std::max(best[courier[column]], value);
    }
    const double slack = reach * (prices.bound - known);
    std::vector<uint8_t> isNear(all.columns->count, 0);
    for (const int32_t column : all.byCourier) {
      if (best[courier[column]] - reduced[column] <= slack) isNear[column] = 1;
    }
    rows = restrictedRows(all, isNear);
  }
};

}  // namespace roundhouse::packing
