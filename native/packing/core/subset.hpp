#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "choice.hpp"
#include "rows.hpp"

namespace roundhouse::packing {

/// Prices all columns, and picks some of them; see policy/assignment/column-subset.ts.
class Subset {
 public:
  explicit Subset(const Rows& rows)
      : rows_(rows), loss_(rows.columns->count, 0), values_(std::max(rows.byCourier.size(), rows.byOrder.size())) {}

  /// The bound of all columns at these prices; `leastLosses` is about them from now on.
  double price(const std::vector<double>& price) {
    const Columns& columns = *rows_.columns;
    std::vector<double> best(columns.courierCount, 0);
    for (int32_t column = 0; column < columns.count; ++column) {
      double value = columns.profit[column];
      for (int32_t slot = columns.orderStart[column]; slot < columns.orderStart[column + 1]; ++slot) {
        value -= price[columns.orders[slot]];
      }
      loss_[column] = value;
      best[columns.courier[column]] = std::max(best[columns.courier[column]], value);
    }
    for (int32_t column = 0; column < columns.count; ++column) {
      loss_[column] = best[columns.courier[column]] - loss_[column];
    }
    double bound = 0;
    for (const double value : price) bound += value;
    for (const double value : best) bound += value;
    return bound;
  }

  /// Some of every courier, some of every order, and the first of the rest, with those of the choice; ascending.
  std::vector<int32_t> leastLosses(const Choice& choice, double size) {
    const Columns& columns = *rows_.columns;
    std::vector<uint8_t> isKept(columns.count, 0);
    mark(isKept, rows_.byCourier, rows_.courierStart, quota(size / 3 / columns.courierCount));
    mark(isKept, rows_.byOrder, rows_.orderStart, quota(size / 3 / columns.orderCount));
    mark(isKept, rows_.byCourier, {0, columns.count}, quota(size / 3));
    for (const int32_t column : choice.chosen()) isKept[column] = 1;
    std::vector<int32_t> kept;
    for (int32_t column = 0; column < columns.count; ++column) {
      if (isKept[column] == 1) kept.push_back(column);
    }
    return kept;
  }

 private:
  static int32_t quota(double share) { return static_cast<int32_t>(std::ceil(share)); }

  /// Marks the `most` least of every row, more where several are equal to the last of them.
  void mark(std::vector<uint8_t>& isKept, const std::vector<int32_t>& items, const std::vector<int32_t>& start,
            int32_t most) {
    for (size_t row = 0; row + 1 < start.size(); ++row) {
      const int32_t from = start[row];
      const int32_t to = start[row + 1];
      double limit = std::numeric_limits<double>::infinity();
      if (to - from > most) {
        for (int32_t at = from; at < to; ++at) values_[at] = loss_[items[at]];
        std::nth_element(values_.begin() + from, values_.begin() + from + most - 1, values_.begin() + to);
        limit = values_[from + most - 1];
      }
      for (int32_t at = from; at < to; ++at) {
        if (loss_[items[at]] <= limit) isKept[items[at]] = 1;
      }
    }
  }

  const Rows& rows_;
  /// Against the best of the column's courier.
  std::vector<double> loss_;
  std::vector<double> values_;
};

}  // namespace roundhouse::packing
