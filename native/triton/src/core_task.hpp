// Work off the JS thread; the promise is settled with what `work` returned or threw.
#pragma once

#include <napi.h>

#include <functional>
#include <string>
#include <utility>

#include "../../addon/guarded.hpp"
#include "failure.hpp"

namespace roundhouse {

class CoreTask : public Napi::AsyncWorker {
 public:
  using Work = std::function<std::string()>;
  using Result = std::function<Napi::Value(Napi::Env, const std::string&)>;

  static Napi::Value run(Napi::Env env, Work work, Result result, std::function<void()> on_failure = [] {}) {
    auto* task = new CoreTask(env, std::move(work), std::move(result), std::move(on_failure));
    const Napi::Value promise = task->deferred_.Promise();
    task->Queue();
    return promise;
  }

  void Execute() override {
    try {
      text_ = work_();
    } catch (const TritonFailure& failure) {
      code_ = failure.code;
      log_ = failure.log;
      SetError(failure.what());
    } catch (const std::exception& error) {
      code_ = "INTERNAL";
      SetError(error.what());
    }
  }
  void OnOK() override { deferred_.Resolve(result_(Env(), text_)); }
  void OnError(const Napi::Error& error) override {
    on_failure_();
    Napi::Error rejection = to_js_error(Env(), code_, error.Message());
    if (!log_.empty()) rejection.Set("log", log_);
    deferred_.Reject(rejection.Value());
  }

 private:
  CoreTask(Napi::Env env, Work work, Result result, std::function<void()> on_failure)
      : AsyncWorker(env),
        deferred_(Napi::Promise::Deferred::New(env)),
        work_(std::move(work)),
        result_(std::move(result)),
        on_failure_(std::move(on_failure)) {}

  Napi::Promise::Deferred deferred_;
  Work work_;
  Result result_;
  std::function<void()> on_failure_;
  std::string text_;
  std::string code_;
  std::string log_;
};

}  // namespace roundhouse
