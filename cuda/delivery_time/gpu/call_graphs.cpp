#include "call_graphs.hpp"

#include <algorithm>
#include <utility>

#include "profiles.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

using device::require;

constexpr std::size_t kAlignment = 512;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

cudaMemcpyKind kindIn(bool fromDevice) { return fromDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice; }
cudaMemcpyKind kindOut(bool toDevice) { return toDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost; }

struct OwnedGraph {
  cudaGraph_t graph = nullptr;
  ~OwnedGraph() {
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
  }
};

/// What can't be told to a graph is no fault of the GPU.
bool taken(cudaError_t error) {
  if (error != cudaSuccess) (void)cudaGetLastError();
  return error == cudaSuccess;
}

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

cudaGraph_t CallGraphs::captured(std::size_t padded) {
  // What TensorRT does once for a shape must not be in the graph.
  run_(buffers_, padded, own_);
  own_.wait();
  // Other threads may allocate meanwhile.
  require(cudaStreamBeginCapture(own_, cudaStreamCaptureModeThreadLocal), "no capture");
  OwnedGraph network;
  try {
    run_(buffers_, padded, own_);
  } catch (...) {
    (void)cudaStreamEndCapture(own_, &network.graph);
    throw;
  }
  require(cudaStreamEndCapture(own_, &network.graph), "the capture failed");
  return std::exchange(network.graph, nullptr);
}

CallGraphs::Graph::~Graph() {
  if (executable != nullptr) (void)cudaGraphExecDestroy(executable);
  if (graph != nullptr) (void)cudaGraphDestroy(graph);
}

std::unique_ptr<CallGraphs::Graph> CallGraphs::make(const Place& from, std::size_t rows, const Place& to) {
  const OwnedGraph network{captured(paddedRows(rows, rows_))};
  auto made = std::make_unique<Graph>();
  Copy& in = made->in;
  Copy& out = made->out;
  in = {nullptr, from.start, rows * columns_.features * sizeof(float)};
  out = {nullptr, to.start, rows * columns_.quantiles * sizeof(float)};
  require(cudaGraphCreate(&made->graph, 0), "no graph");
  require(cudaGraphAddMemcpyNode1D(&in.node, made->graph, nullptr, 0, buffers_.d_features, in.start, in.bytes,
                                   kindIn(from.onDevice)), "no copy in a graph");
  cudaGraphNode_t middle = nullptr;
  require(cudaGraphAddChildGraphNode(&middle, made->graph, &in.node, 1, network.graph), "no graph in a graph");
  require(cudaGraphAddMemcpyNode1D(&out.node, made->graph, &middle, 1, out.start, buffers_.d_quantiles, out.bytes,
                                   kindOut(to.onDevice)), "no copy in a graph");
  require(cudaGraphInstantiate(&made->executable, made->graph, 0), "no graph");
  return made;
}

bool CallGraphs::setIn(Graph& graph, const Place& from, std::size_t bytes) const {
  if (graph.in.start == from.start && graph.in.bytes == bytes) return true;
  graph.in.start = nullptr;
  if (!taken(cudaGraphExecMemcpyNodeSetParams1D(graph.executable, graph.in.node, buffers_.d_features, from.start, bytes,
                                                kindIn(from.onDevice)))) {
    return false;
  }
  graph.in.start = from.start;
  graph.in.bytes = bytes;
  return true;
}

bool CallGraphs::setOut(Graph& graph, const Place& to, std::size_t bytes) const {
  if (graph.out.start == to.start && graph.out.bytes == bytes) return true;
  graph.out.start = nullptr;
  if (!taken(cudaGraphExecMemcpyNodeSetParams1D(graph.executable, graph.out.node, to.start, buffers_.d_quantiles, bytes,
                                                kindOut(to.onDevice)))) {
    return false;
  }
  graph.out.start = to.start;
  graph.out.bytes = bytes;
  return true;
}

bool CallGraphs::launch(const Place& from, std::size_t rows, const Place& to, cudaStream_t stream) {
  const std::size_t padded = paddedRows(rows, rows_);
  const auto key = std::tuple(padded, from.onDevice, to.onDevice);
  auto found = graphs_.find(key);
  if (found == graphs_.end()) {
    // Earlier calls may still use the buffers that are tried here.
    require(cudaStreamSynchronize(stream), "the GPU failed");
    found = graphs_.emplace(key, make(from, rows, to)).first;
  }
  Graph& graph = *found->second;
  if (!setIn(graph, from, rows * columns_.features * sizeof(float))) return false;
  if (!setOut(graph, to, rows * columns_.quantiles * sizeof(float))) return false;
  require(cudaGraphLaunch(graph.executable, stream), "no launch");
  return true;
}

void CallGraphs::prepare() {
  device::PinnedMemory pinned;
  pinned.demand(rows_ * (columns_.features + columns_.quantiles) * sizeof(float));
  device::DeviceMemory device;
  device.demand(pinned.bytes());
  for (std::size_t rows = 1; rows < 2 * rows_; rows *= 2) {
    for (const bool onDevice : {false, true}) {
      float* const start = onDevice ? device.as<float>() : pinned.as<float>();
      (void)launch({start, onDevice}, std::min(rows, rows_), {start + rows_ * columns_.features, onDevice}, own_);
    }
  }
  own_.wait();
}

}  // namespace roundhouse::delivery_time::gpu
