#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "network.hpp"

namespace roundhouse::delivery_time::gpu {

/// How far a prediction on the device may lie from ONNX Runtime's on the CPU: `absolute` + kRelativeLimit · |CPU's|.
constexpr float kSecondsLimit = 0.5f;
constexpr float kRideFactorLimit = 0.001f;
constexpr float kRelativeLimit = 0.001f;
/// For networks of other columns than the contract's: of the largest value of the column.
constexpr float kOtherLimit = 0.005f;

/// The absolute part of each column's limit; `expected` has the values of networks of other columns.
std::vector<float> absoluteLimits(const Columns& columns, std::span<const float> expected);

struct Deviation {
  /// Of the deviation over its limit, of any value; above 1 is too far.
  float worst = 0;
  /// "column 3: 812.5, not 810 (row 7)" of that value.
  std::string text;

  bool isWithin() const { return worst <= 1.0f; }
};

/// Compares [rows, quantiles] of both. What is not finite on one side only is infinitely far.
Deviation deviation(const Columns& columns, std::span<const float> expected, std::span<const float> found);

/// Plausible rows, all different, and rows at the ends of every feature's range: [rows, features].
std::vector<float> rowsToCompare(const Columns& columns, std::size_t rows);

}  // namespace roundhouse::delivery_time::gpu
