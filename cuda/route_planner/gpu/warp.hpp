#pragma once

#include "../algo/platform.hpp"

#if defined(__CUDACC__)
#define ROUNDHOUSE_DEVICE __device__ __forceinline__
#define ROUNDHOUSE_UNROLL _Pragma("unroll")
#else
#define ROUNDHOUSE_DEVICE inline
#define ROUNDHOUSE_UNROLL
#endif

namespace roundhouse::route_planner::gpu {

/// 32 lanes that work on one problem. The kernels' code takes it as a parameter, so that tests can run the same code
/// on a CPU with lanes of their own.
#if defined(__CUDACC__)
struct Warp {
  static constexpr uint32_t kAll = 0xffffffffu;
  __device__ __forceinline__ int lane() const { return static_cast<int>(threadIdx.x & 31); }
  __device__ __forceinline__ void sync() const { __syncwarp(); }
  __device__ __forceinline__ uint32_t ballot(bool holds) const { return __ballot_sync(kAll, holds); }
  template <typename T>
  __device__ __forceinline__ T from(int lane, T value) const {
    return __shfl_sync(kAll, value, lane);
  }
  template <typename T>
  __device__ __forceinline__ T up(int by, T value) const {
    return __shfl_up_sync(kAll, value, by);
  }
  template <typename T>
  __device__ __forceinline__ T across(int mask, T value) const {
    return __shfl_xor_sync(kAll, value, mask);
  }
  __device__ __forceinline__ int32_t least(int32_t value) const { return __reduce_min_sync(kAll, value); }
  __device__ __forceinline__ uint32_t least(uint32_t value) const { return __reduce_min_sync(kAll, value); }
  __device__ __forceinline__ uint32_t either(uint32_t bits) const { return __reduce_or_sync(kAll, bits); }
  /// Adds to a counter that other warps add to as well; what was there before.
  __device__ __forceinline__ uint32_t add(uint32_t* counter, uint32_t by) const { return atomicAdd(counter, by); }
  /// For numbers that warps of other blocks change meanwhile: lowers one, and reads what is there now.
  __device__ __forceinline__ void lower(int32_t* shared, int32_t to) const { atomicMin(shared, to); }
  template <typename T>
  __device__ __forceinline__ T now(const T* shared) const {
    return *static_cast<const volatile T*>(shared);
  }
  /// What this lane wrote is there for who sees what it writes next.
  __device__ __forceinline__ void publish() const { __threadfence(); }
  /// Lanes whose value is the same.
  __device__ __forceinline__ uint32_t same(uint32_t value) const { return __match_any_sync(kAll, value); }
};
#endif

ROUNDHOUSE_DEVICE int countBits(uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}

/// Index of the highest set bit; `bits` is not 0.
ROUNDHOUSE_DEVICE int highestBit(uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return 31 - __clz(static_cast<int>(bits));
#else
  return 31 - __builtin_clz(bits);
#endif
}

}  // namespace roundhouse::route_planner::gpu
