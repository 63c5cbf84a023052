// Whole calls of the planner without the core, by the number of threads on the host and the size of chunks.
#pragma once

#include <cstring>
#include <string>
#include <thread>

#include "../../../cuda/route_planner/gpu/packed_planner.hpp"
#include "kernel_times.hpp"

namespace roundhouse::route_planner {

/// Of `body` after two that warm up, each after a pause.
template <typename Body>
Times timesOf(int runs, std::chrono::milliseconds pause, Body&& body) {
  std::vector<double> times;
  for (int run = 0; run < runs + 2; ++run) {
    std::this_thread::sleep_for(pause);
    const auto start = std::chrono::steady_clock::now();
    body();
    if (run >= 2) times.push_back(millisecondsSince(start));
  }
  return summed(times);
}

/// The host's part before the copies: finding and cutting problems.
inline Times intakeTimes(const PackedSet& set, int threads, int chunk) {
  gpu::WorkerPool workers(threads);
  gpu::PackedWalk walk(workers);
  std::vector<uint32_t> offsets(static_cast<std::size_t>(chunk) + 1);
  return timesOf(8, std::chrono::milliseconds(0), [&] {
    gpu::PackedRequest request = set.request;
    gpu::PackedIntake intake({&request, 1}, walk);
    while (intake.take(chunk, std::size_t{288} * static_cast<std::size_t>(chunk), offsets.data()) > 0) {
    }
  });
}

struct DirectCalls {
  const PackedSet& set;
  PinnedMemory rows;
  std::vector<std::byte> first{};
  int differ = 0;

  explicit DirectCalls(const PackedSet& of) : set(of) { rows.demand(set.count * gpu::kRowBytes); }

  /// `pause` before each: threads that wait fall asleep.
  Times times(int threads, int chunk, std::chrono::milliseconds pause) {
    gpu::WorkerPool workers(threads);
    gpu::PackedPlanner planner({.device = 0, .chunk = chunk}, workers);
    auto* const costs = rows.as<std::byte>();
    auto* const sequences = costs + set.count * sizeof(int64_t);
    const Times result = timesOf(10, pause, [&] {
      gpu::PackedRequest request = set.request;
      planner.solve({&request, 1});
      (void)planner.read(request, costs, sequences, sequences + set.count * kMaxStops);
    });
    planner.wait();
    if (first.empty()) first.assign(costs, costs + rows.bytes());
    differ += std::memcmp(first.data(), costs, first.size()) == 0 ? 0 : 1;
    return result;
  }
};

inline std::string measureVariants(const PackedSet& set, double kernelMs) {
  DirectCalls calls(set);
  std::string text;
  for (const int threads : {1, 2, 4}) {
    for (const int chunk : {32768, 65536}) {
      const Times intake = intakeTimes(set, threads, chunk);
      const Times whole = calls.times(threads, chunk, std::chrono::milliseconds(0));
      const Times rested = calls.times(threads, chunk, std::chrono::milliseconds(4));
      char line[320];
      std::snprintf(line, sizeof line, "{\"threads\":%d,\"chunk\":%d,%s,%s,\"aboveKernelMs\":%.3f,%s,\"restedAboveKernelMs\":%.3f,\"differ\":%d}",
                    threads, chunk, textOf("intakeMs", intake).c_str(), textOf("directCallMs", whole).c_str(),
                    whole.median - kernelMs, textOf("restedCallMs", rested).c_str(), rested.median - kernelMs, calls.differ);
      std::printf("  %s\n", line);
      std::fflush(stdout);
      text.append(text.empty() ? "" : ",").append(line);
    }
  }
  return "[" + text + "]";
}

}  // namespace roundhouse::route_planner
