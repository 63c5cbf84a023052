#pragma once

#include <cstdint>
#include <vector>

#include "algo/shard_tables.hpp"

namespace roundhouse::candidate_cost {

/// The tensors of a shard by value, to be filled and changed; its parameters are those of a plain round.
struct ShardValues {
  std::vector<std::int64_t> params = plainParams();
  std::vector<std::int32_t> couriers;
  std::vector<std::int32_t> held;
  std::vector<std::int32_t> orders;
  std::vector<std::int32_t> places;
  std::vector<float> orderFeatures;
  std::vector<std::uint16_t> candidates;

  /// They end with the next change.
  ShardBytes bytes() const {
    const auto of = [](const auto& values) { return TensorBytes{values.data(), values.size() * sizeof(values[0])}; };
    return {of(params), of(couriers), of(held), of(orders), of(places), of(orderFeatures), of(candidates)};
  }

 private:
  static std::vector<std::int64_t> plainParams() {
    namespace P = layout::Param;
    std::vector<std::int64_t> params(layout::PARAM_COUNT, 0);
    params[P::abi] = layout::TENSOR_ABI;
    params[P::quantumSeconds] = 1;
    params[P::weightLateness] = 10;
    params[P::weightDuration] = 1;
    params[P::weightFreshness] = 1;
    params[P::mergePickups] = 1;
    params[P::quantile] = 50;
    return params;
  }
};

}  // namespace roundhouse::candidate_cost
