#pragma once

#include <algorithm>
#include <vector>

#include "columns.hpp"

namespace roundhouse::packing {

/// A feasible choice under construction: the column of each courier and of each order, −1 where free.
class Choice {
 public:
  explicit Choice(const Columns& columns)
      : ofCourier(columns.courierCount, -1), ofOrder(columns.orderCount, -1), columns_(&columns) {}

  std::vector<int32_t> ofCourier;
  std::vector<int32_t> ofOrder;
  double profit = 0;

  bool fits(int32_t column) const {
    if (ofCourier[columns_->courier[column]] >= 0) return false;
    for (int32_t slot = columns_->orderStart[column]; slot < columns_->orderStart[column + 1]; ++slot) {
      if (ofOrder[columns_->orders[slot]] >= 0) return false;
    }
    return true;
  }

  void take(int32_t column) {
    mark(column, column);
    profit += columns_->profit[column];
  }

  void drop(int32_t column) {
    mark(column, -1);
    profit -= columns_->profit[column];
  }

  void clear() {
    std::fill(ofCourier.begin(), ofCourier.end(), -1);
    std::fill(ofOrder.begin(), ofOrder.end(), -1);
    profit = 0;
  }

  void copyFrom(const Choice& other) {
    ofCourier = other.ofCourier;
    ofOrder = other.ofOrder;
    profit = other.profit;
  }

  /// By courier.
  std::vector<int32_t> chosen() const {
    std::vector<int32_t> columns;
    for (const int32_t column : ofCourier) {
      if (column >= 0) columns.push_back(column);
    }
    return columns;
  }

 private:
  void mark(int32_t column, int32_t value) {
    ofCourier[columns_->courier[column]] = value;
    for (int32_t slot = columns_->orderStart[column]; slot < columns_->orderStart[column + 1]; ++slot) {
      ofOrder[columns_->orders[slot]] = value;
    }
  }

  const Columns* columns_;
};

}  // namespace roundhouse::packing
