// The functions of confine.node, one to one as in bindings.ts.
#include <napi.h>

#include "confine.hpp"
#include "files.hpp"

namespace roundhouse::confine {
namespace {

constexpr int kAbiVersion = 2;

Napi::Value abi_version(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), kAbiVersion); }

Napi::Value version_of_landlock(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), landlock_version());
}

Napi::Value confine(const Napi::CallbackInfo& info) {
  const auto [no_new_privileges, filter] = confine_process();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("noNewPrivileges", Napi::Number::New(info.Env(), no_new_privileges));
  result.Set("filter", Napi::Number::New(info.Env(), filter));
  return result;
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports.Set("abiVersion", Napi::Function::New(env, abi_version));
  exports.Set("landlockVersion", Napi::Function::New(env, version_of_landlock));
  exports.Set("confine", Napi::Function::New(env, confine));
  return exports;
}

}  // namespace
}  // namespace roundhouse::confine

using roundhouse::confine::init;
NODE_API_MODULE(confine, init)
