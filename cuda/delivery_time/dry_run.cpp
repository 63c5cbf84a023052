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

/// For a network of other columns.
std::vector<float> anyRows(std::size_t columns) {
  std::vector<float> rows(kRows * columns);
  for (std::size_t at = 0; at < rows.size(); ++at) rows[at] = static_cast<float>(std::sin(0.7 * static_cast<double>(at)));
  return rows;
}

void requireFinite(const std::vector<float>& quantiles, std::size_t columns) {
  for (std::size_t at = 0; at < quantiles.size(); ++at) {
    if (std::isfinite(quantiles[at])) continue;
    throw Error(ErrorCode::modelFailed, "the network's dry run gives " + std::to_string(quantiles[at]) + " in row " +
                                            std::to_string(at / columns) + ", column " +
                                            std::to_string(at % columns));
  }
}

}  // namespace

DryRun dryRun(Network& network) {
  const Columns columns = network.columns();
  const std::vector<float> rows = columns.features == kFeatures ? sampleRows() : anyRows(columns.features);
  std::vector<float> together(kRows * columns.quantiles), alone(kRows * columns.quantiles);
  network.predict(rows.data(), kRows, together.data());
  for (std::size_t row = 0; row < kRows; ++row) {
    network.predict(&rows[row * columns.features], 1, &alone[row * columns.quantiles]);
  }
  requireFinite(together, columns.quantiles);
  requireFinite(alone, columns.quantiles);
  return {std::memcmp(together.data(), alone.data(), together.size() * sizeof(float)) == 0};
}

}  // namespace roundhouse::delivery_time
