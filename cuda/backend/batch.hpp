#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "request.hpp"
#include "triton_error.hpp"

namespace roundhouse::backend {

inline std::uint64_t monotonicNs() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

/// The requests of one Execute call. Each is answered once, reported to the core's statistics and released,
/// whatever happens; one that fails does so alone. Used by the instance's thread only.
class Batch {
 public:
  Batch(TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests, std::uint32_t count);
  /// Fails what is still open and reports the batch.
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  std::size_t size() const { return requests_.size(); }
  TRITONBACKEND_Request* request(std::size_t index) const { return requests_[index]; }
  bool isOpen(std::size_t index) const { return requests_[index] != nullptr; }
  bool anyOpen() const;

  /// Rows of all requests together, for the core's statistics; as many as requests unless set.
  void setRows(std::uint64_t rows) { rows_ = rows; }
  /// Inputs are read; what follows is computing.
  void startComputing() { computeStart_ = monotonicNs(); }

  /// Calls `body(index)` for every open request; where it throws, that request is answered with the error.
  template <typename Body>
  void each(Body&& body) noexcept {
    for (std::size_t index = 0; index < requests_.size(); ++index) {
      if (!isOpen(index)) continue;
      if (TRITONSERVER_Error* error = guarded([&] { body(index); })) fail(index, error);
    }
  }

  /// After its reply was sent.
  void succeed(std::size_t index) noexcept { close(index, true); }
  /// Takes the error over.
  void fail(std::size_t index, TRITONSERVER_Error* error) noexcept;

 private:
  void close(std::size_t index, bool success) noexcept;

  TRITONBACKEND_ModelInstance* instance_;
  std::vector<TRITONBACKEND_Request*> requests_;
  std::uint64_t rows_;
  std::uint64_t start_;
  std::uint64_t computeStart_;
};

/// The body of ModelInstanceExecute: an error only where the requests stay the core's.
template <typename Body>
TRITONSERVER_Error* executeRequests(TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request** requests,
                                    std::uint32_t count, Body&& body) noexcept {
  std::optional<Batch> batch;
  if (TRITONSERVER_Error* refused = guarded([&] { batch.emplace(instance, requests, count); })) return refused;
  if (OwnedError failed{guarded([&] { body(*batch); })})
    logError(__FILE__, __LINE__, TRITONSERVER_ErrorMessage(failed.get()));
  return nullptr;
}

}  // namespace roundhouse::backend
