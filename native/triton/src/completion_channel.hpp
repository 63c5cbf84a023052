// The one thread-safe function of a server: threads of the core knock, the JS thread takes the whole list.
#pragma once

#include <napi.h>

#include <mutex>

namespace roundhouse {

class CompletionChannel {
 public:
  CompletionChannel(napi_env env, napi_value on_completions, napi_threadsafe_function_call_js deliver, void* context) {
    napi_value name = Napi::String::New(env, "roundhouse.triton.completions");
    const napi_status status = napi_create_threadsafe_function(env, on_completions, nullptr, name, 0, 1, nullptr,
                                                               nullptr, context, deliver, &function_);
    if (status != napi_ok) throw Napi::Error::New(env, "no thread-safe function");
    napi_unref_threadsafe_function(env, function_);
  }

  // Any thread.
  void knock() {
    std::lock_guard lock(mutex_);
    if (function_ != nullptr) napi_call_threadsafe_function(function_, nullptr, napi_tsfn_nonblocking);
  }

  // Requests in flight keep the process alive, an idle server doesn't. JS thread.
  void hold_process(napi_env env, bool hold) {
    if (function_ == nullptr || hold == holding_) return;
    holding_ = hold;
    hold ? napi_ref_threadsafe_function(env, function_) : napi_unref_threadsafe_function(env, function_);
  }

  // JS thread; no knock comes through afterwards.
  void close() {
    std::lock_guard lock(mutex_);
    if (function_ != nullptr) napi_release_threadsafe_function(function_, napi_tsfn_abort);
    function_ = nullptr;
  }

  // At the exit of the process, where Node may no longer be called.
  void silence() {
    std::lock_guard lock(mutex_);
    function_ = nullptr;
  }

 private:
  std::mutex mutex_;
  napi_threadsafe_function function_ = nullptr;
  bool holding_ = false;
};

}  // namespace roundhouse
