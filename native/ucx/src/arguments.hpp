// Arguments of the addon's functions: what is none throws INVALID_ARG with its name.
#pragma once

#include <napi.h>

#include <cstdint>
#include <string>

#include "failure.hpp"
#include "host.hpp"

namespace roundhouse::ucx {

[[noreturn]] inline void invalid(const std::string& what) { throw UcxFailure("INVALID_ARG", what); }

inline std::uint64_t whole(const Napi::Value& value, const char* name) {
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
  if (!(number >= 0 && number <= 9007199254740991.0)) invalid(std::string(name) + " must be a whole number");
  return static_cast<std::uint64_t>(number);
}

inline std::string text(const Napi::Value& value, const char* name) {
  if (!value.IsString()) invalid(std::string(name) + " must be a string");
  return value.As<Napi::String>().Utf8Value();
}

// The caller keeps the memory.
inline Part part_of(const Napi::Value& value, const char* name) {
  if (!value.IsTypedArray()) invalid(std::string(name) + " must be bytes");
  const auto bytes = value.As<Napi::Uint8Array>();
  return {reinterpret_cast<const std::byte*>(bytes.Data()), bytes.ByteLength()};
}

inline HostSettings settings_of(Napi::Object object) {
  HostSettings settings;
  settings.context.library = text(object.Get("library"), "library");
  settings.context.transports = text(object.Get("transports"), "transports");
  settings.context.devices = text(object.Get("devices"), "devices");
  settings.inline_bytes = whole(object.Get("inlineBytes"), "inlineBytes");
  settings.eager_bytes = whole(object.Get("eagerBytes"), "eagerBytes");
  settings.most_spin = std::chrono::microseconds(whole(object.Get("mostSpinUs"), "mostSpinUs"));
  const Napi::Value listen = object.Get("listen");
  if (!listen.IsObject()) return settings;
  const auto at = listen.As<Napi::Object>();
  const std::uint64_t port = whole(at.Get("port"), "port");
  if (port > 65'535) invalid("port must be at most 65535");
  settings.listen = address_of(text(at.Get("host"), "host"), static_cast<std::uint16_t>(port));
  return settings;
}

}  // namespace roundhouse::ucx
