// Buffers of floats in any memory, for calls into the core or past it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstring>
#include <vector>

#include "memory.hpp"
#include "triton_host.hpp"

namespace roundhouse::test {

class GpuBuffer {
 public:
  GpuBuffer(MemoryKind kind, std::size_t count) : kind_(kind), bytes_(count * sizeof(float)) {
    if (kind_.type == TRITONSERVER_MEMORY_GPU) device_.demand(bytes_);
    if (kind_.type == TRITONSERVER_MEMORY_CPU_PINNED) pinned_.demand(bytes_);
    if (kind_.type == TRITONSERVER_MEMORY_CPU) pageable_.resize(count);
  }

  float* data() {
    if (kind_.type == TRITONSERVER_MEMORY_GPU) return device_.as<float>();
    return kind_.type == TRITONSERVER_MEMORY_CPU_PINNED ? pinned_.as<float>() : pageable_.data();
  }
  MemoryKind kind() const { return kind_; }
  std::size_t bytes() const { return bytes_; }

  void set(const float* values) { set(0, values, bytes_ / sizeof(float)); }
  /// There for every stream once it returns: a copy from pageable memory may return before, and streams that don't wait
  /// for the default one would read what was there.
  void set(std::size_t first, const float* values, std::size_t count) {
    device::require(cudaMemcpy(data() + first, values, count * sizeof(float), cudaMemcpyDefault), "copying in");
    device::require(cudaStreamSynchronize(cudaStreamLegacy), "copying in");
  }
  std::vector<float> get() {
    std::vector<float> values(bytes_ / sizeof(float));
    device::require(cudaMemcpy(values.data(), data(), bytes_, cudaMemcpyDefault), "copying out");
    return values;
  }

 private:
  MemoryKind kind_;
  std::size_t bytes_;
  device::DeviceMemory device_;
  device::PinnedMemory pinned_;
  std::vector<float> pageable_;
};

}  // namespace roundhouse::test
