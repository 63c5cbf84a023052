#include "execute.hpp"

#include "predictions.hpp"
#include "shard_request.hpp"

namespace roundhouse::candidate_cost {
namespace {

using backend::Batch;
using backend::Reply;

Predictions predicted(Model& model, const Batch& batch, const std::vector<ShardRequest>& requests) {
  std::vector<const Shard*> shards;
  shards.reserve(requests.size());
  for (std::size_t index = 0; index < requests.size(); ++index) {
    shards.push_back(batch.isOpen(index) ? &requests[index].shard : nullptr);
  }
  return Predictions(*model.network, model.batchInvariant, shards,
                     [&](std::size_t index) { return backend::isCancelled(batch.request(index)); });
}

void writeAllOrderTimes(const Shard& shard, const ShardTimes& times, Reply& reply) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(shard.tables.orderCount) * layout::ORDER_TIME_COLUMNS);
  for (int row = 0; row < shard.tables.orderCount; ++row) {
    writeOrderTimes(shard.tables, row, times.orders[row], rows.data() + std::size_t{layout::ORDER_TIME_COLUMNS} * row);
  }
  const auto memory = orderTimesOf(reply, shard);
  if (!rows.empty()) std::memcpy(memory.bytes.data(), rows.data(), memory.bytes.size());
}

/// What the requests of a batch have in common.
struct Passed {
  std::int64_t startNs;
  Span etr;
};

void answer(TRITONBACKEND_Request* handle, const Shard& shard, const ShardTimes& times, Instance& instance,
            const Passed& passed) {
  Reply reply(handle);
  const auto plans = plansOf(reply, shard);
  Phases phases;
  if (shard.needed.count() > 0) phases.etr = passed.etr;
  const std::int64_t planningNs = unixNs();
  costShard(shard, times, *instance.workspace, [&] { return backend::isCancelled(handle); }, plans.bytes.data());
  if (shard.tables.candidateCount > 0) phases.planning = {planningNs, unixNs()};
  writeAllOrderTimes(shard, times, reply);
  sendReply(reply, times.rideFactors, phases, passed.startNs);
}

}  // namespace

void executeBatch(Model& model, Instance& instance, Batch& batch) {
  Passed passed{unixNs(), {}};
  std::vector<ShardRequest> requests(batch.size());
  batch.each([&](std::size_t index) { requests[index] = readRequest(batch.request(index), *model.matrices); });
  batch.startComputing();
  passed.etr.begin = unixNs();
  const Predictions predictions = predicted(model, batch, requests);
  passed.etr.end = unixNs();
  batch.each([&](std::size_t index) {
    const Shard& shard = requests[index].shard;
    const ShardTimes times = shardTimes(shard.tables, shard.needed, predictions.of(index));
    answer(batch.request(index), shard, times, instance, passed);
    batch.succeed(index);
  });
}

}  // namespace roundhouse::candidate_cost
