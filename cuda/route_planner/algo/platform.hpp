#pragma once

#include <cstdint>

// The one place that knows whether a CPU or a GPU compiler reads the algorithm headers.
#if defined(__CUDACC__)
#define ROUNDHOUSE_HD __host__ __device__
#else
#define ROUNDHOUSE_HD
#endif

namespace roundhouse {

/// Index of the lowest set bit; `bits` is not 0.
ROUNDHOUSE_HD inline int lowestBit(uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __ffs(static_cast<int>(bits)) - 1;
#else
  return __builtin_ctz(bits);
#endif
}

template <typename T>
ROUNDHOUSE_HD constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}

template <typename T>
ROUNDHOUSE_HD constexpr T larger(T a, T b) {
  return a < b ? b : a;
}

}  // namespace roundhouse
