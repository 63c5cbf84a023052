#pragma once

#include <algorithm>

#include "pack_rows.hpp"
#include "subset.hpp"

namespace roundhouse::packing {

struct Packing {
  /// By courier.
  std::vector<int32_t> columns;
  /// No solution has a larger profit.
  double bound = 0;
};

/// As policy/assignment/pack-many.ts, with the same result to the last bit, whatever the number of threads.
class ManyPacker {
 public:
  ManyPacker(const Columns& columns, const Goal& goal, int threads)
      : columns_(columns), goal_(goal), threads_(threads) {}

  Packing pack() {
    const std::vector<int32_t> sequence = byLargestProfit(columns_);
    const Rows rows = rowsOf(columns_, sequence, priceStep(columns_));
    Choice best(columns_);
    for (const int32_t column : sequence) {
      if (best.fits(column)) best.take(column);
    }
    const Priced priced = lowerPrices(rows, best);
    double bound = priced.bound;
    if (best.profit < goal_.of(bound)) {
      Subset subset(rows);
      subset.price(priced.price);
      const std::vector<int32_t> kept = subset.leastLosses(best, kFew);
      bound = std::min(bound, subset.price(packFew(rows, kept, best, priced.price)));
    }
    return {best.chosen(), std::max(best.profit, std::floor(bound))};
  }

 private:
  static constexpr double kFew = 10'000;
  static constexpr double kFewShare = 0.4;
  static constexpr double kMostSteps = 200;
  static constexpr double kVisitedShare = 0.125;
  static constexpr int kStepsPerGreedy = 50;

  struct Priced {
    std::vector<double> price;
    double bound;
  };

  /// At least one step: a bound. The threads are there as long as this takes.
  Priced lowerPrices(const Rows& rows, Choice& best) const {
    Crew crew(threads_);
    Prices prices(rows, startPrices(columns_, rows.step), crew);
    const double affordable = std::floor((kPriceShare * goal_.budget) / (kVisitedShare * rows.passWork()));
    const double steps = std::max(1.0, std::min(kMostSteps, affordable));
    for (int step = 1; step <= steps; ++step) {
      const bool moves = prices.step(best.profit);
      if (step % kStepsPerGreedy == 0 || !moves) {
        const Choice choice = pricedGreedy(rows, prices, crew);
        if (choice.profit > best.profit) best.copyFrom(choice);
      }
      if (!moves || best.profit >= goal_.of(prices.bound)) break;
    }
    return {std::move(prices.best), prices.bound};
  }

  /// Betters `best` with the columns `kept`, which hold its own; gives the best prices for them.
  std::vector<double> packFew(const Rows& rows, const std::vector<int32_t>& kept, Choice& best,
                              const std::vector<double>& start) const {
    const ColumnCopy few(columns_, kept);
    const Rows fewRows = rowsOf(few.view, byLargestProfit(few.view), rows.step);
    Choice choice(few.view);
    for (const int32_t column : best.chosen()) {
      choice.take(static_cast<int32_t>(std::lower_bound(kept.begin(), kept.end(), column) - kept.begin()));
    }
    Goal goal = goal_;
    goal.budget = goal_.budget * kFewShare;
    Crew alone(1);
    std::vector<double> prices = RowPacker(fewRows, goal, alone).pack(choice, start);
    best.clear();
    for (const int32_t column : choice.chosen()) best.take(kept[column]);
    return prices;
  }

  const Columns& columns_;
  const Goal goal_;
  const int threads_;
};

}  // namespace roundhouse::packing
