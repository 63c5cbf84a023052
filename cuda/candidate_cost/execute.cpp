#include "execute.hpp"

#include <chrono>

#include "predictions.hpp"

namespace roundhouse::candidate_cost {
namespace {

using backend::Batch;
using backend::InputTensor;
using backend::Reply;

std::int64_t unixNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// The inputs of one request and what was read from them.
struct Request {
  std::vector<InputTensor> inputs;
  Shard shard;
};

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

Request readRequest(TRITONBACKEND_Request* handle, MatrixStore& matrices) {
  Request request;
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
  request.shard = openShard(bytes, matrices);
  return request;
}

Predictions predicted(Model& model, const Batch& batch, const std::vector<Request>& requests) {
  std::vector<const Shard*> shards;
  shards.reserve(requests.size());
  for (std::size_t index = 0; index < requests.size(); ++index) {
    shards.push_back(batch.isOpen(index) ? &requests[index].shard : nullptr);
  }
  return Predictions(*model.network, model.batchInvariant, shards,
                     [&](std::size_t index) { return backend::isCancelled(batch.request(index)); });
}

void writeOrderTimes(const Shard& shard, const ShardTimes& times, Reply& reply) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(shard.tables.orderCount) * layout::ORDER_TIME_COLUMNS);
  for (int row = 0; row < shard.tables.orderCount; ++row) {
    writeOrderTimes(shard.tables, row, times.orders[row], rows.data() + std::size_t{layout::ORDER_TIME_COLUMNS} * row);
  }
  const std::int64_t shape[] = {1, static_cast<std::int64_t>(rows.size())};
  reply.write<std::int32_t>("order_times", TRITONSERVER_TYPE_INT32, shape, rows);
}

void answer(TRITONBACKEND_Request* handle, const Shard& shard, const ShardTimes& times, Instance& instance,
            std::int64_t startNs) {
  Reply reply(handle);
  const std::int64_t plansShape[] = {1, std::int64_t{shard.tables.candidateCount} * layout::PLAN_RECORD_BYTES};
  const auto plans = reply.output("plans", TRITONSERVER_TYPE_UINT8, plansShape);
  costShard(shard, times, *instance.workspace, [&] { return backend::isCancelled(handle); }, plans.data());
  writeOrderTimes(shard, times, reply);
  const std::int64_t factorShape[] = {1, kVehicles};
  reply.write<std::int32_t>("ride_factors", TRITONSERVER_TYPE_INT32, factorShape, times.rideFactors);
  const std::int64_t intervalShape[] = {1, 2};
  const std::int64_t interval[] = {startNs, unixNs()};
  reply.write<std::int64_t>("interval", TRITONSERVER_TYPE_INT64, intervalShape, interval);
  reply.send();
}

}  // namespace

void executeBatch(Model& model, Instance& instance, Batch& batch) {
  const std::int64_t startNs = unixNs();
  std::vector<Request> requests(batch.size());
  batch.each([&](std::size_t index) { requests[index] = readRequest(batch.request(index), *model.matrices); });
  batch.startComputing();
  const Predictions predictions = predicted(model, batch, requests);
  batch.each([&](std::size_t index) {
    const Shard& shard = requests[index].shard;
    const ShardTimes times = shardTimes(shard.tables, shard.needed, predictions.of(index));
    answer(batch.request(index), shard, times, instance, startNs);
    batch.succeed(index);
  });
}

}  // namespace roundhouse::candidate_cost
