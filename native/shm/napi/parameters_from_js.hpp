// Request parameters as both addons take them: [key, value, key, value, …]; a bigint is an int64, a number a double.
#pragma once

#include <napi.h>

#include <string>
#include <vector>

#include "failure.hpp"
#include "parameter.hpp"

namespace roundhouse::shm {

inline ParameterValue parameter_value_of(const Napi::Value& value, const std::string& key) {
  if (value.IsString()) return value.As<Napi::String>().Utf8Value();
  if (value.IsBoolean()) return value.As<Napi::Boolean>().Value();
  if (value.IsNumber()) return value.As<Napi::Number>().DoubleValue();
  bool lossless = false;
  const std::int64_t whole = value.IsBigInt() ? value.As<Napi::BigInt>().Int64Value(&lossless) : 0;
  if (lossless) return whole;
  throw ShmFailure("INVALID_ARG", "parameters[\"" + key + "\"]: " +
                                      (value.IsBigInt() ? "no int64 holds it" : "no boolean, number or text"));
}

// Throws INVALID_ARG for an array that is none.
inline std::vector<Parameter> parameters_from_js(const Napi::Value& value) {
  std::vector<Parameter> parameters;
  if (value.IsUndefined()) return parameters;
  if (!value.IsArray()) throw ShmFailure("INVALID_ARG", "parameters must be an array");
  const auto array = value.As<Napi::Array>();
  for (std::uint32_t i = 0; i + 1 < array.Length(); i += 2) {
    const Napi::Value key = array.Get(i);
    if (!key.IsString()) throw ShmFailure("INVALID_ARG", "the key of a parameter must be a string");
    std::string name = key.As<Napi::String>().Utf8Value();
    ParameterValue content = parameter_value_of(array.Get(i + 1), name);
    parameters.push_back({std::move(name), std::move(content)});
  }
  return parameters;
}

}  // namespace roundhouse::shm
