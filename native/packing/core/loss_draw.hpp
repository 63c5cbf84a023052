#pragma once

#include <vector>

#include "region.hpp"

namespace roundhouse::packing {

/// Draws couriers and orders by what a choice loses there against the bound; see policy/assignment/loss-draw.ts.
class LossDraw {
 public:
  LossDraw(const Near& near, const std::vector<double>& price, const Choice& choice)
      : near_(near),
        price_(price),
        losses_(near.best.size() + price.size(), 0),
        sums_((losses_.size() + kBlock - 1) / kBlock, 0) {
    for (size_t courier = 0; courier < near.best.size(); ++courier) setCourier(static_cast<int32_t>(courier), choice);
    for (size_t order = 0; order < price.size(); ++order) setOrder(static_cast<int32_t>(order), choice);
  }

  size_t size() const { return losses_.size(); }

  void refresh(const Choice& choice, const Region& region) {
    for (const int32_t courier : region.couriers) setCourier(courier, choice);
    for (const int32_t order : region.orders) setOrder(order, choice);
  }

  /// The last one where nothing is lost.
  int32_t draw(SeededRandom& random) const {
    const double goal = random.unit() * total_;
    double sum = 0;
    size_t block = 0;
    while (block < sums_.size() && sum + sums_[block] <= goal) sum += sums_[block++];
    for (size_t at = block * kBlock; at < losses_.size(); ++at) {
      sum += losses_[at];
      if (sum > goal) return static_cast<int32_t>(at);
    }
    return static_cast<int32_t>(losses_.size()) - 1;
  }

 private:
  static constexpr size_t kBlock = 64;

  void setCourier(int32_t courier, const Choice& choice) {
    const int32_t column = choice.ofCourier[courier];
    set(courier, near_.best[courier] - (column < 0 ? 0 : near_.reduced[column]));
  }

  void setOrder(int32_t order, const Choice& choice) {
    set(near_.best.size() + order, choice.ofOrder[order] < 0 ? price_[order] : 0);
  }

  void set(size_t at, double loss) {
    const double more = loss - losses_[at];
    losses_[at] = loss;
    sums_[at / kBlock] += more;
    total_ += more;
  }

  const Near& near_;
  const std::vector<double>& price_;
  std::vector<double> losses_;
  /// Of kBlock losses each.
  std::vector<double> sums_;
  double total_ = 0;
};

}  // namespace roundhouse::packing
