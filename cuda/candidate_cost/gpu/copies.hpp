#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace roundhouse::candidate_cost::gpu {

/// Bytes that go from one side of the bus to the other; the host's are page-locked.
struct BytesCopy {
  const void* from;
  void* to;
  std::size_t bytes;
};

/// Both begin at the same place within 16 bytes.
inline bool isCongruent(const BytesCopy& copy) {
  return reinterpret_cast<std::uintptr_t>(copy.from) % 16 == reinterpret_cast<std::uintptr_t>(copy.to) % 16;
}

/// How copies of a batch are made: each by a copy engine, which takes a call of the driver; or all of them by one kernel
/// that reads and writes the host's memory itself.
enum class CopyBy { engine, kernel };

/// Up to so many bytes together go by the kernel; more keep its threads waiting for the bus.
constexpr std::size_t kMostKernelBytes = std::size_t{4} << 20;

/// Enqueues the copies, which may overlap with each other but not in bytes. By kernel: whole lines of 16 bytes are written
/// that hold the bytes of a congruent copy, so nothing else may lie in them. Throws DeviceFault.
void enqueueCopies(std::span<const BytesCopy> copies, CopyBy how, cudaMemcpyKind direction, cudaStream_t stream);

}  // namespace roundhouse::candidate_cost::gpu
