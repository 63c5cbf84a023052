#include "tensorrt_context.hpp"

#include <algorithm>
#include <cstring>

#include "error.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

constexpr std::size_t kAlignment = 512;
/// Of a context's own for calls as graphs. A network that needs more computes for so long that a graph saves nothing.
constexpr std::size_t kMostCallActivations = std::size_t{64} << 20;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

TensorRtContext::TensorRtContext(std::shared_ptr<TensorRtNetwork> network)
    : network_(std::move(network)), executions_(network_->profiles().size()) {
  if (network_->settings().graphs) prepareBuffers();
}

void TensorRtContext::prepareBuffers() {
  const Columns& columns = network_->settings().columns;
  graphRows_ = network_->profiles().front();
  const std::size_t activations = network_->arena() == nullptr ? 0 : aligned(network_->activationBytes(0));
  const std::size_t features = aligned(graphRows_ * columns.features * sizeof(float));
  const std::size_t quantiles = aligned(graphRows_ * columns.quantiles * sizeof(float));
  small_.demand(activations + features + quantiles);
  d_activations_ = small_.as<char>();
  d_features_ = reinterpret_cast<float*>(small_.as<char>() + activations);
  d_quantiles_ = reinterpret_cast<float*>(small_.as<char>() + activations + features);
  device::require(cudaMemsetAsync(small_.as<char>(), 0, small_.bytes(), own_), "no memory can be cleared");
  pinned_.demand(features + quantiles);
  std::memset(pinned_.as<char>(), 0, pinned_.bytes());
  hostFeatures_ = pinned_.as<float>();
  hostQuantiles_ = reinterpret_cast<float*>(pinned_.as<char>() + features);
  own_.wait();
}

TensorRtContext::Execution& TensorRtContext::execution(std::size_t profile) {
  Execution& execution = executions_[profile];
  if (!execution.context) execution.context = network_->execution(profile, own_);
  return execution;
}

TensorRtContext::Execution& TensorRtContext::captured(Buffers buffers, std::size_t padded) {
  Execution& execution = captured_[{buffers, padded}];
  if (!execution.context) execution.context = network_->execution(profileFor(network_->profiles(), padded), own_);
  return execution;
}

void TensorRtContext::setRows(Execution& execution, std::size_t rows) {
  if (execution.rows == rows) return;
  nvinfer1::Dims shape{};
  shape.nbDims = 2;
  shape.d[0] = static_cast<std::int64_t>(rows);
  shape.d[1] = static_cast<std::int64_t>(network_->settings().columns.features);
  if (!execution.context->setInputShape(kInputName, shape)) fail("setting a shape", own_);
  if (network_->arena() != nullptr) execution.bytes = execution.context->updateDeviceMemorySizeForShapes();
  // 0 is an answer, too: none is needed, or it can't be told.
  if (execution.bytes == 0) execution.bytes = network_->activationBytes(profileFor(network_->profiles(), rows));
  execution.rows = rows;
  // The same place may have another size then.
  execution.memory = nullptr;
}

/// A new place makes TensorRT prepare its kernels again.
void TensorRtContext::setMemory(Execution& execution, void* memory, std::size_t bytes) {
  if (execution.memory == memory) return;
  execution.context->setDeviceMemoryV2(memory, static_cast<std::int64_t>(bytes));
  execution.memory = memory;
}

void TensorRtContext::setAddresses(Execution& execution, const float* d_features, float* d_quantiles) {
  if (execution.features == d_features && execution.quantiles == d_quantiles) return;
  const bool taken = execution.context->setInputTensorAddress(kInputName, d_features) &&
                     execution.context->setOutputTensorAddress(kOutputName, d_quantiles);
  if (!taken) fail("setting addresses", own_);
  execution.features = d_features;
  execution.quantiles = d_quantiles;
}

void TensorRtContext::enqueue(const float* d_features, std::size_t rows, float* d_quantiles, cudaStream_t stream) {
  const Columns& columns = network_->settings().columns;
  while (rows > 0) {
    const std::size_t piece = nextPiece(network_->profiles(), rows);
    if (piece <= graphRows_)
      runSmall({const_cast<float*>(d_features), true}, piece, {d_quantiles, true}, stream);
    else
      run(d_features, piece, d_quantiles, stream);
    d_features += piece * columns.features;
    d_quantiles += piece * columns.quantiles;
    rows -= piece;
  }
}

void TensorRtContext::run(const float* d_features, std::size_t rows, float* d_quantiles, cudaStream_t stream) {
  Execution& work = execution(profileFor(network_->profiles(), rows));
  setRows(work, rows);
  setAddresses(work, d_features, d_quantiles);
  if (network_->arena() == nullptr) return launch(work, stream);
  const ActivationArena::Lease lease(*network_->arena(), work.bytes, stream, work.last);
  setMemory(work, lease.memory(), lease.bytes());
  launch(work, stream);
}

void TensorRtContext::launch(Execution& execution, cudaStream_t stream) {
  if (!execution.context->enqueueV3(stream)) fail("running the network", stream);
}

void TensorRtContext::runSmall(const Place& from, std::size_t rows, const Place& to, cudaStream_t stream) {
  const Columns& columns = network_->settings().columns;
  const Graph& small = graph(Source::device, rows, stream);
  device::require(cudaMemcpyAsync(d_features_, from.start, rows * columns.features * sizeof(float),
                                  from.onDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice, stream),
                  "features can't be copied");
  small.launch(stream);
  device::require(cudaMemcpyAsync(to.start, d_quantiles_, rows * columns.quantiles * sizeof(float),
                                  to.onDevice ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost, stream),
                  "quantiles can't be copied");
}

void TensorRtContext::enqueueHost(std::size_t rows, cudaStream_t stream) {
  graph(Source::host, rows, stream).launch(stream);
}

/// Executions of all profiles that don't run as graphs only, too: they take memory of the GPU, which does not grow later.
void TensorRtContext::prepare() {
  for (std::size_t profile = graphRows_ > 0 ? 1 : 0; profile < executions_.size(); ++profile) (void)execution(profile);
  for (const Source source : {Source::host, Source::device}) {
    for (std::size_t rows = 1; rows <= graphRows_; rows *= 2) (void)graph(source, rows, own_);
    if (graphRows_ > 0) (void)graph(source, graphRows_, own_);
  }
  prepareCalls();
}

void TensorRtContext::prepareCalls() {
  const auto& settings = network_->settings();
  const std::size_t rows = std::min(settings.callGraphRows, network_->maxRows());
  if (!settings.graphs || rows == 0) return;
  std::size_t activations = 0;
  for (std::size_t profile = 0; profile <= profileFor(network_->profiles(), rows) && network_->arena() != nullptr; ++profile) {
    activations = std::max(activations, network_->activationBytes(profile));
  }
  if (activations > kMostCallActivations) return;
  const auto run = [this](const CallGraphs::Buffers& buffers, std::size_t padded, cudaStream_t stream) {
    const std::size_t profile = profileFor(network_->profiles(), padded);
    Execution& work = captured(Buffers::calls, padded);
    setRows(work, padded);
    setAddresses(work, buffers.d_features, buffers.d_quantiles);
    if (network_->arena() != nullptr) setMemory(work, buffers.d_activations, network_->activationBytes(profile));
    launch(work, stream);
  };
  // Where memory is short, calls go the slower way.
  try {
    calls_ = std::make_unique<CallGraphs>(settings.columns, rows, activations, run);
    calls_->prepare(graphRows_);
  } catch (const device::DeviceMemoryShort&) {
    calls_.reset();
  }
}

const Graph& TensorRtContext::graph(Source source, std::size_t rows, cudaStream_t stream) {
  const std::size_t padded = paddedRows(rows, graphRows_);
  const auto key = std::pair(source, padded);
  if (const auto found = graphs_.find(key); found != graphs_.end()) return found->second;
  // The caller's earlier calls may still use the buffers that are tried here.
  device::require(cudaStreamSynchronize(stream), "the GPU failed");
  Execution& work = captured(Buffers::small, padded);
  setRows(work, padded);
  setAddresses(work, d_features_, d_quantiles_);
  if (network_->arena() != nullptr) setMemory(work, d_activations_, network_->activationBytes(0));
  // What TensorRT does once for a shape must not be in the graph.
  launch(work, own_);
  own_.wait();
  const Columns& columns = network_->settings().columns;
  return graphs_.emplace(key, Graph(own_, [&] {
    if (source == Source::host) {
      device::require(cudaMemcpyAsync(d_features_, hostFeatures_, padded * columns.features * sizeof(float),
                                      cudaMemcpyHostToDevice, own_), "features can't be copied");
    }
    launch(work, own_);
    if (source == Source::host) {
      device::require(cudaMemcpyAsync(const_cast<float*>(hostQuantiles_), d_quantiles_,
                                      padded * columns.quantiles * sizeof(float), cudaMemcpyDeviceToHost, own_),
                      "quantiles can't be copied");
    }
  })).first->second;
}

/// A broken GPU is a DeviceFault; everything else is the model's.
void TensorRtContext::fail(const char* doing, cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone) {
    device::require(cudaStreamSynchronize(stream), doing);
  }
  throw Error(ErrorCode::modelFailed, network_->settings().name + ": TensorRT fails at " + doing + ": " +
                                          network_->library().log().take());
}

}  // namespace roundhouse::delivery_time::gpu
