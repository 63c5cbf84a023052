#include "device_instance.hpp"

#include <algorithm>
#include <cstring>

#include "../sample_shard.hpp"
#include "../shard_request.hpp"
#include "error.hpp"

namespace roundhouse::candidate_cost::gpu {
namespace {

using backend::Batch;
using backend::Reply;

/// The requests of a batch, their replies and what is computed for them, each as many as requests.
struct Work {
  std::vector<ShardRequest> requests;
  std::vector<std::unique_ptr<Reply>> replies;
  std::vector<CostTask> tasks;

  explicit Work(std::size_t size) : requests(size), replies(size), tasks(size) {}
};

void prepareTask(TRITONBACKEND_Request* handle, Work& work, std::size_t index) {
  const ShardRequest& request = work.requests[index];
  auto reply = std::make_unique<Reply>(handle);
  CostTask& task = work.tasks[index];
  const backend::OutputMemory plans = plansOf(*reply, request.shard);
  task.plans = {plans.bytes.data(), plans.pinned};
  task.orderTimes = orderTimesOf(*reply, request.shard).bytes.data();
  task.pinnedTables = request.isPinned();
  task.shard = &request.shard;
  work.replies[index] = std::move(reply);
}

/// What failed for all of them, or nothing.
std::exception_ptr costOpen(DeviceCoster& coster, const Batch& batch, Work& work) {
  std::vector<CostTask*> open;
  for (std::size_t index = 0; index < batch.size(); ++index) {
    if (batch.isOpen(index)) open.push_back(&work.tasks[index]);
  }
  try {
    coster.cost(open, [&](const CostTask& task) {
      return backend::isCancelled(batch.request(static_cast<std::size_t>(&task - work.tasks.data())));
    });
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

ShardTimes timesOf(const std::vector<std::int32_t>& rows, const std::int32_t (&rideFactors)[kVehicles]) {
  ShardTimes times;
  for (std::size_t at = 0; at < rows.size(); at += layout::ORDER_TIME_COLUMNS) {
    times.orders.push_back({rows[at + 1], rows[at + 2], rows[at + 3]});
  }
  std::copy_n(rideFactors, kVehicles, times.rideFactors);
  return times;
}

}  // namespace

void DeviceInstance::execute(Batch& batch) {
  const std::int64_t startNs = unixNs();
  Work work(batch.size());
  batch.each([&](std::size_t index) {
    work.requests[index] = readRequest(batch.request(index), *model_.matrices, CandidateCheck::later);
    prepareTask(batch.request(index), work, index);
  });
  batch.startComputing();
  const std::exception_ptr broken = costOpen(*coster_, batch, work);
  batch.each([&](std::size_t index) {
    // A reply that isn't sent goes before its request does.
    const auto reply = std::move(work.replies[index]);
    const CostTask& task = work.tasks[index];
    if (broken) std::rethrow_exception(broken);
    if (task.failure) std::rethrow_exception(task.failure);
    sendReply(*reply, task.rideFactors, task.phases, startNs);
    batch.succeed(index);
  });
}

void DeviceInstance::dryRun() {
  const ShardValues sample = sampleShard();
  const Shard shard = openShard(sample.bytes(), *model_.matrices, CandidateCheck::later);
  const auto candidates = static_cast<std::size_t>(shard.tables.candidateCount);
  std::vector<std::uint8_t> plans(candidates * layout::PLAN_RECORD_BYTES), expected(plans.size());
  std::vector<std::int32_t> rows(static_cast<std::size_t>(shard.tables.orderCount) * layout::ORDER_TIME_COLUMNS);
  CostTask task{&shard, false, {plans.data()}, rows.data(), {}, {}, nullptr};
  CostTask* const only = &task;
  coster_->cost({&only, 1}, [](const CostTask&) { return false; });
  if (task.failure) std::rethrow_exception(task.failure);
  const Instance onCpu;
  costShard(shard, timesOf(rows, task.rideFactors), *onCpu.workspace, [] { return false; }, expected.data());
  if (plans != expected) throw Error(ErrorCode::modelFailed, "the dry run on the GPU gave other plans than the CPU's");
}

}  // namespace roundhouse::candidate_cost::gpu
