#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "region.hpp"

namespace roundhouse::packing {

/// Assigns the couriers and orders of a region anew, everything else stays; see policy/assignment/region-search.ts.
class RegionSearch {
 public:
  RegionSearch(const Columns& columns, const Near& near, const std::vector<double>& price, SeededRandom& random)
      : columns_(columns), near_(near), price_(price), random_(random), bit_(columns.orderCount, -1) {}

  /// Options looked at.
  double work = 0;

  /// Changes `choice` where the (noisy) profit grows; says whether it did.
  bool improve(Choice& choice, const Region& region, double noise) {
    for (size_t bit = 0; bit < region.orders.size(); ++bit) bit_[region.orders[bit]] = static_cast<int32_t>(bit);
    held_.clear();
    for (const int32_t courier : region.couriers) {
      if (choice.ofCourier[courier] >= 0) held_.push_back(choice.ofCourier[courier]);
    }
    best_ = collect(region.couriers, noise);
    isBetter_ = false;
    nodesLeft_ = kMaxNodes;
    path_.clear();
    double open = 0;
    for (const int32_t order : region.orders) open += price_[order];
    dropHopeless(open);
    descend(0, 0, 0, open);
    for (const int32_t order : region.orders) bit_[order] = -1;
    if (!isBetter_) return false;
    for (const int32_t column : held_) choice.drop(column);
    for (const int32_t column : bestPath_) choice.take(column);
    return true;
  }

 private:
  static constexpr int kMaxNodes = 400;
  /// As many as a region has couriers.
  static constexpr size_t kMostLists = 6;

  struct Option {
    int32_t column;
    /// Bits of its orders in the region.
    uint32_t mask;
    double reduced;
    double profit;
  };

  struct Regret {
    double bound;
    size_t at;
    double first;
  };

  /// Fills the lists; gives the profit of the columns held.
  double collect(const std::vector<int32_t>& couriers, double noise) {
    double heldProfit = 0;
    count_ = 0;
    const Rows& rows = near_.rows;
    for (const int32_t courier : couriers) {
      std::vector<Option>& list = lists_[count_];
      list.clear();
      for (int32_t at = rows.courierStart[courier]; at < rows.courierStart[courier + 1]; ++at) {
        const uint32_t mask = maskOf(rows.byCourier[at]);
        if (mask != 0) list.push_back(optionOf(rows.byCourier[at], mask, noise));
      }
      work += rows.courierStart[courier + 1] - rows.courierStart[courier];
      std::sort(list.begin(), list.end(), [](const Option& a, const Option& b) {
        return a.reduced > b.reduced || (a.reduced == b.reduced && a.column < b.column);
      });
      if (!list.empty()) ++count_;
      for (const Option& option : list) {
        if (std::find(held_.begin(), held_.end(), option.column) != held_.end()) heldProfit += option.profit;
      }
    }
    return heldProfit;
  }

  Option optionOf(int32_t column, uint32_t mask, double noise) {
    const double more = noise >= 1 ? random_.below(noise) : 0;
    return {column, mask, near_.reduced[column] + more, columns_.profit[column] + more};
  }

  /// 0 where the column needs an order that isn't in the region.
  uint32_t maskOf(int32_t column) const {
    uint32_t mask = 0;
    for (int32_t slot = columns_.orderStart[column]; slot < columns_.orderStart[column + 1]; ++slot) {
      const int32_t bit = bit_[columns_.orders[slot]];
      if (bit < 0) return 0;
      mask |= 1U << bit;
    }
    return mask;
  }

  /// Leaves out options that can't stand in a better choice.
  void dropHopeless(double open) {
    double slack = open - best_;
    for (size_t i = 0; i < count_; ++i) slack += std::max(0.0, lists_[i][0].reduced);
    depths_ = 0;
    for (size_t i = 0; i < count_; ++i) {
      std::vector<Option>& list = lists_[i];
      const double first = std::max(0.0, list[0].reduced);
      const auto isHopeless = [&](const Option& option) { return !(first - option.reduced < slack); };
      list.erase(std::remove_if(list.begin(), list.end(), isHopeless), list.end());
      if (!list.empty()) order_[depths_++] = &list;
    }
  }

  /// `open` is the price of the orders that are still free, `used` their bits.
  void descend(size_t depth, uint32_t used, double profit, double open) {
    if (profit > best_) {
      best_ = profit;
      bestPath_ = path_;
      isBetter_ = true;
    }
    if (depth == depths_ || nodesLeft_-- <= 0) return;
    const Regret regret = regretful(depth, used);
    const double rest = profit + open + regret.bound - regret.first;
    if (rest + regret.first <= best_) return;
    std::swap(order_[depth], order_[regret.at]);
    bool idleTried = false;
    for (const Option& option : *order_[depth]) {
      ++work;
      if ((option.mask & used) != 0) continue;
      if (option.reduced < 0 && !idleTried) {
        idleTried = true;
        if (rest > best_) descend(depth + 1, used, profit, open);
      }
      if (rest + option.reduced <= best_) break;
      path_.push_back(option.column);
      const double paid = option.profit - option.reduced;
      descend(depth + 1, used | option.mask, profit + option.profit, open - paid);
      path_.pop_back();
    }
    if (!idleTried && rest > best_) descend(depth + 1, used, profit, open);
    std::swap(order_[depth], order_[regret.at]);
  }

  /// Sum of the first free options from `depth` on, and the courier who loses most without his first.
  Regret regretful(size_t depth, uint32_t used) {
    Regret found{0, depth, 0};
    double most = -1;
    for (size_t i = depth; i < depths_; ++i) {
      double first = -1;
      double second = 0;
      for (const Option& option : *order_[i]) {
        ++work;
        if ((option.mask & used) != 0) continue;
        const double value = std::max(0.0, option.reduced);
        if (first < 0) {
          first = value;
        } else {
          second = value;
          break;
        }
      }
      first = std::max(0.0, first);
      found.bound += first;
      if (first - second <= most) continue;
      most = first - second;
      found.at = i;
      found.first = first;
    }
    return found;
  }

  const Columns& columns_;
  const Near& near_;
  const std::vector<double>& price_;
  SeededRandom& random_;
  std::vector<int32_t> bit_;
  std::vector<Option> lists_[kMostLists + 1];
  size_t count_ = 0;
  /// The lists in the order in which the search takes them.
  std::vector<Option>* order_[kMostLists + 1] = {};
  size_t depths_ = 0;
  int nodesLeft_ = 0;
  double best_ = 0;
  bool isBetter_ = false;
  std::vector<int32_t> held_, path_, bestPath_;
};

}  // namespace roundhouse::packing
