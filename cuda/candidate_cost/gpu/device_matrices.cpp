#include "device_matrices.hpp"

#include <algorithm>

namespace roundhouse::candidate_cost::gpu {
namespace {

std::shared_ptr<const DeviceMatrix> upload(const TravelMatrix& matrix, const device::Stream& stream) {
  auto copy = std::make_shared<DeviceMatrix>();
  copy->bytes = matrix.entries().size_bytes();
  copy->memory.demand(copy->bytes);
  device::require(cudaMemcpyAsync(copy->memory.as<void>(), matrix.entries().data(), copy->bytes, cudaMemcpyHostToDevice,
                                  stream),
                  "a travel matrix can't be copied");
  stream.wait();
  return copy;
}

}  // namespace

std::shared_ptr<const DeviceMatrix> DeviceMatrices::get(const Sha256& hash, const TravelMatrix& matrix,
                                                        const device::Stream& stream) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.hash == hash; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
  } else {
    kept_.push_front({hash, upload(matrix, stream)});
    uploads_.fetch_add(1);
    bytes_ += kept_.front().matrix->bytes;
    for (; bytes_ > mostBytes_ && kept_.size() > 1; kept_.pop_back()) bytes_ -= kept_.back().matrix->bytes;
  }
  return kept_.front().matrix;
}

}  // namespace roundhouse::candidate_cost::gpu
