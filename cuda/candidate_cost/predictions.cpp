#include "predictions.hpp"

#include "error.hpp"
#include "predict_in_pieces.hpp"

namespace roundhouse::candidate_cost {

Predictions::Predictions(delivery_time::Network& network, bool batchInvariant, std::span<const Shard* const> shards,
                         const std::function<bool(std::size_t)>& stop)
    : firstRow_{0}, failures_(shards.size()) {
  for (const Shard* shard : shards) firstRow_.push_back(firstRow_.back() + (shard ? shard->needed.count() : 0));
  const std::size_t rows = firstRow_.back();
  features_.resize(rows * layout::ETR_FEATURES);
  quantiles_.resize(rows * layout::ETR_OUTPUTS);
  for (std::size_t index = 0; index < shards.size(); ++index) {
    if (shards[index] == nullptr) continue;
    gatherFeatures(shards[index]->tables, shards[index]->needed,
                   features_.data() + firstRow_[index] * layout::ETR_FEATURES);
  }
  if (batchInvariant && predictTogether(network, stop)) return;
  for (std::size_t index = 0; index < shards.size(); ++index) {
    failures_[index] = predict(network, firstRow_[index], firstRow_[index + 1] - firstRow_[index]);
  }
}

bool Predictions::predictTogether(delivery_time::Network& network, const std::function<bool(std::size_t)>& stop) {
  try {
    const std::span<const std::size_t> ends = std::span(firstRow_).subspan(1);
    const std::vector<bool> served = delivery_time::predictInPieces(
        network, features_.data(), ends, quantiles_.data(), [&](std::size_t index) { return !stop(index); });
    for (std::size_t index = 0; index < served.size(); ++index) {
      if (served[index]) continue;
      failures_[index] =
          std::make_exception_ptr(Error(ErrorCode::deadlineExceeded, "the caller cancelled the request"));
    }
    return true;
  } catch (...) {
    return false;
  }
}

const float* Predictions::of(std::size_t index) const {
  if (failures_[index]) std::rethrow_exception(failures_[index]);
  return quantiles_.data() + firstRow_[index] * layout::ETR_OUTPUTS;
}

std::exception_ptr Predictions::predict(delivery_time::Network& network, std::size_t first, std::size_t rows) {
  if (rows == 0) return nullptr;
  try {
    network.predict(features_.data() + first * layout::ETR_FEATURES, rows,
                    quantiles_.data() + first * layout::ETR_OUTPUTS);
    return nullptr;
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace roundhouse::candidate_cost
