// Events as rows, as bindings.ts has them: names of properties would cost more than the rest.
#pragma once

#include <napi.h>

#include <vector>

#include "events.hpp"

namespace roundhouse::ucx {

inline Napi::Array message_to_js(Napi::Env env, const Event& event) {
  Napi::Array row = Napi::Array::New(env, 7);
  row.Set(2u, static_cast<double>(event.connection));
  row.Set(3u, Napi::Buffer<std::byte>::Copy(env, event.header.data(), event.header.size()));
  row.Set(4u, static_cast<double>(event.bytes));
  row.Set(5u, event.waits);
  if (!event.data.empty()) row.Set(6u, Napi::Buffer<std::byte>::Copy(env, event.data.data(), event.data.size()));
  return row;
}

inline Napi::Array events_to_js(Napi::Env env, const std::vector<Event>& events) {
  Napi::Array rows = Napi::Array::New(env, events.size());
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    Napi::Array row = event.kind == EventKind::message ? message_to_js(env, event) : Napi::Array::New(env, 3);
    row.Set(0u, static_cast<double>(event.kind));
    row.Set(1u, static_cast<double>(event.id));
    if (event.kind != EventKind::message) row.Set(2u, event.text);
    rows.Set(i, row);
  }
  return rows;
}

}  // namespace roundhouse::ucx
