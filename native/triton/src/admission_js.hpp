// Admission's limits and counts as objects of JavaScript, as bindings.ts has them.
#pragma once

#include <napi.h>

#include "admission.hpp"
#include "core_api.hpp"

namespace roundhouse {

// Infinity: no bound. Absent: none at all.
inline AdmissionLimits admission_limits_of(const Napi::Value& value) {
  AdmissionLimits limits;
  if (value.IsUndefined()) return limits;
  if (!value.IsObject()) throw TritonFailure("INVALID_ARG", "settings.admission must be an object");
  const auto object = value.As<Napi::Object>();
  const auto number_of = [&object](const char* key, double least) {
    const Napi::Value number = object.Get(key);
    const double bound = number.IsNumber() ? number.As<Napi::Number>().DoubleValue() : -1;
    if (!(bound >= least)) throw TritonFailure("INVALID_ARG", std::string("settings.admission.") + key + " is no bound");
    return bound < 9e15 ? static_cast<std::int64_t>(bound) : kUnbounded;
  };
  limits.in_core = number_of("inCore", 1);
  limits.running = number_of("running", 1);
  limits.queued = number_of("queued", 0);
  limits.queued_bytes = number_of("queuedBytes", 0);
  return limits;
}

inline Napi::Object admission_counts_to_js(Napi::Env env, const AdmissionCounts& counts, std::int64_t queued_now) {
  Napi::Object object = Napi::Object::New(env);
  const auto set = [&](const char* key, auto value) { object.Set(key, static_cast<double>(value)); };
  set("queuedNow", queued_now);
  set("startedAtOnce", counts.started_at_once);
  set("queued", counts.queued);
  set("startedLater", counts.started_later);
  set("refusedFull", counts.refused_full);
  set("refusedHopeless", counts.refused_hopeless);
  set("displaced", counts.displaced);
  set("late", counts.late);
  set("expiredQueued", counts.expired_queued);
  set("expiredRunning", counts.expired_running);
  set("cancelledQueued", counts.cancelled_queued);
  set("cancelledRunning", counts.cancelled_running);
  set("waitSeconds", static_cast<double>(counts.wait_ns) / 1e9);
  Napi::Array buckets = Napi::Array::New(env, counts.wait_buckets.size());
  for (std::uint32_t i = 0; i < counts.wait_buckets.size(); ++i) {
    buckets.Set(i, static_cast<double>(counts.wait_buckets[i]));
  }
  object.Set("waitBuckets", buckets);
  return object;
}

// Absent: no deadline.
inline Napi::Object work_to_js(Napi::Env env, const ModelWork& work) {
  Napi::Object object = Napi::Object::New(env);
  const auto set = [&](const char* key, auto value) { object.Set(key, static_cast<double>(value)); };
  object.Set("model", work.model);
  set("version", work.version);
  set("line", work.line);
  set("waiting", work.waiting);
  set("running", work.running);
  set("oldest", work.oldest);
  set("workedOff", work.worked_off);
  set("answered", work.answered);
  set("kib", work.kib);
  set("msPerKib", work.ns_per_kib / 1e6);
  if (work.left_ms != kNoDeadline) set("leftMs", work.left_ms);
  return object;
}

inline Napi::Object admission_to_js(Napi::Env env, const AdmissionStatistics& statistics) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("queued", static_cast<double>(statistics.queued));
  object.Set("queuedBytes", static_cast<double>(statistics.queued_bytes));
  object.Set("inCore", static_cast<double>(statistics.in_core));
  static constexpr const char* names[kPriorityClasses] = {"high", "default", "low"};
  for (std::size_t i = 0; i < kPriorityClasses; ++i) {
    object.Set(names[i], admission_counts_to_js(env, statistics.counts[i], statistics.queued_of[i]));
  }
  return object;
}

}  // namespace roundhouse
