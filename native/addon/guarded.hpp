#pragma once

#include <napi.h>

#include <string>

#include "coded_failure.hpp"

namespace roundhouse {

inline Napi::Error to_js_error(Napi::Env env, const std::string& code, const std::string& message) {
  Napi::Error error = Napi::Error::New(env, message);
  error.Set("code", code);
  return error;
}

/// Runs `body`; what it throws becomes a JS error with a `code`.
template <typename Body>
Napi::Value guarded(Napi::Env env, Body body) {
  try {
    return body();
  } catch (const CodedFailure& failure) {
    Napi::Error error = to_js_error(env, failure.code, failure.what());
    if (failure.remaining_ms >= 0) error.Set("remainingMs", static_cast<double>(failure.remaining_ms));
    throw error;
  } catch (const Napi::Error&) {
    throw;
  } catch (const std::exception& error) {
    throw to_js_error(env, "INTERNAL", error.what());
  }
}

}  // namespace roundhouse
