// Arguments of addons' functions: what is none throws INVALID_ARG with its name.
#pragma once

#include <napi.h>

#include <cstdint>
#include <string>

#include "coded_failure.hpp"

namespace roundhouse {

[[noreturn]] inline void invalid(const std::string& what) { throw CodedFailure("INVALID_ARG", what); }

inline std::uint64_t whole(const Napi::Value& value, const char* name) {
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
  if (!(number >= 0 && number <= 9007199254740991.0)) invalid(std::string(name) + " must be a whole number");
  return static_cast<std::uint64_t>(number);
}

inline std::string text(const Napi::Value& value, const char* name) {
  if (!value.IsString()) invalid(std::string(name) + " must be a string");
  return value.As<Napi::String>().Utf8Value();
}

}  // namespace roundhouse
