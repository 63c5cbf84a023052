#pragma once

#include <napi.h>

#include <initializer_list>

namespace roundhouse {

struct AddonFunction {
  const char* name;
  Napi::Value (*function)(const Napi::CallbackInfo&);
};

/// What an addon has for JavaScript, and `abiVersion`, by which it is checked when it is loaded.
template <int abiVersion>
Napi::Object with_functions(Napi::Env env, Napi::Object exports, std::initializer_list<AddonFunction> functions) {
  const auto version = [](const Napi::CallbackInfo& info) -> Napi::Value {
    return Napi::Number::New(info.Env(), abiVersion);
  };
  exports.Set("abiVersion", Napi::Function::New(env, version, "abiVersion"));
  for (const auto& [name, function] : functions) exports.Set(name, Napi::Function::New(env, function, name));
  return exports;
}

}  // namespace roundhouse
