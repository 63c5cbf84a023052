#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "../backend_call.hpp"
#include "../cost_bench/shard_call.hpp"
#include "../packed_problems.hpp"
#include "../problem_sets.hpp"
#include "../random_shards.hpp"

namespace roundhouse::test {

/// A request that one caller makes again and again.
class SoakCall {
 public:
  virtual ~SoakCall() = default;
  virtual void start() = 0;
  /// Throws TritonFailure where it fails; false where the answer is another one than the first.
  virtual bool wait() = 0;
  bool infer() {
    start();
    return wait();
  }
};

/// Rows of the network: its answers may differ in the last bits from batch to batch.
class NetworkCall : public SoakCall {
 public:
  NetworkCall(TritonHost& host, Random& random, std::size_t rows, bool pinned)
      : memory_(rows * (kFeatures + kQuantiles) * sizeof(float) + 256, pinned) {
    auto* features = memory_.take<float>(rows * kFeatures);
    auto* quantiles = memory_.take<float>(rows * kQuantiles);
    for (std::size_t i = 0; i < rows * kFeatures; ++i) features[i] = static_cast<float>(random.within(0, 1000)) / 100;
    call_ = host.call("delivery_time",
                      {{"features", TRITONSERVER_TYPE_FP32, {static_cast<std::int64_t>(rows), kFeatures}, features,
                        rows * kFeatures * sizeof(float), memory_.kind}},
                      {{"quantiles", quantiles, rows * kQuantiles * sizeof(float), memory_.kind}});
  }
  void start() override { call_->start(); }
  bool wait() override {
    call_->wait();
    return true;
  }

 private:
  static constexpr std::size_t kFeatures = 20;
  static constexpr std::size_t kQuantiles = 8;
  CallerMemory memory_;
  std::unique_ptr<Call> call_;
};

/// Route problems: the same rows every time, to the byte.
class PlansCall : public SoakCall {
 public:
  PlansCall(TritonHost& host, Random& random, std::size_t count, bool pinned)
      : count_(count), memory_(64 + count * (kRowBytes + kMostWords * sizeof(std::int32_t)) + 256, pinned) {
    std::vector<Problem> problems;
    while (problems.size() < count) problems.push_back(drawnCity(random, static_cast<int>(random.within(1, 6)), false));
    const std::vector<std::int32_t> words = packed(problems);
    auto* input = memory_.take<std::int32_t>(words.size());
    std::copy(words.begin(), words.end(), input);
    rows_ = memory_.take<std::byte>(count * kRowBytes);
    call_ = plannerCall(host, {input, words.size()}, count, rowsIn(rows_, count), memory_.kind);
  }
  void start() override {
    std::memset(rows_, 0xA5, count_ * kRowBytes);
    call_->start();
  }
  bool wait() override {
    call_->wait();
    if (first_.empty()) first_.assign(rows_, rows_ + count_ * kRowBytes);
    return std::memcmp(first_.data(), rows_, first_.size()) == 0;
  }

 private:
  /// 13 words, 6 an order, 5 a stop and the ways between 13 places.
  static constexpr std::size_t kMostWords = 13 + 6 * 6 + 5 * 12 + 13 * 13;
  std::size_t count_;
  CallerMemory memory_;
  std::byte* rows_ = nullptr;
  std::vector<std::byte> first_;
  std::unique_ptr<Call> call_;
};

/// A shard: its predictions come with the network, so its plans may differ where a time is rounded the other way.
class CostCall : public SoakCall {
 public:
  CostCall(TritonHost& host, Random& random, int candidates, bool pinned)
      : call_(host, "candidate_cost", shardOf(random, candidates), pinned) {}
  void start() override { call_.start(); }
  bool wait() override {
    call_.wait();
    return true;
  }

 private:
  static candidate_cost::ShardValues shardOf(Random& random, int candidates) {
    ShardShape shape;
    shape.candidates = candidates;
    shape.couriers = 20 + candidates / 20;
    shape.orders = 40 + candidates / 10;
    shape.strange = false;
    return randomShard(random, shape);
  }
  ShardCall call_;
};

}  // namespace roundhouse::test
