#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace roundhouse::packing {

/// The columns of a packing problem as policy/assignment/profit-columns.ts has them; owns nothing.
struct Columns {
  int32_t count = 0;
  int32_t courierCount = 0;
  int32_t orderCount = 0;
  const int32_t* courier = nullptr;
  /// Whole, from 0 to 2^52.
  const double* profit = nullptr;
  /// Orders of column c: orders[orderStart[c]] … orders[orderStart[c + 1] − 1].
  const int32_t* orderStart = nullptr;
  const int32_t* orders = nullptr;
  double penaltySum = 0;
};

/// Some of the columns of a problem, in their order.
struct ColumnCopy {
  std::vector<int32_t> courier, orderStart, orders;
  std::vector<double> profit;
  Columns view;

  ColumnCopy(const Columns& all, const std::vector<int32_t>& kept) : orderStart{0}, view(all) {
    for (const int32_t column : kept) {
      courier.push_back(all.courier[column]);
      profit.push_back(all.profit[column]);
      orders.insert(orders.end(), all.orders + all.orderStart[column], all.orders + all.orderStart[column + 1]);
      orderStart.push_back(static_cast<int32_t>(orders.size()));
    }
    view.count = static_cast<int32_t>(kept.size());
    view.courier = courier.data();
    view.profit = profit.data();
    view.orderStart = orderStart.data();
    view.orders = orders.data();
  }
  ColumnCopy(const ColumnCopy&) = delete;
  ColumnCopy& operator=(const ColumnCopy&) = delete;
};

/// As Math.round: halves go up.
inline double rounded(double value) {
  const double floor = std::floor(value);
  return value - floor >= 0.5 ? floor + 1 : floor;
}

constexpr double kSmall = 2251799813685248.0;  // 2^51

/// Not for `roundedSmall`.
inline int64_t isTooLarge(double value) { return !(std::fabs(value) < kSmall); }

/// The same for values below 2^51, without a branch: the sum has room for the whole part alone, halves go to even.
inline double roundedSmall(double value) {
  constexpr double kWholeOnly = 3 * kSmall;
  const double whole = (value + kWholeOnly) - kWholeOnly;
  return whole + (value - whole == 0.5 ? 1.0 : 0.0);
}

/// As policy/assignment/seeded-random.ts.
class SeededRandom {
 public:
  explicit SeededRandom(uint32_t seed) : state_(seed == 0 ? 1 : seed) {}

  double below(double limit) { return std::floor(unit() * limit); }
  int32_t index(int32_t count) { return static_cast<int32_t>(below(count)); }

  double unit() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ / 4294967296.0;
  }

 private:
  uint32_t state_;
};

}  // namespace roundhouse::packing
