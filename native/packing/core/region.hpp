#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "choice.hpp"
#include "near.hpp"

namespace roundhouse::packing {

/// Couriers and all orders of their chosen columns, and orders that nobody has.
class Region {
 public:
  Region(const Columns& columns, const Near& near, const Choice& choice)
      : columns_(columns), near_(near), choice_(choice) {}

  std::vector<int32_t> couriers;
  std::vector<int32_t> orders;

  void clear() {
    couriers.clear();
    orders.clear();
  }

  /// Grows along columns that share a courier or an order with the region.
  void grow(SeededRandom& random) {
    for (int tries = 0; tries < kGrowthTries; ++tries) {
      if (couriers.size() >= kMaxCouriers && orders.size() >= kMaxOrders) return;
      const auto courierCount = static_cast<int32_t>(couriers.size());
      const int32_t at = random.index(courierCount + static_cast<int32_t>(orders.size()));
      const Rows& rows = near_.rows;
      if (at < courierCount) follow(rows.courierStart, rows.byCourier, couriers[at], random);
      else follow(rows.orderStart, rows.byOrder, orders[at - courierCount], random);
    }
  }

  void addCourier(int32_t courier) {
    if (couriers.size() >= kMaxCouriers || has(couriers, courier)) return;
    const int32_t column = choice_.ofCourier[courier];
    const int32_t from = column < 0 ? 0 : columns_.orderStart[column];
    const int32_t to = column < 0 ? 0 : columns_.orderStart[column + 1];
    if (orders.size() + static_cast<size_t>(to - from) > kMaxOrders) return;
    couriers.push_back(courier);
    orders.insert(orders.end(), columns_.orders + from, columns_.orders + to);
  }

  void addOrder(int32_t order) {
    if (has(orders, order)) return;
    const int32_t column = choice_.ofOrder[order];
    if (column >= 0) addCourier(columns_.courier[column]);
    else if (orders.size() < kMaxOrders) orders.push_back(order);
  }

 private:
  static constexpr size_t kMaxCouriers = 6;
  /// Orders of a region are bits of one 32-bit mask.
  static constexpr size_t kMaxOrders = 12;
  static constexpr int kGrowthTries = 48;
  /// Columns drawn of which the one with the least loss is followed.
  static constexpr int kTournament = 3;

  static bool has(const std::vector<int32_t>& items, int32_t item) {
    return std::find(items.begin(), items.end(), item) != items.end();
  }

  void addColumn(int32_t column) {
    addCourier(columns_.courier[column]);
    for (int32_t slot = columns_.orderStart[column]; slot < columns_.orderStart[column + 1]; ++slot) {
      addOrder(columns_.orders[slot]);
    }
  }

  /// Adds a drawn column of a row, if it has any.
  void follow(const std::vector<int32_t>& start, const std::vector<int32_t>& items, int32_t row, SeededRandom& random) {
    const int32_t from = start[row];
    const int32_t length = start[row + 1] - from;
    if (length == 0) return;
    int32_t drawn = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTournament; ++i) {
      const int32_t column = items[from + random.index(length)];
      const double loss = near_.best[columns_.courier[column]] - near_.reduced[column];
      if (loss >= least) continue;
      least = loss;
      drawn = column;
    }
    addColumn(drawn);
  }

  const Columns& columns_;
  const Near& near_;
  const Choice& choice_;
};

}  // namespace roundhouse::packing
