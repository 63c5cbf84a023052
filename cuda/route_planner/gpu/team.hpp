#pragma once

#include "warp.hpp"

namespace roundhouse::route_planner::gpu {

/// `size` neighbouring lanes of a warp that work on one problem while the others work on theirs. All lanes of the warp take
/// part in every exchange, whatever their teams do.
template <class Lanes, int kSize>
class Team {
 public:
  static constexpr int size = kSize;
  static_assert(size >= 2 && size <= 32 && (size & (size - 1)) == 0);

  ROUNDHOUSE_DEVICE explicit Team(const Lanes& lanes) : lanes_(lanes) {}

  /// Within the team, and the team's number within the warp.
  ROUNDHOUSE_DEVICE int lane() const { return lanes_.lane() % size; }
  ROUNDHOUSE_DEVICE int number() const { return lanes_.lane() / size; }
  ROUNDHOUSE_DEVICE const Lanes& warp() const { return lanes_; }

  ROUNDHOUSE_DEVICE void sync() const { lanes_.sync(); }
  ROUNDHOUSE_DEVICE bool any(bool holds) const {
    constexpr uint32_t kAll = size == 32 ? ~0u : (1u << size) - 1;
    return (lanes_.ballot(holds) >> (number() * size) & kAll) != 0;
  }
  /// The same in all lanes.
  template <typename T>
  ROUNDHOUSE_DEVICE T sum(T value) const {
    for (int mask = 1; mask < size; mask *= 2) value += lanes_.across(mask, value);
    return value;
  }
  template <typename T>
  ROUNDHOUSE_DEVICE T most(T value) const {
    for (int mask = 1; mask < size; mask *= 2) value = larger(value, lanes_.across(mask, value));
    return value;
  }
  ROUNDHOUSE_DEVICE uint32_t either(uint32_t bits) const {
    for (int mask = 1; mask < size; mask *= 2) bits |= lanes_.across(mask, bits);
    return bits;
  }
  /// The first lane's.
  template <typename T>
  ROUNDHOUSE_DEVICE T fromFirst(T value) const {
    return lanes_.from(number() * size, value);
  }

 private:
  const Lanes& lanes_;
};

}  // namespace roundhouse::route_planner::gpu
