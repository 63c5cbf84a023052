#pragma once

#include <vector>

#include "request.hpp"
#include "solve_request.hpp"

namespace roundhouse::route_planner {

/// One order on board, 60 s away: cost 60 with duration weight 1.
inline const std::vector<std::int32_t> kSampleProblem = {1, 1, 4,  0,   1,  -1, 0x7fffffff, 0, 0, 1, 0, 0, 0, 0,
                                                         900, -1, 0x7fffffff, 1, 1, 1, 0, 1, 0, 0, 0, 60, 60, 0};

/// The packed problems of a request. Throws Error.
inline backend::InputTensor readProblems(TRITONBACKEND_Request* request) {
  backend::InputTensor tensor(request, "problems", TRITONSERVER_TYPE_INT32);
  const auto shape = tensor.shape();
  if (shape.size() != 2 || shape[0] != 1)
    throw Error(ErrorCode::payloadInvalid, "tensor 'problems' must have shape [1, L]");
  return tensor;
}

/// The response of a request with `count` problems.
class RowsReply {
 public:
  /// Of any alignment.
  struct Memory {
    void* costs;
    void* sequences;
    void* flags;
  };

  RowsReply(TRITONBACKEND_Request* request, std::size_t count)
      : reply_(request), count_(static_cast<std::int64_t>(count)) {}

  /// `write` fills the memory of the outputs; then they are sent. Where it says false, nothing is sent, and so says this.
  template <typename Write>
  bool fill(Write&& write) {
    const std::int64_t shape[] = {1, count_};
    const std::int64_t sequenceShape[] = {1, count_ * kMaxStops};
    const auto costs = reply_.output("costs", TRITONSERVER_TYPE_INT64, shape);
    const auto sequences = reply_.output("sequences", TRITONSERVER_TYPE_UINT8, sequenceShape);
    const auto flags = reply_.output("flags", TRITONSERVER_TYPE_UINT8, shape);
    if (count_ > 0 && !write(Memory{costs.data(), sequences.data(), flags.data()})) return false;
    reply_.send();
    return true;
  }

 private:
  backend::Reply reply_;
  std::int64_t count_;
};

}  // namespace roundhouse::route_planner
