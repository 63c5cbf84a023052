#pragma once

#include "tables.hpp"

namespace roundhouse::candidate_cost {

/// Predicted times are at most a day; ride factors per mille.
constexpr int32_t kMaxPredictedSeconds = 86400;
constexpr int32_t kLeastRideFactor = 100;
constexpr int32_t kMostRideFactor = 10000;

/// What a prediction has no say in: the flags that the round sets, and for an order on board what is over.
ROUNDHOUSE_HD inline int settledFlags(const int32_t* order, bool onBoard) {
  const int known = order[layout::OrderColumn::flags];
  return onBoard ? known | layout::KnownFlag::ready | layout::KnownFlag::pickupWait : known;
}

constexpr int kEverySettled =
    layout::KnownFlag::ready | layout::KnownFlag::pickupWait | layout::KnownFlag::handover;

/// Column offset of the quantile that the round names.
ROUNDHOUSE_HD inline int quantileShift(const ShardTables& tables) {
  return tables.params[layout::Param::quantile] == 90 ? 1 : 0;
}

/// No output is wrong.
constexpr int kAllFinite = -1;

namespace detail {

ROUNDHOUSE_HD inline bool isFinite(float value) { return value - value == 0.0f; }

/// ⌊value + ½⌋ held within two limits of at least 0. `value` has at most 34 bits, so that no multiplication before it
/// rounds and a GPU's fused one gives the same.
ROUNDHOUSE_HD inline int32_t roundedWithin(double value, int32_t least, int32_t most) {
  const double raised = value + 0.5;
  if (!(raised > least)) return least;
  return raised < most ? static_cast<int32_t>(raised) : most;
}

/// False where the column is not finite.
ROUNDHOUSE_HD inline bool secondsOf(const float* quantiles, int column, int32_t& seconds) {
  seconds = roundedWithin(quantiles[column], 0, kMaxPredictedSeconds);
  return isFinite(quantiles[column]);
}

}  // namespace detail

/// An order's times: what `settled` names as stated, the rest from its row of the network by the rule of docs/etr.md.
/// Returns the first column that is used and not finite, or kAllFinite.
ROUNDHOUSE_HD inline int predictTimes(const int32_t* order, int settled, const float* quantiles, int shift,
                                      OrderTimes& times) {
  namespace K = layout::KnownFlag;
  namespace O = layout::EtrOutput;
  times = statedTimes(order);
  int32_t seconds = 0;
  if ((settled & K::ready) == 0) {
    if (!detail::secondsOf(quantiles, O::prepP50 + shift, seconds)) return O::prepP50 + shift;
    const int64_t ready = int64_t{order[layout::OrderColumn::placedAt]} + seconds;
    times.readyAt = static_cast<int32_t>(smaller<int64_t>(larger<int64_t>(ready, 0), layout::NO_LIMIT - 1));
  }
  if ((settled & K::pickupWait) == 0) {
    if (!detail::secondsOf(quantiles, O::waitP50 + shift, seconds)) return O::waitP50 + shift;
    times.pickupPostService = seconds;
  }
  if ((settled & K::handover) == 0) {
    if (!detail::secondsOf(quantiles, O::handoverP50 + shift, seconds)) return O::handoverP50 + shift;
    times.dropoffPostService = seconds;
  }
  return kAllFinite;
}

/// A vehicle class's ride factor from its row, per mille. Returns as `predictTimes`.
ROUNDHOUSE_HD inline int predictRideFactor(const float* quantiles, int shift, int32_t& factor) {
  const int column = layout::EtrOutput::rideP50 + shift;
  if (!detail::isFinite(quantiles[column])) return column;
  factor = detail::roundedWithin(1000 * static_cast<double>(quantiles[column]), kLeastRideFactor, kMostRideFactor);
  return kAllFinite;
}

}  // namespace roundhouse::candidate_cost
