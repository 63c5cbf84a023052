#include "sample_shard.hpp"

namespace roundhouse::candidate_cost {
namespace {

template <typename T>
TensorBytes bytesOf(const std::vector<T>& values) {
  return {values.data(), values.size() * sizeof(T)};
}

std::vector<std::int64_t> sampleParams() {
  namespace P = layout::Param;
  std::vector<std::int64_t> params(layout::PARAM_COUNT, 0);
  params[P::abi] = layout::TENSOR_ABI;
  params[P::quantumSeconds] = 1;
  params[P::weightLateness] = 10;
  params[P::weightDuration] = 1;
  params[P::weightFreshness] = 1;
  params[P::interleave] = 1;
  params[P::mergePickups] = 1;
  params[P::quantile] = 50;
  params[P::candidateColumns] = 3;
  for (int vehicle = 0; vehicle < 4; ++vehicle) params[P::metresPerHour + vehicle] = 5000 * (vehicle + 1);
  params[P::secondsOfDay] = 43200;
  return params;
}

}  // namespace

SampleShard::SampleShard()
    : params_(sampleParams()),
      couriers_{0, 0, 0, layout::NO_LIMIT, 1, 4, 1, 1},
      held_{0, 0, 0, 1},
      places_{0, 0, -1, 900, 0, -1, 0, 1200, -1, 1500, 700, -1},
      features_(3 * layout::ORDER_FEATURE_COLUMNS, 1.0f),
      candidates_{0, layout::NO_ROW, layout::NO_ROW, 0, 1, layout::NO_ROW, 0, 2, layout::NO_ROW, 0, 1, 2} {
  const std::int32_t dropoffPlace[] = {3, 2, 3};
  for (std::int32_t row = 0; row < 3; ++row) {
    const std::int32_t order[] = {row, 1, dropoffPlace[row], 300, 1800, layout::NO_LIMIT, 1, 0, 30, 60, 30, 60, -120};
    orders_.insert(orders_.end(), order, order + layout::ORDER_COLUMNS);
  }
}

ShardBytes SampleShard::bytes() const {
  return {bytesOf(params_), bytesOf(couriers_), bytesOf(held_),      bytesOf(orders_),
          bytesOf(places_), bytesOf(features_), bytesOf(candidates_)};
}

}  // namespace roundhouse::candidate_cost
