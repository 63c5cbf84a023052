// Times of the route planner's steps on a GPU, with everything in device memory.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "../../../cuda/device/memory.hpp"
#include "../../../cuda/device/stream.hpp"
#include "../../../cuda/route_planner/gpu/packed_work.hpp"
#include "../../../cuda/route_planner/gpu/planner_slot.hpp"
#include "../packed_problems.hpp"
#include "../problem_sets.hpp"

namespace roundhouse::route_planner {

using device::PinnedMemory;

inline double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

struct Times {
  double best = 0, median = 0;
};

inline Times summed(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

inline std::string textOf(const char* name, const Times& times) {
  char text[120];
  std::snprintf(text, sizeof text, "\"%sBest\":%.4f,\"%sMedian\":%.4f", name, times.best, name, times.median);
  return text;
}

/// Milliseconds between two points of a stream.
class Span {
 public:
  explicit Span(cudaStream_t stream) : stream_(stream) {}
  void begin() { from_.record(stream_); }
  void end() { to_.record(stream_); }
  double milliseconds() const {
    to_.wait();
    return device::millisecondsBetween(from_, to_);
  }

 private:
  cudaStream_t stream_;
  device::Event from_{0}, to_{0};
};

/// A set in page-locked memory.
struct PackedSet {
  PinnedMemory words;
  std::size_t count;
  gpu::PackedRequest request;

  explicit PackedSet(const std::vector<Problem>& problems) : count(problems.size()) {
    const std::vector<int32_t> all = test::packed(problems);
    words.demand(all.size() * sizeof(int32_t));
    std::copy(all.begin(), all.end(), words.as<int32_t>());
    request.words = {words.as<int32_t>(), all.size()};
    request.pinned = true;
    request.isCancelled = [] { return false; };
  }
};

/// PackedWork that times building and writing rows.
class TimedWork final : public gpu::DeviceWork {
 public:
  TimedWork(gpu::PackedWork& work, cudaStream_t stream) : building_(stream), writing_(stream), work_(work) {}
  int take(int first, int most) override { return work_.take(first, most); }
  void build(const gpu::Building& to, cudaStream_t stream) override {
    building_.begin();
    work_.build(to, stream);
    building_.end();
  }
  void solveGeneral(const gpu::Building& batch, int firstItem, gpu::GeneralScratch* d_scratch, int blocks,
                    cudaStream_t stream) override {
    work_.solveGeneral(batch, firstItem, d_scratch, blocks, stream);
  }
  void finish(const gpu::Building& solved, int refused, cudaStream_t stream) override {
    writing_.begin();
    work_.finish(solved, refused, stream);
    writing_.end();
  }
  double buildMs() const { return building_.milliseconds(); }
  double writeMs() const { return writing_.milliseconds(); }

 private:
  Span building_, writing_;
  gpu::PackedWork& work_;
};

struct Kernels {
  Times kernels, copyAndBuild, write;
  uint32_t unsolved, hard;
};

/// All problems in one chunk: each step of it, then the kernels again and again.
inline Kernels measureKernels(PackedSet& set) {
  const int count = static_cast<int>(set.count);
  gpu::PlannerSlot slot(count, 64);
  gpu::PackedBuffers buffers(count);
  std::vector<double> builds, writes, kernels;
  Kernels result{};
  for (int run = 0; run < 6; ++run) {
    gpu::PackedRequest request = set.request;
    gpu::PackedWork packed({&request, 1}, buffers);
    TimedWork work(packed, slot.stream());
    const int taken = work.take(0, count);
    slot.build(0, taken, work);
    slot.launch(work);
    slot.stream().wait();
    if (run == 0) result.unsolved = slot.counters().unsolved;
    if (run == 0) result.hard = slot.counters().hard;
    if (run > 0) builds.push_back(work.buildMs());
    if (run > 0) writes.push_back(work.writeMs());
  }
  Span span(slot.stream());
  for (int run = 0; run < 12; ++run) {
    constexpr std::size_t kKept = offsetof(gpu::Counters, unsolved);
    device::require(cudaMemsetAsync(&slot.batch().d_counters->unsolved, 0, sizeof(gpu::Counters) - kKept, slot.stream()),
                    "a reset");
    span.begin();
    slot.launchKernels();
    span.end();
    const double milliseconds = span.milliseconds();
    if (run >= 2) kernels.push_back(milliseconds);
  }
  result.kernels = summed(kernels);
  result.copyAndBuild = summed(builds);
  result.write = summed(writes);
  return result;
}

}  // namespace roundhouse::route_planner
