#pragma once

#include <algorithm>
#include <cstdint>

namespace roundhouse::candidate_cost::gpu {

/// A GPU's clock in Unix nanoseconds, without a call of its own: each batch says between which times of the host two of the
/// GPU's lay, and what all of them allow is kept. Both clocks may drift from each other by kDriftPerMillion; one that is
/// set anew is followed.
class DeviceClock {
 public:
  static constexpr std::int64_t kDriftPerMillion = 50;

  /// `deviceFirst` came after `hostBefore`, and `deviceLast` before `hostAfter`.
  void observe(std::int64_t hostBefore, std::uint64_t deviceFirst, std::uint64_t deviceLast, std::int64_t hostAfter) {
    const std::int64_t least = hostBefore - static_cast<std::int64_t>(deviceFirst);
    const std::int64_t most = hostAfter - static_cast<std::int64_t>(deviceLast);
    const std::int64_t drift = (hostAfter - seenAt_) * kDriftPerMillion / 1'000'000;
    const bool fits = seenAt_ != 0 && drift >= 0 && least <= most_ + drift && most >= least_ - drift;
    least_ = fits ? std::max(least, least_ - drift) : least;
    most_ = fits ? std::min(most, most_ + drift) : most;
    seenAt_ = hostAfter;
  }

  /// After the first `observe`; within what the last one allows.
  std::int64_t unixNs(std::uint64_t device) const {
    return static_cast<std::int64_t>(device) + least_ + (most_ - least_) / 2;
  }

 private:
  /// Unix time less the GPU's.
  std::int64_t least_ = 0, most_ = 0;
  std::int64_t seenAt_ = 0;
};

}  // namespace roundhouse::candidate_cost::gpu
