// Whole calls as graphs against ONNX Runtime: sizes, places, addresses that change, and other work of the context between.
#pragma once

#include <atomic>
#include <limits>
#include <random>

#include "in_parallel.hpp"
#include "network_checks.hpp"

namespace roundhouse::test {

/// A buffer of one kind with rows that begin a float behind its start, every second time.
struct CallPlace {
  CallPlace(MemoryKind kind, std::size_t floats, bool shifted) : buffer(kind, floats + 1 + kGuard), shift(shifted ? 1 : 0) {
    buffer.set(std::vector<float>(floats + 1 + kGuard, std::numeric_limits<float>::quiet_NaN()).data());
  }
  DeviceNetwork::Context::Place place() {
    return {buffer.data() + shift, buffer.kind().type == TRITONSERVER_MEMORY_GPU};
  }
  GpuBuffer buffer;
  std::size_t shift;
};

inline void checkCall(DeviceNetwork::Context& context, const std::vector<float>& features, const std::vector<float>& expected,
                      std::size_t rows, MemoryKind from, MemoryKind to, bool shifted, cudaStream_t stream) {
  CallPlace in(from, rows * kColumns.features, shifted), out(to, rows * kColumns.quantiles, shifted);
  in.buffer.set(in.shift, features.data(), rows * kColumns.features);
  if (!CHECK(context.enqueueCall(in.place(), rows, out.place(), stream))) return;
  device::require(cudaStreamSynchronize(stream), "the GPU failed");
  std::vector<float> all = out.buffer.get();
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(out.shift);
  const auto end = begin + static_cast<std::ptrdiff_t>(rows * kColumns.quantiles);
  CHECK(std::all_of(end, all.end(), [](float value) { return std::isnan(value); }));
  checkAgainst(expected, {begin, end}, "a graph of " + std::to_string(rows) + " rows");
}

inline void checkCalls(DeviceNetwork& network, Network& cpu) {
  const auto context = network.context();
  CHECK_EQUAL(context->callRows(), 0U);
  context->prepare();
  CHECK_EQUAL(context->callRows(), kCallGraphRows);
  const std::vector<float> features = gpu::rowsToCompare(kColumns, kCallGraphRows);
  const std::vector<float> expected = predictOnCpu(cpu, features);
  const device::Stream stream;
  std::size_t turn = 0;
  for (const std::size_t rows : {1u, 8u, 100u, 256u, 257u, 1'024u, 2'049u, 9'000u, 16'383u, 16'384u, 3u, 1'024u}) {
    for (const MemoryKind& from : {kPinned, kDevice}) {
      for (const MemoryKind& to : {kPinned, kDevice}) {
        checkCall(*context, features, expected, rows, from, to, turn++ % 2 == 1, stream);
      }
    }
    // The same executions on other buffers, with the arena's memory.
    checkAgainst(expected, predictOnDevice(*context, features, rows, stream), "between graphs, " + std::to_string(rows) + " rows");
    std::printf("graphs of %zu rows\n", rows);
  }
}

/// A call of a stream that is not waited for; its rows are the expected ones from `first` on.
struct EnqueuedCall {
  EnqueuedCall(std::size_t first_, std::size_t rows_, MemoryKind from, MemoryKind to)
      : first(first_), rows(rows_), in(from, rows_ * kColumns.features, false), out(to, rows_ * kColumns.quantiles, rows_ % 2 == 1) {}
  /// Rows in device memory are brought by a copy of the same stream, which the call has to wait for.
  void enqueue(DeviceNetwork::Context& context, const float* pinnedFeatures, cudaStream_t stream) {
    const float* from = pinnedFeatures + first * kColumns.features;
    const std::size_t bytes = rows * kColumns.features * sizeof(float);
    if (in.place().onDevice)
      device::require(cudaMemcpyAsync(in.buffer.data(), from, bytes, cudaMemcpyDefault, stream), "the rows can't be copied");
    else
      std::memcpy(in.buffer.data(), from, bytes);
    if (!context.enqueueCall(in.place(), rows, out.place(), stream)) {
      throw std::runtime_error("a call of " + std::to_string(rows) + " rows has no graph");
    }
  }
  std::string deviation(const std::vector<float>& expected) {
    const std::vector<float> all = out.buffer.get();
    const std::span<const float> found(all.data() + out.shift, rows * kColumns.quantiles);
    const gpu::Deviation away =
        gpu::deviation(kColumns, {expected.data() + first * kColumns.quantiles, found.size()}, found);
    return away.isWithin() ? "" : std::to_string(rows) + " rows from " + std::to_string(first) + " on: " + away.text;
  }

  std::size_t first, rows;
  CallPlace in, out;
};

/// Calls of all sizes one behind the other, each with other rows, and calls past the graphs between them.
inline std::vector<std::string> wrongCalls(DeviceNetwork& network, const float* pinnedFeatures,
                                           const std::vector<float>& expected, unsigned seed, std::size_t calls) {
  const std::size_t most = expected.size() / kColumns.quantiles;
  const device::Stream stream;
  const auto context = network.context();
  context->prepare();
  std::mt19937 random(seed);
  std::vector<std::unique_ptr<EnqueuedCall>> sent;
  for (std::size_t call = 0; call < calls; ++call) {
    // As many of each power of two.
    const std::size_t bound = std::size_t{2} << random() % 14;
    const std::size_t rows = 1 + random() % std::min(bound, kCallGraphRows);
    const auto kind = [&] { return random() % 2 == 0 ? kPinned : kDevice; };
    const MemoryKind from = kind(), to = kind();
    sent.push_back(std::make_unique<EnqueuedCall>(random() % (most - rows + 1), rows, from, to));
  }
  GpuBuffer between(kDevice, most * kColumns.features), ignored(kDevice, most * kColumns.quantiles);
  between.set(std::vector<float>(most * kColumns.features, 0.5f).data());
  for (std::size_t call = 0; call < calls; ++call) {
    sent[call]->enqueue(*context, pinnedFeatures, stream);
    if (call % 5 == 0) context->enqueue(between.data(), 1 + random() % most, ignored.data(), stream);
  }
  stream.wait();
  std::vector<std::string> wrong;
  for (const auto& call : sent) {
    if (std::string text = call->deviation(expected); !text.empty()) wrong.push_back(std::move(text));
  }
  return wrong;
}

enum class Callers { atOnce, oneByOne };

/// Contexts of several threads, again and again.
inline void checkCallsOfThreads(DeviceNetwork& network, Network& cpu, std::size_t rounds, std::size_t calls,
                                Callers callers = Callers::atOnce) {
  constexpr std::size_t rows = 40'000, threads = 6;
  const std::vector<float> features = gpu::rowsToCompare(kColumns, rows);
  const std::vector<float> expected = predictOnCpu(cpu, features);
  GpuBuffer pinned(kPinned, features.size());
  pinned.set(features.data());
  std::atomic<std::size_t> done{0};
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<std::vector<std::string>> wrong(threads);
    const auto call = [&](std::size_t thread) {
      const std::string error = errorOf([&] {
        device::useDevice(0);
        wrong[thread] = wrongCalls(network, pinned.data(), expected, static_cast<unsigned>(round * threads + thread), calls);
      });
      if (!error.empty()) wrong[thread].push_back(error);
      done += calls;
    };
    for (std::size_t thread = 0; thread < threads && callers == Callers::oneByOne; ++thread) call(thread);
    if (callers == Callers::atOnce) inParallel(threads, call);
    for (const auto& ofThread : wrong) {
      CHECK_THAT(ofThread.empty(), ofThread.empty() ? "" : std::to_string(ofThread.size()) + " calls, first " + ofThread.front());
    }
  }
  std::printf("%zu calls as graphs, %s\n", done.load(), callers == Callers::atOnce ? "at once" : "one by one");
}

}  // namespace roundhouse::test
