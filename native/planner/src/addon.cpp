// The functions of planner.node, one to one as in bindings.ts. Errors are JS errors with a `code`.
#include <napi.h>

#include <cstring>
#include <functional>
#include <memory>

#include "../../addon/guarded.hpp"
#include "measuring.hpp"
#include "planner_failure.hpp"
#include "problem_batch.hpp"
#include "shard_costing.hpp"

namespace roundhouse::planner {
namespace {

constexpr int kAbiVersion = 2;

/// A copy of a typed array's bytes, aligned to `Value`, so that later changes by JS can't reach the solver.
template <typename Value>
std::vector<Value> copyOf(const Napi::Value& value, const char* name) {
  if (!value.IsTypedArray()) throw PlannerFailure("PAYLOAD_INVALID", std::string(name) + " is no typed array");
  const auto array = value.As<Napi::TypedArray>();
  const size_t bytes = array.ByteLength();
  if (bytes % sizeof(Value) != 0) {
    throw PlannerFailure("PAYLOAD_INVALID",
                         std::string(name) + ": " + std::to_string(bytes) + " bytes are no whole number of values");
  }
  std::vector<Value> copy(bytes / sizeof(Value));
  if (bytes > 0) {
    std::memcpy(copy.data(), static_cast<const uint8_t*>(array.ArrayBuffer().Data()) + array.ByteOffset(), bytes);
  }
  return copy;
}

template <typename Array, typename Value>
Napi::Value arrayOf(Napi::Env env, const std::vector<Value>& values) {
  Array array = Array::New(env, values.size());
  if (!values.empty()) std::memcpy(array.Data(), values.data(), values.size() * sizeof(Value));
  return array;
}

/// A shard's tensors, owned: an asynchronous solve outlives the call.
struct OwnedShard {
  std::vector<int64_t> params;
  std::vector<int32_t> couriers, held, orders, places;
  std::vector<float> orderFeatures;
  std::vector<uint16_t> candidates;
  std::vector<int32_t> layerCopies[candidate_cost::kVehicles];
  TravelLayers layers;

  candidate_cost::ShardBytes bytes() const {
    const auto of = [](const auto& values) {
      return candidate_cost::TensorBytes{values.data(), values.size() * sizeof(values[0])};
    };
    return {of(params), of(couriers), of(held), of(orders), of(places), of(orderFeatures), of(candidates)};
  }
};

/// Sets layers on the arrays of `value` themselves, or, for a solve that outlives the call, on copies.
void readLayers(const Napi::Value& value, const Napi::Value& zones, bool copies, OwnedShard& shard) {
  if (!zones.IsNumber() || !value.IsArray()) throw PlannerFailure("PAYLOAD_INVALID", "the travel matrix is no matrix");
  shard.layers.zones = zones.As<Napi::Number>().Int32Value();
  if (shard.layers.zones < 0) throw PlannerFailure("PAYLOAD_INVALID", "zones is below 0");
  const auto needed = static_cast<size_t>(shard.layers.zones) * static_cast<size_t>(shard.layers.zones);
  const auto arrays = value.As<Napi::Array>();
  for (uint32_t vehicle = 0; vehicle < candidate_cost::kVehicles; ++vehicle) {
    const Napi::Value layer = arrays.Get(vehicle);
    if (layer.IsUndefined()) continue;
    const bool isInt32 = layer.IsTypedArray() && layer.As<Napi::TypedArray>().TypedArrayType() == napi_int32_array;
    if (!isInt32 || layer.As<Napi::Int32Array>().ElementLength() != needed) {
      throw PlannerFailure("PAYLOAD_INVALID", "a layer of the travel matrix is not zones · zones INT32 values");
    }
    const int32_t* seconds = layer.As<Napi::Int32Array>().Data();
    if (copies) {
      shard.layerCopies[vehicle].assign(seconds, seconds + needed);
      seconds = shard.layerCopies[vehicle].data();
    }
    shard.layers.seconds[vehicle] = seconds;
  }
}

std::shared_ptr<OwnedShard> shardOf(const Napi::CallbackInfo& info, bool outlivesCall) {
  auto shard = std::make_shared<OwnedShard>();
  shard->params = copyOf<int64_t>(info[0], "params");
  shard->couriers = copyOf<int32_t>(info[1], "couriers");
  shard->held = copyOf<int32_t>(info[2], "held");
  shard->orders = copyOf<int32_t>(info[3], "orders");
  shard->places = copyOf<int32_t>(info[4], "places");
  shard->orderFeatures = copyOf<float>(info[5], "order_features");
  shard->candidates = copyOf<uint16_t>(info[6], "candidates");
  readLayers(info[7], info[8], outlivesCall, *shard);
  return shard;
}

Napi::Value toJs(Napi::Env env, const ShardCosts& costs) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("plans", arrayOf<Napi::Uint8Array>(env, costs.plans));
  result.Set("orderTimes", arrayOf<Napi::Int32Array>(env, costs.orderTimes));
  result.Set("rideFactors", arrayOf<Napi::Int32Array>(env, costs.rideFactors));
  return result;
}

Napi::Value toJs(Napi::Env env, const std::vector<int64_t>& answers) {
  return arrayOf<Napi::BigInt64Array>(env, answers);
}

/// `work` on a thread of Node's pool; the promise is settled on the JS thread.
template <typename Result>
class SolveTask : public Napi::AsyncWorker {
 public:
  static Napi::Value run(Napi::Env env, std::function<Result()> work) {
    auto* task = new SolveTask(env, std::move(work));
    const Napi::Value promise = task->deferred_.Promise();
    task->Queue();
    return promise;
  }

 protected:
  void Execute() override {
    try {
      result_ = work_();
    } catch (const PlannerFailure& failure) {
      code_ = failure.code;
      SetError(failure.what());
    } catch (const std::exception& error) {
      code_ = "INTERNAL";
      SetError(error.what());
    }
  }
  void OnOK() override { deferred_.Resolve(toJs(Env(), result_)); }
  void OnError(const Napi::Error& error) override {
    deferred_.Reject(to_js_error(Env(), code_, error.Message()).Value());
  }

 private:
  SolveTask(Napi::Env env, std::function<Result()> work)
      : Napi::AsyncWorker(env), deferred_(env), work_(std::move(work)) {}

  Napi::Promise::Deferred deferred_;
  std::function<Result()> work_;
  Result result_;
  std::string code_;
};

Napi::Value costShard(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto shard = shardOf(info, false);
    return toJs(info.Env(), costKnownShard(shard->bytes(), shard->layers));
  });
}

Napi::Value costShardAsync(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto shard = shardOf(info, true);
    return SolveTask<ShardCosts>::run(info.Env(), [shard] { return costKnownShard(shard->bytes(), shard->layers); });
  });
}

bool isExact(const Napi::CallbackInfo& info) {
  if (!info[1].IsBoolean()) throw PlannerFailure("PAYLOAD_INVALID", "exact is no boolean");
  return info[1].As<Napi::Boolean>().Value();
}

Napi::Value solveProblems(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto words = copyOf<int32_t>(info[0], "packed problems");
    return toJs(info.Env(), solvePacked(words, isExact(info)));
  });
}

Napi::Value solveProblemsAsync(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const auto words = std::make_shared<std::vector<int32_t>>(copyOf<int32_t>(info[0], "packed problems"));
    const bool exact = isExact(info);
    return SolveTask<std::vector<int64_t>>::run(info.Env(), [words, exact] { return solvePacked(*words, exact); });
  });
}

Napi::Value measureProblems(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const auto words = copyOf<int32_t>(info[0], "packed problems");
    if (!info[1].IsNumber() || !info[2].IsNumber()) {
      throw PlannerFailure("PAYLOAD_INVALID", "what and leastSeconds are no numbers");
    }
    const auto what = static_cast<Measured>(info[1].As<Napi::Number>().Int32Value());
    const Measurement measured = measurePacked(words, what, info[2].As<Napi::Number>().DoubleValue());
    Napi::Object result = Napi::Object::New(info.Env());
    result.Set("plans", Napi::Number::New(info.Env(), static_cast<double>(measured.plans)));
    result.Set("seconds", Napi::Number::New(info.Env(), measured.seconds));
    result.Set("nodes", Napi::Number::New(info.Env(), static_cast<double>(measured.nodes)));
    result.Set("mostNodes", Napi::Number::New(info.Env(), static_cast<double>(measured.mostNodes)));
    return result;
  });
}

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  exports.Set("abiVersion", Napi::Function::New(env, [](const Napi::CallbackInfo& info) -> Napi::Value {
                return Napi::Number::New(info.Env(), kAbiVersion);
              }));
  exports.Set("costShard", Napi::Function::New(env, costShard));
  exports.Set("costShardAsync", Napi::Function::New(env, costShardAsync));
  exports.Set("solveProblems", Napi::Function::New(env, solveProblems));
  exports.Set("solveProblemsAsync", Napi::Function::New(env, solveProblemsAsync));
  exports.Set("measureProblems", Napi::Function::New(env, measureProblems));
  return exports;
}

}  // namespace

NODE_API_MODULE(planner, initialise)

}  // namespace roundhouse::planner
