// Device memory that the backends of this process hold, from the library that they share (cuda/sharing).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roundhouse {

// As the library has it (cuda/sharing/memory_ledger.hpp).
struct GpuMemoryUse {
  std::int32_t device;
  std::uint64_t bytes, peak, limit, arena, arena_peak, refusals;
};

// By device, those that a backend has used; none where the backends were built without CUDA, or hold nothing yet.
std::vector<GpuMemoryUse> gpu_memory_uses(const std::string& backend_directory);

}  // namespace roundhouse
