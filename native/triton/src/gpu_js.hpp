// The GPUs of this process for JavaScript, as bindings.ts has them.
#pragma once

#include <napi.h>

#include "device_fault.hpp"
#include "gpu_driver.hpp"
#include "gpu_memory.hpp"
#include "gpu_watch.hpp"

namespace roundhouse {

// gpus() → { failure, gpus: { name, busId, computeCapability, memoryBytes }[] }. The first call starts the driver.
inline Napi::Value gpus_to_js(const Napi::CallbackInfo& info) {
  Napi::Object found = Napi::Object::New(info.Env());
  found.Set("failure", gpu_driver().failure);
  Napi::Array rows = Napi::Array::New(info.Env());
  for (const GpuFacts& gpu : visible_gpus()) {
    Napi::Object row = Napi::Object::New(info.Env());
    row.Set("name", gpu.name);
    row.Set("busId", gpu.bus_id);
    row.Set("computeCapability", std::to_string(gpu.capability_major) + "." + std::to_string(gpu.capability_minor));
    row.Set("memoryBytes", static_cast<double>(gpu.memory_bytes));
    rows.Set(rows.Length(), row);
  }
  found.Set("gpus", rows);
  return found;
}

// watchGpus(everyMs): from now on to the end of the process a broken GPU is noted as a backend would note it.
inline Napi::Value watch_gpus(const Napi::CallbackInfo& info) {
  const std::chrono::milliseconds every(info[0].ToNumber().Int64Value());
  // Its threads may be in a call that does not return: never destroyed.
  static auto* const watch = new GpuWatch(every, [](const std::string& reason) { note_broken_device(reason); });
  return Napi::Boolean::New(info.Env(), watch != nullptr);
}

// gpuMemory(backendDirectory) → { device, bytes, peak, limit, arena, arenaPeak, refusals }[].
inline Napi::Value gpu_memory_to_js(const Napi::CallbackInfo& info) {
  Napi::Array rows = Napi::Array::New(info.Env());
  for (const GpuMemoryUse& use : gpu_memory_uses(info[0].ToString().Utf8Value())) {
    Napi::Object row = Napi::Object::New(info.Env());
    const auto set = [&](const char* name, std::uint64_t value) { row.Set(name, static_cast<double>(value)); };
    row.Set("device", use.device);
    set("bytes", use.bytes);
    set("peak", use.peak);
    set("limit", use.limit);
    set("arena", use.arena);
    set("arenaPeak", use.arena_peak);
    set("refusals", use.refusals);
    rows.Set(rows.Length(), row);
  }
  return rows;
}

}  // namespace roundhouse
