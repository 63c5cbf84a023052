#include "batch.hpp"

#include <algorithm>

namespace roundhouse::backend {

Batch::Batch(TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, std::uint32_t count)
    : instance_(instance),
      requests_(requests, requests + count),
      rows_(count),
      start_(monotonicNs()),
      computeStart_(start_) {}

Batch::~Batch() {
  for (std::size_t index = 0; index < requests_.size(); ++index) {
    if (isOpen(index))
      fail(index, TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_INTERNAL, "the batch ended without an answer"));
  }
  const std::uint64_t end = monotonicNs();
  OwnedError ignored(
      TRITONBACKEND_ModelInstanceReportBatchStatistics(instance_, rows_, start_, computeStart_, end, end));
}

bool Batch::anyOpen() const {
  return std::any_of(requests_.begin(), requests_.end(), [](auto* request) { return request != nullptr; });
}

void Batch::fail(std::size_t index, TRITONSERVER_Error* error) noexcept {
  sendError(requests_[index], error);
  close(index, false);
}

void Batch::close(std::size_t index, bool success) noexcept {
  TRITONBACKEND_Request* request = std::exchange(requests_[index], nullptr);
  const std::uint64_t end = monotonicNs();
  OwnedError ignored(
      TRITONBACKEND_ModelInstanceReportStatistics(instance_, request, success, start_, computeStart_, end, end));
  release(request);
}

}  // namespace roundhouse::backend
