#include <cmath>
#include <cstring>
#include <vector>

#include "error.hpp"
#include "network.hpp"

namespace roundhouse::delivery_time {
namespace {

constexpr std::size_t kRows = 33;

/// Plausible rows of both kinds, all different.
std::vector<float> sampleRows() {
  std::vector<float> rows(kRows * kFeatures, 0.0f);
  for (std::size_t row = 0; row < kRows; ++row) {
    float* columns = &rows[row * kFeatures];
    const double angle = 0.19 * static_cast<double>(row);
    const bool isLeg = row % 8 == 7;
    columns[0] = isLeg ? 1.0f : 0.0f;
    columns[1] = static_cast<float>(std::sin(angle));
    columns[2] = static_cast<float>(std::cos(angle));
    columns[4] = 0.03f * static_cast<float>(row);
    columns[5] = 1.0f - 0.02f * static_cast<float>(row);
    if (isLeg)
      columns[15 + row / 8 % 4] = 1.0f;
    else
      for (std::size_t column = 6; column < 15; ++column) columns[column] = 0.11f * static_cast<float>(row + column);
  }
  return rows;
}

void requireFinite(const std::vector<float>& quantiles) {
  for (std::size_t at = 0; at < quantiles.size(); ++at) {
    if (std::isfinite(quantiles[at])) continue;
    throw Error(ErrorCode::modelFailed, "the network's dry run gives " + std::to_string(quantiles[at]) + " in row " +
                                            std::to_string(at / kQuantiles) + ", column " +
                                            std::to_string(at % kQuantiles));
  }
}

}  // namespace

DryRun dryRun(Network& network) {
  const std::vector<float> rows = sampleRows();
  std::vector<float> together(kRows * kQuantiles), alone(kRows * kQuantiles);
  network.predict(rows.data(), kRows, together.data());
  for (std::size_t row = 0; row < kRows; ++row) {
    network.predict(&rows[row * kFeatures], 1, &alone[row * kQuantiles]);
  }
  requireFinite(together);
  requireFinite(alone);
  return {std::memcmp(together.data(), alone.data(), together.size() * sizeof(float)) == 0};
}

}  // namespace roundhouse::delivery_time
