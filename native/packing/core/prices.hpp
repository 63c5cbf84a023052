#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "crew.hpp"
#include "rows.hpp"

namespace roundhouse::packing {

/// The columns of rows courier by courier with what is read of them in every pass side by side.
struct CourierList {
  std::vector<double> profit;
  /// Orders at position p: orders[first[p]] … orders[first[p + 1] − 1].
  std::vector<int32_t> first, orders;

  explicit CourierList(const Rows& rows) : first(rows.byCourier.size() + 1, 0) {
    const Columns& columns = *rows.columns;
    profit.reserve(rows.byCourier.size());
    orders.reserve(rows.byOrder.size());
    for (size_t at = 0; at < rows.byCourier.size(); ++at) {
      const int32_t column = rows.byCourier[at];
      profit.push_back(columns.profit[column]);
      orders.insert(orders.end(), columns.orders + columns.orderStart[column],
                    columns.orders + columns.orderStart[column + 1]);
      first[at + 1] = static_cast<int32_t>(orders.size());
    }
  }

  double reducedAt(int32_t at, const double* price) const {
    double reduced = profit[at];
    for (int32_t slot = first[at]; slot < first[at + 1]; ++slot) reduced -= price[orders[slot]];
    return reduced;
  }

  /// The position of the largest reduced profit above 0, the first among equals; −1 where none is.
  int32_t bestFrom(int32_t from, int32_t to, const double* price) const {
    double best = 0;
    int32_t bestAt = -1;
    for (int32_t at = from; at < to; ++at) {
      if (profit[at] <= best) break;
      const double reduced = reducedAt(at, price);
      if (reduced <= best) continue;
      best = reduced;
      bestAt = at;
    }
    return bestAt;
  }
};

/// Half of the largest share of an order in a profit.
inline std::vector<double> startPrices(const Columns& columns, double step) {
  std::vector<double> price(columns.orderCount, 0);
  for (int32_t column = 0; column < columns.count; ++column) {
    const int32_t from = columns.orderStart[column];
    const int32_t to = columns.orderStart[column + 1];
    const double share = rounded(columns.profit[column] / (to - from) / 2 / step) * step;
    for (int32_t slot = from; slot < to; ++slot) price[columns.orders[slot]] = std::max(price[columns.orders[slot]], share);
  }
  return price;
}

/// Lagrangian prices of the orders; see policy/assignment/order-prices.ts. Sums of prices and profits are exact, so that
/// it doesn't matter who adds them up.
class Prices {
 public:
  Prices(const Rows& rows, std::vector<double> start, Crew& crew)
      : best(start),
        current(std::move(start)),
        crew_(crew),
        columns_(rows.columns),
        rows_(&rows),
        list_(rows),
        direction_(columns_->orderCount, 0),
        use_(columns_->orderCount, 0),
        bestAt_(columns_->courierCount, -1) {}

  double bound = std::numeric_limits<double>::infinity();
  /// The prices of `bound`.
  std::vector<double> best;
  std::vector<double> current;
  /// Columns and orders of columns visited.
  double work = 0;

  double reduced(int32_t column, const std::vector<double>& price) const {
    double value = columns_->profit[column];
    for (int32_t slot = columns_->orderStart[column]; slot < columns_->orderStart[column + 1]; ++slot) {
      value -= price[columns_->orders[slot]];
    }
    return value;
  }

  double reducedAt(int32_t at) const { return list_.reducedAt(at, current.data()); }

  /// From now on the bound holds only for solutions of these columns; `rows` outlives the prices' use of it.
  void restrictTo(const Rows& rows) {
    rows_ = &rows;
    list_ = CourierList(rows);
  }

  /// `known`: the profit of a solution. False when the prices can't be bettered any more.
  bool step(double known) {
    const double found = evaluate();
    if (found < bound) {
      if (found < bound - 1e-4 * (bound - known)) stale_ = 0;
      bound = found;
      best = current;
    } else if (++stale_ >= kPatience) {
      stale_ = 0;
      pace_ /= 2;
      current = best;
      std::fill(direction_.begin(), direction_.end(), 0.0);
      evaluate();
    }
    return move(std::max(found - known, 0.0));
  }

 private:
  static constexpr double kNewDirection = 0.7;
  static constexpr int kPatience = 16;
  static constexpr double kLeastPace = 0.02;

  double evaluate() {
    const std::vector<int32_t>& start = rows_->courierStart;
    crew_.each(columns_->courierCount, [&](int32_t from, int32_t to) {
      for (int32_t courier = from; courier < to; ++courier) {
        bestAt_[courier] = list_.bestFrom(start[courier], start[courier + 1], current.data());
      }
    });
    double sum = 0;
    for (const double price : current) sum += price;
    std::fill(use_.begin(), use_.end(), 0);
    for (const int32_t at : bestAt_) {
      if (at < 0) continue;
      sum += list_.reducedAt(at, current.data());
      for (int32_t slot = list_.first[at]; slot < list_.first[at + 1]; ++slot) ++use_[list_.orders[slot]];
    }
    work += rows_->passWork();
    return sum;
  }

  bool move(double excess) {
    double norm = 0;
    for (size_t order = 0; order < current.size(); ++order) {
      const double slope = use_[order] == 0 && current[order] == 0 ? 0 : use_[order] - 1;
      const double next = kNewDirection * slope + (1 - kNewDirection) * direction_[order];
      direction_[order] = next;
      norm += next * next;
    }
    const double length = (pace_ * excess) / norm;
    if (norm == 0 || length < rows_->step || pace_ < kLeastPace) return false;
    const double steps = 1 / rows_->step;
    for (size_t order = 0; order < current.size(); ++order) {
      const double price = rounded((current[order] + length * direction_[order]) * steps) * rows_->step;
      current[order] = price > 0 ? price : 0;
    }
    return true;
  }

  Crew& crew_;
  const Columns* columns_;
  const Rows* rows_;
  CourierList list_;
  std::vector<double> direction_;
  std::vector<int32_t> use_;
  /// By courier, in the last evaluation.
  std::vector<int32_t> bestAt_;
  double pace_ = 1;
  int stale_ = 0;
};

}  // namespace roundhouse::packing
