#include "prediction.hpp"

#include <cmath>
#include <numbers>

#include "error.hpp"
#include "fault_text.hpp"

namespace roundhouse::candidate_cost {
namespace {

using layout::ETR_FEATURES;
using layout::ETR_OUTPUTS;
namespace Param = layout::Param;

constexpr std::int64_t kDaySeconds = 86400;

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

void requireFinite(const ShardTables& tables, std::int32_t row) {
  const float* features = tables.orderFeatures + std::int64_t{row} * layout::ORDER_FEATURE_COLUMNS;
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

}  // namespace

PredictionRows planPrediction(const ShardTables& tables) {
  PredictionRows needed;
  needed.onBoard = ordersOnBoard(tables);
  needed.rideFactors = !tables.flag(Param::travelKnown);
  for (int row = 0; row < tables.orderCount; ++row) {
    if (settledFlags(tables.order(row), needed.onBoard[row]) == kEverySettled) continue;
    requireFinite(tables, row);
    needed.orders.push_back(row);
  }
  if (needed.count() > 0) requireContext(tables.params);
  return needed;
}

EtrContext etrContext(const std::int64_t* params) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(params[Param::secondsOfDay]) / kDaySeconds;
  return {static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle)),
          params[Param::dayOfWeek] >= 5 ? 1.0f : 0.0f,
          static_cast<float>(static_cast<double>(params[Param::rainPerMille]) / 1000),
          static_cast<float>(static_cast<double>(params[Param::trafficPerMille]) / 1000)};
}

void gatherFeatures(const ShardTables& tables, const PredictionRows& needed, float* rows) {
  const EtrContext context = etrContext(tables.params);
  for (const std::int32_t order : needed.orders) {
    fillOrderRow(tables, context, order, rows);
    rows += ETR_FEATURES;
  }
  for (int vehicle = 0; needed.rideFactors && vehicle < kVehicles; ++vehicle, rows += ETR_FEATURES) {
    fillLegRow(context, vehicle, rows);
  }
}

void requireAllFinite(int column) {
  if (column == kAllFinite) return;
  throw Error(ErrorCode::modelFailed,
              "the network gave a value that is not finite in column " + std::to_string(column));
}

ShardTimes shardTimes(const ShardTables& tables, const PredictionRows& needed, const float* quantiles) {
  const int shift = quantileShift(tables);
  ShardTimes times;
  times.orders.reserve(static_cast<std::size_t>(tables.orderCount));
  for (int row = 0; row < tables.orderCount; ++row) times.orders.push_back(statedTimes(tables.order(row)));
  for (const std::int32_t row : needed.orders) {
    const int settled = settledFlags(tables.order(row), needed.onBoard[row]);
    requireAllFinite(predictTimes(tables.order(row), settled, quantiles, shift, times.orders[row]));
    quantiles += ETR_OUTPUTS;
  }
  for (std::int32_t& factor : times.rideFactors) {
    factor = 1000;
    if (!needed.rideFactors) continue;
    requireAllFinite(predictRideFactor(quantiles, shift, factor));
    quantiles += ETR_OUTPUTS;
  }
  return times;
}

}  // namespace roundhouse::candidate_cost
