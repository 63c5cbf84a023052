// What the checks of candidate_cost on a GPU share: networks, and answers against the CPU's.
#pragma once

#include <cstring>
#include <limits>
#include <string>

#include "check.hpp"
#include "../cost_on_cpu.hpp"
#include "../cost_on_gpu.hpp"

namespace roundhouse::test {

using namespace roundhouse::candidate_cost;

/// From the root of the repository.
constexpr const char* kShippedNetwork = "models/delivery_time/1/model.onnx";

inline bool quick = false;

/// Outputs that are arithmetic of a row's features. An order of 13 items has one that is not finite; one of 17 fails the
/// call.
class FormulaNetwork final : public delivery_time::Network {
 public:
  void predict(const float* features, std::size_t rows, float* quantiles) override {
    for (std::size_t row = 0; row < rows; ++row, features += layout::ETR_FEATURES, quantiles += layout::ETR_OUTPUTS) {
      if (features[9] == 17.0f) throw Error(ErrorCode::modelFailed, "seventeen");
      for (int column = 0; column < layout::ETR_OUTPUTS; ++column) {
        const int from = (column * 3 + static_cast<int>(features[1] * 4 + 4)) % layout::ETR_FEATURES;
        quantiles[column] = column < 6 ? 30.0f * features[6 + column] + 7.25f * features[14] + features[from]
                                       : 0.9f + 0.05f * static_cast<float>(column) + features[5] + features[17];
      }
      if (features[9] == 13.0f) quantiles[4] = quantiles[5] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  std::string description() const override { return "formula"; }
};

/// '' or what differs.
inline std::string difference(const CostAnswer& found, const CostAnswer& expected) {
  if (found.failure != expected.failure) return "failure '" + found.failure + "', expected '" + expected.failure + "'";
  if (found.rideFactors != expected.rideFactors) return "ride factors";
  if (found.orderTimes != expected.orderTimes) return "order times";
  return found.plans == expected.plans ? "" : "plans";
}

inline void checkEqual(const CostAnswer& found, const CostAnswer& expected, const std::string& what) {
  CHECK_EQUAL(what + difference(found, expected), what);
}

}  // namespace roundhouse::test
