#pragma once

#include <algorithm>
#include <memory>

#include "greedy.hpp"
#include "loss_draw.hpp"
#include "near.hpp"
#include "region_search.hpp"

namespace roundhouse::packing {

/// Share of the budget that the prices may use.
constexpr double kPriceShare = 0.45;

struct Goal {
  /// Visits of a column.
  double budget = 0;
  double closeEnough = 0;
  double penaltySum = 0;

  /// The profit from which on a search isn't worth its time, under a bound.
  double of(double bound) const {
    constexpr double kWhole = 1 - std::numeric_limits<double>::epsilon();
    return bound - std::max(kWhole, closeEnough * std::max(0.0, penaltySum - bound));
  }
};

/// Exact searches of small regions, drawn where the choice loses most against the bound. `noise` falls to 0 over the
/// budget; `best` only grows. Ends at the profit `goal`.
inline void searchRegions(const Rows& rows, Choice& best, const Prices& prices, SeededRandom& random, double goal,
                          double budget, double noise) {
  constexpr double kSearchReach = 1.5;
  constexpr double kWorkPerRegion = 1'000;
  const Columns& columns = *rows.columns;
  const Near near(rows, prices, best.profit, kSearchReach);
  RegionSearch search(columns, near, prices.best, random);
  double largest = 0;
  for (int32_t column = 0; column < columns.count; ++column) largest = std::max(largest, columns.profit[column]);
  Choice choice(columns);
  choice.copyFrom(best);
  LossDraw losses(near, prices.best, choice);
  Region region(columns, near, choice);
  bool changed = true;
  while (search.work < budget && best.profit < goal) {
    if (changed) search.work += static_cast<double>(losses.size());
    region.clear();
    const int32_t at = losses.draw(random);
    if (at < columns.courierCount) region.addCourier(at);
    else region.addOrder(at - columns.courierCount);
    region.grow(random);
    const double left = (budget - search.work) / budget;
    search.work += kWorkPerRegion;
    changed = search.improve(choice, region, noise * left * largest);
    if (choice.profit > best.profit) best.copyFrom(choice);
    if (changed) losses.refresh(choice, region);
  }
}

/// Betters `best`; gives the prices, whose bound holds for the columns of the rows; see policy/assignment/pack-rows.ts.
class RowPacker {
 public:
  RowPacker(const Rows& rows, const Goal& goal, Crew& crew) : all_(rows), goal_(goal), crew_(crew) {}

  std::vector<double> pack(Choice& best, const std::vector<double>& start) {
    struct Phase {
      int steps;
      double share;
      double noise;
    };
    constexpr Phase kPhases[] = {{60, 0.05, 0}, {100, 0.1, 0}, {240, 0.7, 0.1}, {0, 0.15, 0}};
    Prices prices(all_, start, crew_);
    SeededRandom random(20'260'101);
    const Rows* rows = &all_;
    std::unique_ptr<Rows> kept;
    for (const Phase& phase : kPhases) {
      lowerBound(*rows, prices, best, phase.steps);
      const double profit = goal_.of(prices.bound);
      if (best.profit >= profit) break;
      const double budget = goal_.budget * (1 - kPriceShare) * phase.share - kPassesPerSearch * all_.passWork();
      if (budget > 0) searchRegions(all_, best, prices, random, profit, budget, phase.noise);
      auto nearer = std::make_unique<Rows>(Near(*rows, prices, best.profit).rows);
      prices.restrictTo(*nearer);
      kept = std::move(nearer);
      rows = kept.get();
    }
    return std::move(prices.best);
  }

 private:
  static constexpr double kPassesPerSearch = 4;
  static constexpr int kStepsPerGreedy = 10;

  /// Steps of the prices, with a greedy choice at their prices now and then.
  void lowerBound(const Rows& rows, Prices& prices, Choice& best, int steps) {
    const double limit = goal_.budget * kPriceShare;
    for (int step = 1; step <= steps && prices.work < limit; ++step) {
      const bool moves = prices.step(best.profit);
      if (step % kStepsPerGreedy == 0 || !moves) {
        const Choice choice = pricedGreedy(rows, prices, crew_);
        if (choice.profit > best.profit) best.copyFrom(choice);
      }
      if (!moves || best.profit >= goal_.of(prices.bound)) return;
    }
  }

  const Rows& all_;
  const Goal& goal_;
  Crew& crew_;
};

}  // namespace roundhouse::packing
