#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace roundhouse::test {

/// Memory in use at a moment: of the whole GPU, and resident of this process.
struct MemorySample {
  double seconds = 0;
  double gpuMb = 0;
  double residentMb = 0;
};

inline double gpuMbInUse() {
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return 0;
  return static_cast<double>(total - free) / 1e6;
}

inline double residentMb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return static_cast<double>(std::stoll(line.substr(6))) * 1024 / 1e6;
  }
  return 0;
}

/// The median of `value` over the samples between two moments; 0 where there are none.
template <typename Value>
double levelOf(const std::vector<MemorySample>& samples, double from, double to, Value value) {
  std::vector<double> values;
  for (const MemorySample& sample : samples) {
    if (sample.seconds >= from && sample.seconds <= to) values.push_back(value(sample));
  }
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace roundhouse::test
