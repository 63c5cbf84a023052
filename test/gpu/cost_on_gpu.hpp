#pragma once

#include <algorithm>
#include <cstring>
#include <functional>

#include "../../cuda/candidate_cost/gpu/device_coster.hpp"
#include "../../cuda/candidate_cost/gpu/host_network_context.hpp"
#include "../../cuda/candidate_cost/gpu/table_bytes.hpp"
#include "cost_on_cpu.hpp"

namespace roundhouse::test {

/// Shards by value through a DeviceCoster.
class GpuCosts {
 public:
  using Options = candidate_cost::gpu::DeviceCosterOptions;
  using Matrices = std::shared_ptr<candidate_cost::gpu::DeviceMatrices>;
  using StopAt = std::function<bool(std::size_t)>;

  explicit GpuCosts(delivery_time::Network& network, const Options& options = {},
                    Matrices ownMatrices = std::make_shared<candidate_cost::gpu::DeviceMatrices>())
      : GpuCosts(std::make_unique<candidate_cost::gpu::HostNetworkContext>(network), options, std::move(ownMatrices)) {}
  explicit GpuCosts(std::unique_ptr<delivery_time::DeviceNetwork::Context> network, const Options& options = {},
                    Matrices ownMatrices = std::make_shared<candidate_cost::gpu::DeviceMatrices>())
      : matrices(std::move(ownMatrices)), coster_(options, std::move(network), matrices) {}

  /// One batch. `pinned`: the tables and the results lie in page-locked memory, the tables of a shard side by side.
  std::vector<CostAnswer> cost(const std::vector<candidate_cost::ShardValues>& values,
                               candidate_cost::MatrixStore& store, bool pinned,
                               const StopAt& stop = [](std::size_t) { return false; }) {
    std::vector<Buffers> buffers(values.size());
    std::vector<candidate_cost::gpu::CostTask*> tasks;
    for (std::size_t index = 0; index < values.size(); ++index) {
      if (pinned) buffers[index].memory.demand(std::size_t{4} << 20);
      const Stretch memory{buffers[index].memory.as<std::byte>(), buffers[index].memory.bytes()};
      open(values[index], store, memory, buffers[index]);
      if (buffers[index].failure.empty()) tasks.push_back(&buffers[index].task);
    }
    coster_.cost(tasks, [&](const auto& task) {
      const auto own = std::find_if(buffers.begin(), buffers.end(), [&](const Buffers& b) { return &b.task == &task; });
      return stop(static_cast<std::size_t>(own - buffers.begin()));
    });
    std::vector<CostAnswer> answers;
    for (Buffers& own : buffers) answers.push_back(read(own));
    return answers;
  }

  /// One batch in page-locked memory, again and again; `told` after each.
  void repeat(const std::vector<candidate_cost::ShardValues>& values, candidate_cost::MatrixStore& store, int times,
              const std::function<void()>& told) {
    std::vector<Buffers> buffers(values.size());
    std::vector<candidate_cost::gpu::CostTask*> tasks;
    for (std::size_t index = 0; index < values.size(); ++index) {
      Buffers& own = buffers[index];
      own.memory.demand(std::size_t{4} << 20);
      open(values[index], store, {own.memory.as<std::byte>(), own.memory.bytes()}, own);
      tasks.push_back(&own.task);
    }
    for (int time = 0; time < times; ++time) {
      coster_.cost(tasks, [](const auto&) { return false; });
      told();
    }
  }

  /// One shard whose tables and results lie in memory that is page-locked already.
  CostAnswer costInSlot(const candidate_cost::ShardValues& values, candidate_cost::MatrixStore& store, std::byte* memory,
                        std::size_t bytes) {
    Buffers own;
    open(values, store, {memory, bytes}, own);
    candidate_cost::gpu::CostTask* const only[] = {&own.task};
    if (own.failure.empty()) coster_.cost(only, [](const auto&) { return false; });
    return read(own);
  }

  candidate_cost::gpu::DeviceCoster& coster() { return coster_; }

  const Matrices matrices;

 private:
  /// Page-locked memory; none where it is null.
  struct Stretch {
    std::byte* start;
    std::size_t bytes;

    std::byte* take(std::size_t count) {
      std::byte* const taken = start;
      const std::size_t step = (count + 63) / 64 * 64;
      if (step > bytes) throw std::logic_error("the test's memory is too small");
      start += step;
      bytes -= step;
      return taken;
    }
  };

  struct Buffers {
    candidate_cost::gpu::CostTask task;
    device::PinnedMemory memory;
    candidate_cost::Shard shard;
    std::vector<std::uint8_t> plans;
    std::vector<std::int32_t> orderTimes;
    std::string failure;
  };

  static candidate_cost::ShardBytes copyInto(const candidate_cost::ShardBytes& from, Stretch& memory) {
    candidate_cost::ShardBytes to{};
    const auto move = [&](const candidate_cost::TensorBytes& tensor, candidate_cost::TensorBytes& target) {
      std::byte* const at = memory.take(tensor.bytes);
      if (tensor.bytes > 0) std::memcpy(at, tensor.data, tensor.bytes);
      target = {at, tensor.bytes};
    };
    move(from.params, to.params);
    move(from.couriers, to.couriers);
    move(from.held, to.held);
    move(from.orders, to.orders);
    move(from.places, to.places);
    move(from.orderFeatures, to.orderFeatures);
    move(from.candidates, to.candidates);
    return to;
  }

  static void open(const candidate_cost::ShardValues& values, candidate_cost::MatrixStore& store, Stretch memory,
                   Buffers& own) {
    namespace layout = candidate_cost::layout;
    const bool pinned = memory.start != nullptr;
    try {
      const candidate_cost::ShardBytes bytes = pinned ? copyInto(values.bytes(), memory) : values.bytes();
      own.shard = candidate_cost::openShard(bytes, store, candidate_cost::CandidateCheck::later);
    } catch (const Error& error) {
      own.failure = error.what();
      return;
    }
    own.plans.resize(std::size_t{layout::PLAN_RECORD_BYTES} * own.shard.tables.candidateCount, 0xee);
    own.orderTimes.resize(std::size_t{layout::ORDER_TIME_COLUMNS} * own.shard.tables.orderCount, -7);
    own.task.shard = &own.shard;
    own.task.pinnedTables = pinned;
    own.task.plans = {own.plans.data(), false};
    own.task.orderTimes = own.orderTimes.data();
    if (!pinned) return;
    own.task.plans = {memory.take(own.plans.size()), true};
    std::memset(own.task.plans.data, 0xee, own.plans.size());
  }

  static CostAnswer read(const Buffers& own) {
    return answerOf([&](CostAnswer& answer) {
      if (!own.failure.empty()) throw std::runtime_error(own.failure);
      if (own.task.failure) std::rethrow_exception(own.task.failure);
      answer.plans.resize(own.plans.size());
      answer.orderTimes = own.orderTimes;
      if (!answer.plans.empty()) std::memcpy(answer.plans.data(), own.task.plans.data, answer.plans.size());
      answer.rideFactors.assign(own.task.rideFactors, own.task.rideFactors + candidate_cost::kVehicles);
    });
  }

  candidate_cost::gpu::DeviceCoster coster_;
};

}  // namespace roundhouse::test
