#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "choice.hpp"
#include "crew.hpp"
#include "prices.hpp"

namespace roundhouse::packing {

inline void takeLargestOf(const Rows& rows, Choice& choice, int32_t courier, const double* value) {
  double largest = 0;
  int32_t taken = -1;
  for (int32_t at = rows.courierStart[courier]; at < rows.courierStart[courier + 1]; ++at) {
    const int32_t column = rows.byCourier[at];
    if (value[column] <= largest || !choice.fits(column)) continue;
    largest = value[column];
    taken = column;
  }
  if (taken >= 0) choice.take(taken);
}

/// Couriers in the order of their largest reduced profit take what still fits: first the largest reduced profit above 0,
/// then, where nothing was left, the largest profit. Its visits are counted among those of the prices.
inline Choice pricedGreedy(const Rows& rows, Prices& prices, Crew& crew) {
  const Columns& columns = *rows.columns;
  std::vector<double> reduced(columns.count, 0);
  std::vector<double> best(columns.courierCount, 0);
  const double* price = prices.padded();
  crew.each(columns.courierCount, [&](int32_t from, int32_t to) {
    for (int32_t courier = from; courier < to; ++courier) {
      for (int32_t at = rows.courierStart[courier]; at < rows.courierStart[courier + 1]; ++at) {
        const double value = prices.reducedAt(at, price);
        reduced[rows.byCourier[at]] = value;
        best[courier] = std::max(best[courier], value);
      }
    }
  });
  std::vector<int32_t> couriers(columns.courierCount);
  std::iota(couriers.begin(), couriers.end(), 0);
  std::sort(couriers.begin(), couriers.end(), [&](int32_t a, int32_t b) {
    return best[a] > best[b] || (best[a] == best[b] && a < b);
  });
  prices.work += rows.passWork() + static_cast<double>(rows.byCourier.size());
  Choice choice(columns);
  for (const int32_t courier : couriers) takeLargestOf(rows, choice, courier, reduced.data());
  for (const int32_t courier : couriers) {
    if (choice.ofCourier[courier] < 0) takeLargestOf(rows, choice, courier, columns.profit);
  }
  return choice;
}

}  // namespace roundhouse::packing
