// Arguments of the addon's functions: what is none throws INVALID_ARG with its name.
#pragma once

#include <napi.h>

#include <cstdint>
#include <string>

#include "../../addon/js_arguments.hpp"
#include "host.hpp"

namespace roundhouse::ucx {

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
