#pragma once

#include "admission.hpp"

namespace roundhouse::test {

/// Milliseconds since 1970; both clocks go by it.
inline std::int64_t fake_now_ms = 1'000'000;

inline AdmissionClock fake_clock() {
  return {[] { return fake_now_ms * 1'000'000; }, [] { return fake_now_ms; }};
}

inline void pass(std::int64_t ms) { fake_now_ms += ms; }

}  // namespace roundhouse::test
