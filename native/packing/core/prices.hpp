#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "crew.hpp"
#include "rows.hpp"

namespace roundhouse::packing {

/// The columns of rows courier by courier with what is read of them in every pass side by side: profits, and as many orders
/// for each as the largest bundle has. Where a bundle has fewer, order `orderCount` stands, whose price is 0.
class CourierList {
 public:
  explicit CourierList(const Rows& rows) : none_(rows.columns->orderCount) {
    const Columns& columns = *rows.columns;
    for (const int32_t column : rows.byCourier) {
      width_ = std::max(width_, columns.orderStart[column + 1] - columns.orderStart[column]);
    }
    profit_.reserve(rows.byCourier.size());
    orders_.assign(rows.byCourier.size() * width_, none_);
    for (size_t at = 0; at < rows.byCourier.size(); ++at) {
      const int32_t column = rows.byCourier[at];
      profit_.push_back(columns.profit[column]);
      std::copy(columns.orders + columns.orderStart[column], columns.orders + columns.orderStart[column + 1],
                orders_.begin() + at * width_);
    }
  }

  /// `price` has a 0 behind those of the orders, here and below.
  double reducedAt(int32_t at, const double* price) const {
    double reduced = profit_[at];
    for (int32_t i = 0; i < width_; ++i) reduced -= price[orders_[static_cast<size_t>(at) * width_ + i]];
    return reduced;
  }

  /// The position of the largest reduced profit above 0, the first among equals; −1 where none is.
  int32_t bestFrom(int32_t from, int32_t to, const double* price) const {
    switch (width_) {
      case 1: return bestOf<1>(from, to, price);
      case 2: return bestOf<2>(from, to, price);
      case 3: return bestOf<3>(from, to, price);
      default: return bestOf<0>(from, to, price);
    }
  }

  template <typename Visit>
  void eachOrder(int32_t at, Visit&& visit) const {
    for (int32_t i = 0; i < width_; ++i) {
      const int32_t order = orders_[static_cast<size_t>(at) * width_ + i];
      if (order != none_) visit(order);
    }
  }

 private:
  /// `Width` 0: that of the list.
  template <int32_t Width>
  int32_t bestOf(int32_t from, int32_t to, const double* price) const {
    const int32_t width = Width == 0 ? width_ : Width;
    const int32_t* orders = orders_.data() + static_cast<size_t>(from) * width;
    double best = 0;
    int32_t bestAt = -1;
    for (int32_t at = from; at < to; ++at, orders += width) {
      double reduced = profit_[at];
      if (reduced <= best) break;
      for (int32_t i = 0; i < width; ++i) reduced -= price[orders[i]];
      if (reduced <= best) continue;
      best = reduced;
      bestAt = at;
    }
    return bestAt;
  }

  int32_t none_;
  int32_t width_ = 1;
  std::vector<double> profit_;
  std::vector<int32_t> orders_;
};

/// Half of the largest share of an order in a profit.
inline std::vector<double> startPrices(const Columns& columns, double step) {
  std::vector<double> price(columns.orderCount, 0);
  for (int32_t column = 0; column < columns.count; ++column) {
    const int32_t from = columns.orderStart[column];
    const int32_t to = columns.orderStart[column + 1];
    const double share = rounded(columns.profit[column] / (to - from) / 2 / step) * step;
    for (int32_t slot = from; slot < to; ++slot) {
      double& known = price[columns.orders[slot]];
      known = std::max(known, share);
    }
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
        padded_(columns_->orderCount + 1, 0),
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

  /// The current prices with a 0 behind them, for `reducedAt`.
  const double* padded() {
    std::copy(current.begin(), current.end(), padded_.begin());
    return padded_.data();
  }

  double reducedAt(int32_t at, const double* price) const { return list_.reducedAt(at, price); }

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
    const double* price = padded();
    crew_.each(columns_->courierCount, [&](int32_t from, int32_t to) {
      for (int32_t courier = from; courier < to; ++courier) {
        bestAt_[courier] = list_.bestFrom(start[courier], start[courier + 1], price);
      }
    });
    double sum = 0;
    for (const double value : current) sum += value;
    std::fill(use_.begin(), use_.end(), 0);
    for (const int32_t at : bestAt_) {
      if (at < 0) continue;
      sum += list_.reducedAt(at, price);
      list_.eachOrder(at, [&](int32_t order) { ++use_[order]; });
    }
    work += rows_->passWork();
    return sum;
  }

  bool move(double excess) {
    turn();
    double norm = 0;
    for (const double value : direction_) norm += value * value;
    const double length = (pace_ * excess) / norm;
    if (norm == 0 || length < rows_->step || pace_ < kLeastPace) return false;
    moveBy(length);
    return true;
  }

  /// Loops like this one and the next are without branches, so that the compiler does several orders at once.
  void turn() {
    const size_t count = current.size();
    const double* price = current.data();
    const int32_t* use = use_.data();
    double* direction = direction_.data();
    for (size_t order = 0; order < count; ++order) {
      const bool isIdle = (use[order] == 0) & (price[order] == 0);
      const double own = isIdle ? 0.0 : use[order] - 1.0;
      direction[order] = kNewDirection * own + (1 - kNewDirection) * direction[order];
    }
  }

  void moveBy(double length) {
    const double step = rows_->step;
    const double steps = 1 / step;
    const size_t count = current.size();
    const double* direction = direction_.data();
    double* price = current.data();
    double* moved = padded_.data();
    int64_t large = 0;
    for (size_t order = 0; order < count; ++order) {
      const double value = (price[order] + length * direction[order]) * steps;
      large |= isTooLarge(value);
      const double next = roundedSmall(value) * step;
      moved[order] = next > 0 ? next : 0;
    }
    if (large == 0) {
      std::copy(moved, moved + count, price);
      return;
    }
    for (size_t order = 0; order < count; ++order) {
      const double next = rounded((price[order] + length * direction[order]) * steps) * step;
      price[order] = next > 0 ? next : 0;
    }
  }

  Crew& crew_;
  const Columns* columns_;
  const Rows* rows_;
  CourierList list_;
  std::vector<double> padded_;
  std::vector<double> direction_;
  std::vector<int32_t> use_;
  /// By courier, in the last evaluation.
  std::vector<int32_t> bestAt_;
  double pace_ = 1;
  int stale_ = 0;
};

}  // namespace roundhouse::packing
