// Whole calls as graphs against ONNX Runtime: sizes, places, addresses that change, and other work of the context between.
#pragma once

#include <limits>

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
  device::require(cudaMemcpy(in.place().start, features.data(), rows * kColumns.features * sizeof(float), cudaMemcpyDefault),
                  "the rows can't be copied");
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

}  // namespace roundhouse::test
