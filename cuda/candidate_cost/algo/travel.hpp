#pragma once

#include "shard_tables.hpp"

namespace roundhouse::candidate_cost {

/// Ride factors within 1..kMaxFactor per mille and speeds and places within their limits keep travel in 64 bits.
constexpr int32_t kMaxFactor = 100000;
constexpr int64_t kMaxMetresPerHour = 1000000;
constexpr int64_t kMaxQuantum = 86400;
constexpr int32_t kMaxCoordinate = 1 << 30;
constexpr int kVehicles = 4;

/// Travel of one shard: by speed, or zone to zone when `matrix` is set.
struct TravelModel {
  int64_t quantum;
  int64_t metresPerHour[kVehicles];
  int32_t factorPerMille[kVehicles];
  /// Seconds, row-major from·zones + to; null for travel by speed.
  const int32_t* matrix;
  int32_t zones;
};

/// Smallest r with r² ≥ n, for n ≤ 2^63: the root in doubles, put right in integers, so that no rounding shows.
ROUNDHOUSE_HD inline uint64_t ceilSqrt(uint64_t n) {
#if defined(__CUDA_ARCH__)
  auto root = static_cast<uint64_t>(sqrt(static_cast<double>(n)));
#else
  auto root = static_cast<uint64_t>(__builtin_sqrt(static_cast<double>(n)));
#endif
  while (root * root < n) ++root;
  while (root > 0 && (root - 1) * (root - 1) >= n) --root;
  return root;
}

/// dividend / divisor, both below 2^53 and not negative: the quotient in doubles, put right in integers. A GPU takes a
/// fraction of the time that it takes to divide 64-bit integers.
ROUNDHOUSE_HD inline int64_t quotientByDoubles(int64_t dividend, int64_t divisor) {
  auto quotient = static_cast<int64_t>(static_cast<double>(dividend) / static_cast<double>(divisor));
  if (quotient * divisor > dividend) --quotient;
  return dividend - quotient * divisor >= divisor ? quotient + 1 : quotient;
}

/// Neither is negative, nor their sum above 2^63.
ROUNDHOUSE_HD inline int64_t ceilDivide(int64_t dividend, int64_t divisor) {
#if defined(__CUDA_ARCH__)
  constexpr int64_t kExact = int64_t{1} << 52;
  if (dividend < kExact && divisor < kExact) return quotientByDoubles(dividend + divisor - 1, divisor);
#endif
  return (dividend + divisor - 1) / divisor;
}

/// Straight distance of two places in whole metres, rounded up.
ROUNDHOUSE_HD inline int64_t distanceMetres(const int32_t* from, const int32_t* to) {
  const int64_t dx = int64_t{to[layout::PlaceColumn::x]} - from[layout::PlaceColumn::x];
  const int64_t dy = int64_t{to[layout::PlaceColumn::y]} - from[layout::PlaceColumn::y];
  return static_cast<int64_t>(ceilSqrt(static_cast<uint64_t>(dx * dx) + static_cast<uint64_t>(dy * dy)));
}

/// Seconds between two place rows, as schemas/src/tensors.ts defines it; may be above INT32.
ROUNDHOUSE_HD inline int64_t travelSeconds(const TravelModel& travel, int vehicle, const int32_t* from,
                                           const int32_t* to) {
  const int64_t factor = travel.factorPerMille[vehicle];
  if (travel.matrix != nullptr) {
    const int64_t row = from[layout::PlaceColumn::zone];
    const int64_t seconds = travel.matrix[row * travel.zones + to[layout::PlaceColumn::zone]];
    return travel.quantum * ceilDivide(seconds * factor, 1000 * travel.quantum);
  }
  const int64_t perQuantum = travel.metresPerHour[vehicle] * 1000 * travel.quantum;
  return travel.quantum * ceilDivide(distanceMetres(from, to) * 3600 * factor, perQuantum);
}

}  // namespace roundhouse::candidate_cost
