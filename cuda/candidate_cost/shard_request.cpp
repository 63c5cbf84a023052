#include "shard_request.hpp"

#include <algorithm>
#include <cstring>

#include "error.hpp"

namespace roundhouse::candidate_cost {
namespace {

using backend::InputTensor;

TensorBytes readTensor(TRITONBACKEND_Request* handle, const char* name, TRITONSERVER_DataType datatype,
                       std::vector<InputTensor>& inputs) {
  const InputTensor& tensor = inputs.emplace_back(handle, name, datatype);
  const auto shape = tensor.shape();
  if (shape.size() != 2 || shape[0] != 1) {
    throw Error(ErrorCode::payloadInvalid,
                std::string("tensor '") + name + "' must have shape [1, L]: a shard is a batch of 1");
  }
  const auto bytes = tensor.values<std::uint8_t>();
  return {bytes.data(), bytes.size()};
}

}  // namespace

bool ShardRequest::isPinned() const {
  return std::all_of(inputs.begin(), inputs.end(), [](const InputTensor& input) {
    return input.isPinned() || input.values<std::uint8_t>().empty();
  });
}

ShardRequest readRequest(TRITONBACKEND_Request* handle, MatrixStore& matrices, CandidateCheck candidates) {
  ShardRequest request;
  request.inputs.reserve(7);
  const auto tensor = [&](const char* name, TRITONSERVER_DataType datatype) {
    return readTensor(handle, name, datatype, request.inputs);
  };
  ShardBytes bytes;
  bytes.params = tensor("params", TRITONSERVER_TYPE_INT64);
  bytes.couriers = tensor("couriers", TRITONSERVER_TYPE_INT32);
  bytes.held = tensor("held", TRITONSERVER_TYPE_INT32);
  bytes.orders = tensor("orders", TRITONSERVER_TYPE_INT32);
  bytes.places = tensor("places", TRITONSERVER_TYPE_INT32);
  bytes.orderFeatures = tensor("order_features", TRITONSERVER_TYPE_FP32);
  bytes.candidates = tensor("candidates", TRITONSERVER_TYPE_UINT16);
  request.shard = openShard(bytes, matrices, candidates);
  return request;
}

backend::OutputMemory plansOf(backend::Reply& reply, const Shard& shard) {
  const std::int64_t shape[] = {1, std::int64_t{shard.tables.candidateCount} * layout::PLAN_RECORD_BYTES};
  return reply.memoryOf("plans", TRITONSERVER_TYPE_UINT8, shape);
}

backend::OutputMemory orderTimesOf(backend::Reply& reply, const Shard& shard) {
  const std::int64_t shape[] = {1, std::int64_t{shard.tables.orderCount} * layout::ORDER_TIME_COLUMNS};
  return reply.memoryOf("order_times", TRITONSERVER_TYPE_INT32, shape);
}

void sendReply(backend::Reply& reply, const std::int32_t (&rideFactors)[kVehicles], const Phases& phases,
               std::int64_t startNs) {
  const std::int64_t factorShape[] = {1, kVehicles};
  reply.write<std::int32_t>("ride_factors", TRITONSERVER_TYPE_INT32, factorShape, rideFactors);
  std::int64_t values[layout::PHASE_VALUES];
  std::memcpy(values, &phases, sizeof values);
  const std::int64_t phasesShape[] = {1, layout::PHASE_VALUES};
  reply.write<std::int64_t>("phases", TRITONSERVER_TYPE_INT64, phasesShape, values);
  const std::int64_t intervalShape[] = {1, 2};
  const std::int64_t interval[] = {startNs, unixNs()};
  reply.write<std::int64_t>("interval", TRITONSERVER_TYPE_INT64, intervalShape, interval);
  reply.send();
}

}  // namespace roundhouse::candidate_cost
