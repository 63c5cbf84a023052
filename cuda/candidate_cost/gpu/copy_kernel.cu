#include <algorithm>
#include <cstdint>

#include "../../device/device_fault.hpp"
#include "copies.hpp"

namespace roundhouse::candidate_cost::gpu {
namespace {

constexpr int kThreads = 256;
constexpr std::size_t kMostCopies = 64;

/// Lines of 16 bytes.
struct Lines {
  const uint4* from;
  uint4* to;
  uint32_t count;
};

struct AllLines {
  Lines of[kMostCopies];
};

/// A row of blocks a copy, a thread a line: all reads of the bus are under way together.
__global__ void __launch_bounds__(kThreads) copyKernel(const __grid_constant__ AllLines all) {
  const Lines& lines = all.of[blockIdx.y];
  const uint32_t line = blockIdx.x * kThreads + threadIdx.x;
  if (line < lines.count) lines.to[line] = lines.from[line];
}

Lines linesOf(const BytesCopy& copy) {
  const auto begin = reinterpret_cast<std::uintptr_t>(copy.from);
  const std::uintptr_t first = begin / 16 * 16, end = (begin + copy.bytes + 15) / 16 * 16;
  const auto to = reinterpret_cast<std::uintptr_t>(copy.to) / 16 * 16;
  return {reinterpret_cast<const uint4*>(first), reinterpret_cast<uint4*>(to), static_cast<uint32_t>((end - first) / 16)};
}

void copyByKernel(std::span<const BytesCopy> copies, cudaStream_t stream) {
  AllLines all{};
  uint32_t most = 0;
  for (std::size_t index = 0; index < copies.size(); ++index) {
    all.of[index] = linesOf(copies[index]);
    most = std::max(most, all.of[index].count);
  }
  if (most == 0) return;
  const dim3 grid((most + kThreads - 1) / kThreads, static_cast<unsigned>(copies.size()));
  copyKernel<<<grid, kThreads, 0, stream>>>(all);
  device::require(cudaGetLastError(), "bytes can't be copied");
}

}  // namespace

void enqueueCopies(std::span<const BytesCopy> copies, CopyBy how, cudaMemcpyKind direction, cudaStream_t stream) {
  std::size_t bytes = 0;
  bool congruent = true;
  for (const BytesCopy& copy : copies) {
    bytes += copy.bytes;
    congruent = congruent && isCongruent(copy);
  }
  if (how == CopyBy::kernel && congruent && bytes <= kMostKernelBytes) {
    for (; !copies.empty(); copies = copies.subspan(std::min(copies.size(), kMostCopies))) {
      copyByKernel(copies.first(std::min(copies.size(), kMostCopies)), stream);
    }
    return;
  }
  for (const BytesCopy& copy : copies) {
    if (copy.bytes == 0) continue;
    device::require(cudaMemcpyAsync(copy.to, copy.from, copy.bytes, direction, stream), "bytes can't be copied");
  }
}

}  // namespace roundhouse::candidate_cost::gpu
