#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "layout.hpp"

namespace roundhouse::candidate_cost {

inline std::int64_t unixNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// From when to when, Unix nanoseconds; 0 and 0 where nothing happened.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// What a request went through, as the output `phases` has it. Those of a batch that passes a phase together have the
/// same times of it.
struct Phases {
  Span copyIn;
  Span etr;
  /// OR: problems built, solved and written as plans.
  Span planning;
  Span copyOut;
};

static_assert(offsetof(Phases, copyIn) == sizeof(std::int64_t) * layout::Phase::copyIn);
static_assert(offsetof(Phases, etr) == sizeof(std::int64_t) * layout::Phase::etr);
static_assert(offsetof(Phases, planning) == sizeof(std::int64_t) * layout::Phase::planning);
static_assert(offsetof(Phases, copyOut) == sizeof(std::int64_t) * layout::Phase::copyOut);
static_assert(sizeof(Phases) == sizeof(std::int64_t) * layout::PHASE_VALUES);

}  // namespace roundhouse::candidate_cost
