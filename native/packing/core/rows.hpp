#pragma once

#include <algorithm>
#include <vector>

#include "columns.hpp"

namespace roundhouse::packing {

/// Columns of courier c: byCourier[courierStart[c]] … byCourier[courierStart[c + 1] − 1], the larger profit first;
/// those of an order likewise in byOrder.
struct Rows {
  const Columns* columns = nullptr;
  std::vector<int32_t> courierStart, byCourier, orderStart, byOrder;
  /// Prices are multiples of it.
  double step = 0;

  /// Visits of columns and of their orders that one pass over all of them takes.
  double passWork() const { return static_cast<double>(byCourier.size() + byOrder.size()); }
};

inline std::vector<int32_t> startsOf(const int32_t* rows, int32_t used, int32_t rowCount) {
  std::vector<int32_t> start(rowCount + 1, 0);
  for (int32_t slot = 0; slot < used; ++slot) ++start[rows[slot] + 1];
  for (int32_t row = 0; row < rowCount; ++row) start[row + 1] += start[row];
  return start;
}

/// Columns by profit, the largest first, the smaller column first among equals.
inline std::vector<int32_t> byLargestProfit(const Columns& columns) {
  constexpr int kDigitBits = 16;
  constexpr uint64_t kDigits = uint64_t{1} << kDigitBits;
  double largest = 0;
  for (int32_t column = 0; column < columns.count; ++column) largest = std::max(largest, columns.profit[column]);
  std::vector<uint64_t> keys(columns.count);
  for (int32_t column = 0; column < columns.count; ++column) {
    keys[column] = static_cast<uint64_t>(largest - columns.profit[column]);
  }
  std::vector<int32_t> order(columns.count), spare(columns.count), start(kDigits + 1);
  for (int32_t column = 0; column < columns.count; ++column) order[column] = column;
  for (int shift = 0; shift < 64 && (static_cast<uint64_t>(largest) >> shift) > 0; shift += kDigitBits) {
    std::fill(start.begin(), start.end(), 0);
    for (const int32_t column : order) ++start[((keys[column] >> shift) & (kDigits - 1)) + 1];
    for (uint64_t digit = 0; digit < kDigits; ++digit) start[digit + 1] += start[digit];
    for (const int32_t column : order) spare[start[(keys[column] >> shift) & (kDigits - 1)]++] = column;
    order.swap(spare);
  }
  return order;
}

/// A power of two: a sum of one price an order and one profit a courier stays below 2^52 steps.
inline double priceStep(const Columns& columns) {
  double largest = 1;
  for (int32_t column = 0; column < columns.count; ++column) largest = std::max(largest, columns.profit[column]);
  const double sum = largest * (columns.orderCount + columns.courierCount);
  double step = 1.0 / 65536;
  while (sum / step >= 4503599627370496.0) step *= 2;
  return step;
}

/// Each row in the order of `sequence`, which names every column.
inline Rows rowsOf(const Columns& columns, const std::vector<int32_t>& sequence, double step) {
  const int32_t slots = columns.orderStart[columns.count];
  Rows rows;
  rows.columns = &columns;
  rows.step = step;
  rows.courierStart = startsOf(columns.courier, columns.count, columns.courierCount);
  rows.orderStart = startsOf(columns.orders, slots, columns.orderCount);
  rows.byCourier.resize(columns.count);
  rows.byOrder.resize(slots);
  std::vector<int32_t> nextOfCourier = rows.courierStart;
  std::vector<int32_t> nextOfOrder = rows.orderStart;
  for (const int32_t column : sequence) {
    rows.byCourier[nextOfCourier[columns.courier[column]]++] = column;
    for (int32_t slot = columns.orderStart[column]; slot < columns.orderStart[column + 1]; ++slot) {
      rows.byOrder[nextOfOrder[columns.orders[slot]]++] = column;
    }
  }
  return rows;
}

inline void filterRows(const std::vector<int32_t>& start, const std::vector<int32_t>& items,
                       const std::vector<uint8_t>& isKept, std::vector<int32_t>& newStart, std::vector<int32_t>& kept) {
  newStart.assign(1, 0);
  for (size_t row = 0; row + 1 < start.size(); ++row) {
    for (int32_t at = start[row]; at < start[row + 1]; ++at) {
      if (isKept[items[at]] == 1) kept.push_back(items[at]);
    }
    newStart.push_back(static_cast<int32_t>(kept.size()));
  }
}

/// The columns marked with 1 alone.
inline Rows restrictedRows(const Rows& rows, const std::vector<uint8_t>& isKept) {
  Rows kept;
  kept.columns = rows.columns;
  kept.step = rows.step;
  filterRows(rows.courierStart, rows.byCourier, isKept, kept.courierStart, kept.byCourier);
  filterRows(rows.orderStart, rows.byOrder, isKept, kept.orderStart, kept.byOrder);
  return kept;
}

}  // namespace roundhouse::packing
