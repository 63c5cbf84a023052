#include "prediction.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "error.hpp"
#include "fault_text.hpp"

namespace roundhouse::candidate_cost {
namespace {

using layout::ETR_FEATURES;
using layout::ETR_OUTPUTS;
namespace Feature = layout::EtrFeature;
namespace Output = layout::EtrOutput;
namespace Param = layout::Param;

constexpr std::int64_t kDaySeconds = 86400;
constexpr std::int64_t kMaxSeconds = kDaySeconds;
constexpr std::int64_t kLeastFactor = 100;
constexpr std::int64_t kMostFactor = 10000;

/// By layout::OrderFeatureColumn.
constexpr const char* kFeatureNames[layout::ORDER_FEATURE_COLUMNS] = {
    "merchantMeanPrepMinutes",   "merchantStdPrepMinutes", "merchantOpenOrders",  "itemCount",
    "elapsedSincePlacedMinutes", "pickupWaitMeanMinutes",  "handoverMeanMinutes", "dropoffFloor"};

[[noreturn]] void refuse(const Fault& fault) { throw Error(ErrorCode::payloadInvalid, faultText(fault)); }

void requireContext(const std::int64_t* params) {
  const detail::Range ranges[] = {
      {Param::secondsOfDay, "secondsOfDay", 0, kDaySeconds - 1, "is not within 0..86399"},
      {Param::dayOfWeek, "dayOfWeek", 0, 6, "is not within 0..6"},
      {Param::rainPerMille, "rainPerMille", 0, 1000, "is not within 0..1000"},
      {Param::trafficPerMille, "trafficPerMille", 0, 1000, "is not within 0..1000"},
  };
  if (const Fault fault = detail::checkRanges("params", 0, params, ranges)) refuse(fault);
}

const float* featuresOf(const ShardTables& tables, std::int32_t row) {
  return tables.orderFeatures + std::int64_t{row} * layout::ORDER_FEATURE_COLUMNS;
}

void requireFinite(const ShardTables& tables, std::int32_t row) {
  const float* features = featuresOf(tables, row);
  for (int column = 0; column < layout::ORDER_FEATURE_COLUMNS; ++column) {
    if (std::isfinite(features[column])) continue;
    const std::string where = "order_features row " + std::to_string(row) + ", column " + kFeatureNames[column];
    throw Error(ErrorCode::payloadInvalid, where + ": " + std::to_string(features[column]) + " is not finite");
  }
}

std::vector<bool> ordersOnBoard(const ShardTables& tables) {
  std::vector<bool> onBoard(static_cast<std::size_t>(tables.orderCount));
  for (int row = 0; row < tables.courierCount; ++row) {
    const std::int32_t* courier = tables.courier(row);
    for (int index = 0; index < courier[layout::CourierColumn::heldCount]; ++index) {
      const std::int32_t* held = tables.heldOrder(courier[layout::CourierColumn::heldOffset] + index);
      if (held[layout::HeldColumn::onBoard] != 0) onBoard[held[layout::HeldColumn::order]] = true;
    }
  }
  return onBoard;
}

/// Flags of what needs no prediction: what the round knows, and what is over for an order on board.
int settled(const ShardTables& tables, const PredictionRows& needed, int row) {
  const int known = tables.order(row)[layout::OrderColumn::flags];
  return needed.onBoard[row] ? known | layout::KnownFlag::ready | layout::KnownFlag::pickupWait : known;
}

void fillContext(const std::int64_t* params, float* row) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(params[Param::secondsOfDay]) / kDaySeconds;
  row[Feature::sinTimeOfDay] = static_cast<float>(std::sin(angle));
  row[Feature::cosTimeOfDay] = static_cast<float>(std::cos(angle));
  row[Feature::isWeekend] = params[Param::dayOfWeek] >= 5 ? 1.0f : 0.0f;
  row[Feature::rain] = static_cast<float>(static_cast<double>(params[Param::rainPerMille]) / 1000);
  row[Feature::traffic] = static_cast<float>(static_cast<double>(params[Param::trafficPerMille]) / 1000);
}

double finite(const float* quantiles, std::size_t row, int column) {
  const double value = quantiles[row * ETR_OUTPUTS + column];
  if (std::isfinite(value)) return value;
  throw Error(ErrorCode::modelFailed,
              "the network gave a value that is not finite in column " + std::to_string(column));
}

std::int32_t roundedWithin(double value, std::int64_t least, std::int64_t most) {
  const double rounded = std::floor(value + 0.5);
  return static_cast<std::int32_t>(std::clamp(rounded, static_cast<double>(least), static_cast<double>(most)));
}

OrderTimes predictedTimes(const std::int32_t* order, int settledFlags, const float* quantiles, std::size_t row,
                          int shift) {
  const auto seconds = [&](int column) {
    return roundedWithin(finite(quantiles, row, column + shift), 0, kMaxSeconds);
  };
  OrderTimes times = statedTimes(order);
  if ((settledFlags & layout::KnownFlag::ready) == 0) {
    const std::int64_t ready = std::int64_t{order[layout::OrderColumn::placedAt]} + seconds(Output::prepP50);
    times.readyAt = static_cast<std::int32_t>(std::clamp<std::int64_t>(ready, 0, layout::NO_LIMIT - 1));
  }
  if ((settledFlags & layout::KnownFlag::pickupWait) == 0) times.pickupPostService = seconds(Output::waitP50);
  if ((settledFlags & layout::KnownFlag::handover) == 0) times.dropoffPostService = seconds(Output::handoverP50);
  return times;
}

}  // namespace

PredictionRows planPrediction(const ShardTables& tables) {
  constexpr int everything = layout::KnownFlag::ready | layout::KnownFlag::pickupWait | layout::KnownFlag::handover;
  PredictionRows needed;
  needed.onBoard = ordersOnBoard(tables);
  needed.rideFactors = !tables.flag(Param::travelKnown);
  for (int row = 0; row < tables.orderCount; ++row) {
    if (settled(tables, needed, row) == everything) continue;
    requireFinite(tables, row);
    needed.orders.push_back(row);
  }
  if (needed.count() > 0) requireContext(tables.params);
  return needed;
}

void gatherFeatures(const ShardTables& tables, const PredictionRows& needed, float* rows) {
  std::fill_n(rows, needed.count() * ETR_FEATURES, 0.0f);
  for (const std::int32_t order : needed.orders) {
    fillContext(tables.params, rows);
    std::copy_n(featuresOf(tables, order), layout::ORDER_FEATURE_COLUMNS, rows + Feature::orderFeatures);
    const std::int32_t* columns = tables.order(order);
    const std::int64_t metres = distanceMetres(tables.place(columns[layout::OrderColumn::pickupPlace]),
                                               tables.place(columns[layout::OrderColumn::dropoffPlace]));
    rows[Feature::directKilometres] = static_cast<float>(static_cast<double>(metres) / 1000);
    rows += ETR_FEATURES;
  }
  for (int vehicle = 0; needed.rideFactors && vehicle < kVehicles; ++vehicle, rows += ETR_FEATURES) {
    fillContext(tables.params, rows);
    rows[Feature::isLegRow] = 1.0f;
    rows[Feature::vehicle + vehicle] = 1.0f;
  }
}

ShardTimes shardTimes(const ShardTables& tables, const PredictionRows& needed, const float* quantiles) {
  const int shift = tables.params[Param::quantile] == 90 ? 1 : 0;
  ShardTimes times;
  times.orders.reserve(static_cast<std::size_t>(tables.orderCount));
  for (int row = 0; row < tables.orderCount; ++row) times.orders.push_back(statedTimes(tables.order(row)));
  for (std::size_t at = 0; at < needed.orders.size(); ++at) {
    const std::int32_t row = needed.orders[at];
    times.orders[row] = predictedTimes(tables.order(row), settled(tables, needed, row), quantiles, at, shift);
  }
  for (int vehicle = 0; vehicle < kVehicles; ++vehicle) {
    times.rideFactors[vehicle] = 1000;
    if (!needed.rideFactors) continue;
    const double ratio = finite(quantiles, needed.orders.size() + vehicle, Output::rideP50 + shift);
    times.rideFactors[vehicle] = roundedWithin(1000 * ratio, kLeastFactor, kMostFactor);
  }
  return times;
}

}  // namespace roundhouse::candidate_cost
