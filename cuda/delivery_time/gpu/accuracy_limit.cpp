#include "accuracy_limit.hpp"

#include <cmath>
#include <limits>
#include <random>

namespace roundhouse::delivery_time::gpu {
namespace {

constexpr std::size_t kFirstRideFactor = 6;

bool isContract(const Columns& columns) {
  return columns.features == kFeatures && columns.quantiles == kQuantiles;
}

float largestOf(const Columns& columns, std::span<const float> values, std::size_t column) {
  float largest = 0;
  for (std::size_t at = column; at < values.size(); at += columns.quantiles) {
    if (std::isfinite(values[at])) largest = std::max(largest, std::fabs(values[at]));
  }
  return largest;
}

float distance(float expected, float found, float limit) {
  if (std::isfinite(expected) && std::isfinite(found)) {
    const float away = std::fabs(expected - found);
    const float most = limit + kRelativeLimit * std::fabs(expected);
    return away == 0 ? 0 : away / most;
  }
  const bool same = std::isnan(expected) ? std::isnan(found) : expected == found;
  return same ? 0 : std::numeric_limits<float>::infinity();
}

/// An order's row or a leg's, as docs/etr.md has them; `extreme` takes the ends of the ranges.
class RowSource {
 public:
  explicit RowSource(float* columns, std::mt19937& random, bool extreme)
      : columns_(columns), random_(random), extreme_(extreme) {}

  void fill() {
    const bool isLeg = random_() % 8 == 7;
    const double angle = within(0, 6.28f);
    columns_[0] = isLeg ? 1.0f : 0.0f;
    columns_[1] = static_cast<float>(std::sin(angle));
    columns_[2] = static_cast<float>(std::cos(angle));
    columns_[3] = static_cast<float>(random_() % 2);
    columns_[4] = within(0, 1);
    columns_[5] = within(0, 1);
    if (isLeg)
      columns_[15 + random_() % 4] = 1.0f;
    else
      order();
  }

 private:
  float within(float low, float high) {
    const float part = extreme_ ? static_cast<float>(random_() % 2) : static_cast<float>(random_() % 10'001) / 10'000.0f;
    return low + part * (high - low);
  }
  float unknownOr(float low, float high) { return random_() % 5 == 0 ? 0.0f : within(low, high); }
  void order() {
    columns_[6] = unknownOr(1, 60);
    columns_[7] = unknownOr(0.1f, 30);
    columns_[8] = std::floor(within(0, 40));
    columns_[9] = std::floor(within(1, 30));
    columns_[10] = within(0, 120);
    columns_[11] = unknownOr(0.1f, 20);
    columns_[12] = unknownOr(0.1f, 20);
    columns_[13] = std::floor(within(0, 30));
    columns_[14] = within(0, 15);
  }

  float* columns_;
  std::mt19937& random_;
  bool extreme_;
};

}  // namespace

std::vector<float> absoluteLimits(const Columns& columns, std::span<const float> expected) {
  std::vector<float> limits(columns.quantiles);
  for (std::size_t column = 0; column < limits.size(); ++column) {
    limits[column] = !isContract(columns)         ? kOtherLimit * largestOf(columns, expected, column)
                     : column < kFirstRideFactor ? kSecondsLimit
                                                  : kRideFactorLimit;
  }
  return limits;
}

Deviation deviation(const Columns& columns, std::span<const float> expected, std::span<const float> found) {
  const std::vector<float> limits = absoluteLimits(columns, expected);
  Deviation worst;
  for (std::size_t at = 0; at < expected.size(); ++at) {
    const std::size_t column = at % columns.quantiles;
    const float away = distance(expected[at], found[at], limits[column]);
    if (away <= worst.worst) continue;
    worst.worst = away;
    worst.text = "column " + std::to_string(column) + ": " + std::to_string(found[at]) + ", not " +
                 std::to_string(expected[at]) + " (row " + std::to_string(at / columns.quantiles) + ")";
  }
  return worst;
}

std::vector<float> rowsToCompare(const Columns& columns, std::size_t rows) {
  std::mt19937 random(20'26);
  std::vector<float> features(rows * columns.features, 0.0f);
  for (std::size_t row = 0; row < rows; ++row) {
    float* first = &features[row * columns.features];
    if (isContract(columns)) {
      RowSource(first, random, row % 8 == 0).fill();
      continue;
    }
    for (std::size_t column = 0; column < columns.features; ++column) {
      first[column] = static_cast<float>(random() % 20'001) / 10'000.0f - 1.0f;
    }
  }
  return features;
}

}  // namespace roundhouse::delivery_time::gpu
