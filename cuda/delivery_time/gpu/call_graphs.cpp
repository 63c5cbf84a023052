#include "call_graphs.hpp"

#include <algorithm>
#include <utility>

#include "profiles.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

using device::require;

constexpr std::size_t kAlignment = 512;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

CallGraphs::CallGraphs(const Columns& columns, std::size_t rows, std::size_t activationBytes, Run run)
    : columns_(columns), rows_(rows), run_(std::move(run)) {
  const std::size_t activations = aligned(activationBytes);
  const std::size_t features = aligned(rows * columns.features * sizeof(float));
  memory_.demand(activations + features + aligned(rows * columns.quantiles * sizeof(float)));
  auto* const start = memory_.as<char>();
  buffers_ = {reinterpret_cast<float*>(start + activations), reinterpret_cast<float*>(start + activations + features), start};
  // Rows that fill a batch up are computed, too.
  require(cudaMemsetAsync(start, 0, memory_.bytes(), own_), "no memory can be cleared");
  own_.wait();
}

/// Made where it is missing, once `stream` has passed.
const Graph& CallGraphs::graph(std::size_t padded, cudaStream_t stream) {
  if (const auto found = graphs_.find(padded); found != graphs_.end()) return found->second;
  // Earlier calls may still use the buffers that are tried here.
  require(cudaStreamSynchronize(stream), "the GPU failed");
  // What TensorRT does once for a shape must not be in the graph.
  run_(buffers_, padded, own_);
  own_.wait();
  return graphs_.emplace(padded, Graph(own_, [&] { run_(buffers_, padded, own_); })).first->second;
}

void CallGraphs::launch(const Place& from, std::size_t rows, const Place& to, cudaStream_t stream) {
  const Graph& network = graph(paddedRows(rows, rows_), stream);
  require(cudaMemcpyAsync(buffers_.d_features, from.start, rows * columns_.features * sizeof(float),
                          from.onDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice, stream), "features can't be copied");
  network.launch(stream);
  require(cudaMemcpyAsync(to.start, buffers_.d_quantiles, rows * columns_.quantiles * sizeof(float),
                          to.onDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost, stream), "quantiles can't be copied");
}

void CallGraphs::prepare(std::size_t least) {
  for (std::size_t rows = least; rows < rows_;) {
    rows = std::min(2 * rows, rows_);
    graph(paddedRows(rows, rows_), own_).launch(own_);
  }
  own_.wait();
}

}  // namespace roundhouse::delivery_time::gpu
