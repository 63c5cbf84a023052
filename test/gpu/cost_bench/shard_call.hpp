#pragma once

#include <cstring>

#include "../../../cuda/candidate_cost/shard.hpp"
#include "../../../cuda/candidate_cost/shard_values.hpp"
#include "caller_memory.hpp"

namespace roundhouse::test {

/// One shard as a call of candidate_cost, its tensors and outputs in a slot of their own.
class ShardCall {
 public:
  ShardCall(TritonHost& host, const std::string& model, const candidate_cost::ShardValues& values, bool pinned)
      : memory_(bytesOf(values), pinned) {
    namespace layout = candidate_cost::layout;
    std::vector<CallInput> inputs;
    const auto add = [&](const char* name, TRITONSERVER_DataType type, const auto& from) {
      auto* to = memory_.take<std::decay_t<decltype(from[0])>>(from.size());
      if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(from[0]));
      const auto count = static_cast<std::int64_t>(from.size());
      inputs.push_back({name, type, {1, count}, to, from.size() * sizeof(from[0]), memory_.kind});
      return to;
    };
    params = add("params", TRITONSERVER_TYPE_INT64, values.params);
    add("couriers", TRITONSERVER_TYPE_INT32, values.couriers);
    add("held", TRITONSERVER_TYPE_INT32, values.held);
    orders = add("orders", TRITONSERVER_TYPE_INT32, values.orders);
    add("places", TRITONSERVER_TYPE_INT32, values.places);
    add("order_features", TRITONSERVER_TYPE_FP32, values.orderFeatures);
    add("candidates", TRITONSERVER_TYPE_UINT16, values.candidates);
    candidates = values.candidates.size() / static_cast<std::size_t>(values.params[layout::Param::candidateColumns]);
    orderRows = values.orders.size() / layout::ORDER_COLUMNS;
    std::vector<CallOutput> outputs;
    const auto take = [&](const char* name, std::size_t bytes) {
      auto* to = memory_.take<std::byte>(bytes);
      outputs.push_back({name, to, bytes, memory_.kind});
      return to;
    };
    plans = reinterpret_cast<std::uint8_t*>(take("plans", plansBytes()));
    orderTimes = reinterpret_cast<std::int32_t*>(take("order_times", timesBytes()));
    rideFactors = reinterpret_cast<std::int32_t*>(take("ride_factors", 16));
    interval = reinterpret_cast<std::int64_t*>(take("interval", 16));
    phases = reinterpret_cast<std::int64_t*>(take("phases", sizeof(std::int64_t) * layout::PHASE_VALUES));
    call_ = host.call(model, inputs, outputs);
  }

  void start() { call_->start(); }
  void wait() { call_->wait(); }
  void infer() { call_->infer(); }

  std::size_t plansBytes() const { return candidates * candidate_cost::layout::PLAN_RECORD_BYTES; }
  std::size_t timesBytes() const { return orderRows * candidate_cost::layout::ORDER_TIME_COLUMNS * sizeof(std::int32_t); }

  /// Of the inputs that may change between calls.
  std::int64_t* params = nullptr;
  std::int32_t* orders = nullptr;
  /// Of the last answer.
  std::uint8_t* plans = nullptr;
  std::int32_t* orderTimes = nullptr;
  std::int32_t* rideFactors = nullptr;
  std::int64_t* interval = nullptr;
  /// PHASE_VALUES.
  std::int64_t* phases = nullptr;
  std::size_t candidates = 0, orderRows = 0;

 private:
  static std::size_t bytesOf(const candidate_cost::ShardValues& values) {
    return 8 * values.params.size() + 4 * (values.couriers.size() + values.held.size() + 2 * values.orders.size() +
                                           values.places.size() + values.orderFeatures.size()) +
           34 * values.candidates.size() + (std::size_t{1} << 16);
  }

  CallerMemory memory_;
  std::unique_ptr<Call> call_;
};

}  // namespace roundhouse::test
