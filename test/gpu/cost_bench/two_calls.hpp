#pragma once

#include "../backend_call.hpp"
#include "../packed_problems.hpp"
#include "shard_call.hpp"

namespace roundhouse::test {

/// The network's rows of a shard as a call of delivery_time: gathered on the host, predicted, made into times there.
class PredictionCall {
 public:
  PredictionCall(TritonHost& host, const candidate_cost::ShardValues& values, bool pinned)
      : matrices_("/nowhere"),
        shard(candidate_cost::openShard(values.bytes(), matrices_)),
        memory_((std::size_t{1} << 16) + 128 * shard.needed.count(), pinned) {
    namespace layout = candidate_cost::layout;
    const auto rows = static_cast<std::int64_t>(shard.needed.count());
    const std::size_t features = shard.needed.count() * layout::ETR_FEATURES;
    const std::size_t quantiles = shard.needed.count() * layout::ETR_OUTPUTS;
    features_ = memory_.take<float>(features);
    quantiles_ = memory_.take<float>(quantiles);
    call_ = host.call("delivery_time",
                      {{"features", TRITONSERVER_TYPE_FP32, {rows, layout::ETR_FEATURES}, features_, 4 * features,
                        memory_.kind}},
                      {{"quantiles", quantiles_, 4 * quantiles, memory_.kind}});
  }

  candidate_cost::ShardTimes times() {
    candidate_cost::gatherFeatures(shard.tables, shard.needed, features_);
    call_->infer();
    return candidate_cost::shardTimes(shard.tables, shard.needed, quantiles_);
  }

 private:
  candidate_cost::MatrixStore matrices_;

 public:
  const candidate_cost::Shard shard;

 private:
  CallerMemory memory_;
  float* features_;
  float* quantiles_;
  std::unique_ptr<Call> call_;
};

/// delivery_time, then candidate_cost with what came back as known times. Ride factors can't be told it, so they go into
/// the speeds; that rounds otherwise, so some plans may be others.
class TablesTwice {
 public:
  TablesTwice(TritonHost& host, const std::string& model, const candidate_cost::ShardValues& values, bool pinned)
      : prediction_(host, values, pinned), cost(host, model, values, pinned) {
    cost.params[candidate_cost::layout::Param::travelKnown] = 1;
    std::copy_n(cost.params + candidate_cost::layout::Param::metresPerHour, 4, speeds_);
  }

  void infer() {
    namespace C = candidate_cost::layout::OrderColumn;
    const candidate_cost::ShardTimes times = prediction_.times();
    std::int32_t* order = cost.orders;
    for (const candidate_cost::OrderTimes& own : times.orders) {
      order[C::readyAt] = own.readyAt;
      order[C::pickupPostService] = own.pickupPostService;
      order[C::dropoffPostService] = own.dropoffPostService;
      order[C::flags] = candidate_cost::kEverySettled;
      order += candidate_cost::layout::ORDER_COLUMNS;
    }
    for (int vehicle = 0; vehicle < 4; ++vehicle) {
      cost.params[candidate_cost::layout::Param::metresPerHour + vehicle] =
          1000 * speeds_[vehicle] / times.rideFactors[vehicle];
    }
    cost.infer();
  }

 private:
  PredictionCall prediction_;
  std::int64_t speeds_[4];

 public:
  ShardCall cost;
};

/// Words of packed problems that lie still, page-locked if wanted.
class WordMemory {
 public:
  WordMemory(std::size_t most, bool pinned) : pinned_(CallerMemory::canPin(pinned)) {
    words.reserve(most);
    if (pinned_) device::require(cudaHostRegister(words.data(), 4 * most, cudaHostRegisterPortable), "no pinned memory");
  }
  ~WordMemory() {
    if (pinned_) cudaHostUnregister(words.data());
  }

  std::vector<std::int32_t> words;

 private:
  bool pinned_;
};

/// delivery_time, then route_planner: problems built and packed on the host, answers made into plan records there.
class PlannerAfter {
 public:
  PlannerAfter(TritonHost& host, const candidate_cost::ShardValues& values, bool pinned)
      : prediction_(host, values, pinned),
        count_(static_cast<std::size_t>(prediction_.shard.tables.candidateCount)),
        memory_(count_ * kRowBytes + (std::size_t{1} << 16), pinned),
        packed_(count_ * route_planner::kMostPackedWords, pinned),
        rows_(rowsIn(memory_.take<std::byte>(count_ * kRowBytes), count_)),
        plans(count_ * candidate_cost::layout::PLAN_RECORD_BYTES) {
    candidate_cost::ShardTimes times;
    for (int row = 0; row < prediction_.shard.tables.orderCount; ++row) {
      times.orders.push_back(candidate_cost::statedTimes(prediction_.shard.tables.order(row)));
    }
    std::fill_n(times.rideFactors, 4, 1000);
    pack(times);
    call_ = plannerCall(host, packed_.words, count_, rows_, memory_.kind);
  }

  void infer() {
    pack(prediction_.times());
    call_->infer();
    for (std::size_t row = 0; row < count_; ++row) writeRecord(row);
  }

 private:
  /// As many words each time: they depend on the orders and stops of the candidates alone.
  void pack(const candidate_cost::ShardTimes& times) {
    const candidate_cost::ShardTables& tables = prediction_.shard.tables;
    const candidate_cost::TravelModel travel = candidate_cost::travelModel(tables, times.rideFactors, nullptr, 0);
    packed_.words.clear();
    Packer packer(packed_.words);
    route_planner::Problem problem;
    std::int32_t places[route_planner::kMaxStops + 1];
    for (int row = 0; row < tables.candidateCount; ++row) {
      if (!candidate_cost::buildProblem(tables, travel, times.orders.data(), row, problem, places)) {
        throw std::logic_error("the bench's shard has travel that is too long");
      }
      packer.add(problem);
    }
  }

  void writeRecord(std::size_t row) {
    route_planner::Plan plan{};
    plan.feasible = (rows_.flags[row] & 1) != 0;
    plan.unproven = (rows_.flags[row] & 2) != 0;
    plan.cost = rows_.costs[row];
    const std::uint8_t* stops = rows_.sequences + route_planner::kMaxStops * row;
    for (; plan.stopCount < route_planner::kMaxStops && stops[plan.stopCount] != 0; ++plan.stopCount) {
      plan.stops[plan.stopCount] = stops[plan.stopCount];
    }
    candidate_cost::writePlanRecord(prediction_.shard.tables, static_cast<int>(row), plan,
                                    plans.data() + candidate_cost::layout::PLAN_RECORD_BYTES * row);
  }

  PredictionCall prediction_;
  std::size_t count_;
  CallerMemory memory_;
  WordMemory packed_;
  Rows rows_;
  std::unique_ptr<Call> call_;

 public:
  std::vector<std::uint8_t> plans;
};

}  // namespace roundhouse::test
