// Latencies and rates of calls, and the bare TensorRT loop that the backend is measured against.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "etr_bare_loop.hpp"
#include "gpu_buffers.hpp"
#include "load.hpp"
#include "network_repository.hpp"
#include "onnx_network.hpp"
#include "stream.hpp"

namespace roundhouse::test {

using namespace roundhouse::delivery_time;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kBatches[] = {64, 1'024, 16'384, 65'536};
inline double secondsEach = 0.25;

inline double microsecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

struct Latency {
  double median = 0, p99 = 0;
};

/// Of `once`, after it has run a while.
inline Latency latencyOf(const std::function<void()>& once) {
  for (int warm = 0; warm < 20; ++warm) once();
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 50 || (microsecondsSince(start) < secondsEach * 1e6 && times.size() < 100'000)) {
    const auto begin = Clock::now();
    once();
    times.push_back(microsecondsSince(begin));
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

/// Calls a second; `some` makes a few and returns how many.
inline double rateOf(const std::function<std::size_t()>& some) {
  (void)some();
  const auto start = Clock::now();
  std::size_t calls = 0;
  while (microsecondsSince(start) < secondsEach * 1e6) calls += some();
  return static_cast<double>(calls) / microsecondsSince(start) * 1e6;
}

inline std::string json(const char* name, double value) {
  char text[96];
  std::snprintf(text, sizeof text, "\"%s\": %.4g", name, value);
  return text;
}

inline std::string json(const char* name, const Latency& latency) {
  char text[128];
  std::snprintf(text, sizeof text, "\"%s\": { \"p50\": %.1f, \"p99\": %.1f }", name, latency.median, latency.p99);
  return text;
}

/// One of the two networks, as a model of the repository.
struct Subject {
  std::string name;
  fs::path file;
  Columns columns;
  std::vector<float> features;
};

struct Bare {
  Latency device, copies, graph, graphCopies;
  double deviceRate = 0, copiesRate = 0;
};

/// Four contexts, or one: the better rate is the bar. No call waits for the host.
inline double bareRate(gpu::TensorRtNetwork& network, const Subject& subject, std::size_t rows, bool copies) {
  double best = 0;
  for (const std::size_t count : {1u, 4u}) {
    std::vector<std::unique_ptr<BareLoop>> loops;
    for (std::size_t index = 0; index < count; ++index) {
      loops.push_back(std::make_unique<BareLoop>(network, rows, subject.features));
    }
    best = std::max(best, rateOf([&] {
                      constexpr std::size_t rounds = 16;
                      for (std::size_t round = 0; round < rounds; ++round) {
                        for (auto& loop : loops) copies ? loop->enqueueWithCopies() : loop->enqueue();
                      }
                      for (auto& loop : loops) loop->wait();
                      return rounds * count;
                    }));
  }
  return best * static_cast<double>(rows);
}

inline Bare measureBare(gpu::TensorRtNetwork& network, const Subject& subject, std::size_t rows) {
  Bare bare;
  BareLoop loop(network, rows, subject.features);
  bare.device = latencyOf([&] { loop.enqueue(), loop.wait(); });
  bare.copies = latencyOf([&] { loop.enqueueWithCopies(), loop.wait(); });
  bare.graph = latencyOf([&] { loop.launch(false), loop.wait(); });
  bare.graphCopies = latencyOf([&] { loop.launch(true), loop.wait(); });
  bare.deviceRate = bareRate(network, subject, rows, false);
  bare.copiesRate = bareRate(network, subject, rows, true);
  return bare;
}

/// The network behind its interface, without the core: one context, and four of them in turn as a lone caller of four
/// instances has them.
inline Latency contextLatency(DeviceNetwork& network, const Subject& subject, std::size_t rows, std::size_t count) {
  GpuBuffer in(kDevice, rows * subject.columns.features), out(kDevice, rows * subject.columns.quantiles);
  in.set(subject.features.data());
  std::vector<std::unique_ptr<DeviceNetwork::Context>> contexts;
  for (std::size_t index = 0; index < count; ++index) contexts.push_back(network.context());
  const device::Stream stream;
  std::size_t turn = 0;
  return latencyOf([&] {
    contexts[turn++ % count]->enqueue(in.data(), rows, out.data(), stream);
    stream.wait();
  });
}

/// Its graph of a whole call, without the core, between places of one kind.
inline Latency callLatency(DeviceNetwork& network, const Subject& subject, std::size_t rows, MemoryKind kind) {
  GpuBuffer in(kind, rows * subject.columns.features), out(kind, rows * subject.columns.quantiles);
  in.set(subject.features.data());
  const auto context = network.context();
  context->prepare();
  if (context->callRows() < rows) return {};
  const device::Stream stream;
  const bool onDevice = kind.type == TRITONSERVER_MEMORY_GPU;
  return latencyOf([&] {
    if (!context->enqueueCall({in.data(), onDevice}, rows, {out.data(), onDevice}, stream)) {
      throw std::runtime_error("a graph refuses an address");
    }
    stream.wait();
  });
}

}  // namespace roundhouse::test
