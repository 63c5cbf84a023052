#pragma once

#include <functional>
#include <utility>

#include "device_fault.hpp"

namespace roundhouse::delivery_time::gpu {

/// What `body` enqueues on a stream, to be launched again and again. A capture that something else of the process spoils,
/// which is no fault of the GPU, is begun anew.
class Graph {
 public:
  Graph() = default;
  Graph(cudaStream_t stream, const std::function<void()>& body) {
    cudaGraph_t graph = nullptr;
    cudaError_t captured = capture(stream, body, graph);
    for (int again = 0; captured == cudaErrorStreamCaptureInvalidated && again < kMostAgain; ++again) {
      (void)cudaGetLastError();  // else the next launch reports it
      captured = capture(stream, body, graph);
    }
    device::require(captured, "the capture failed");
    const cudaError_t made = cudaGraphInstantiate(&executable_, graph, 0);
    (void)cudaGraphDestroy(graph);
    device::require(made, "no graph");
  }
  Graph(Graph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(executable_, other.executable_);
    return *this;
  }
  ~Graph() {
    if (executable_ != nullptr) (void)cudaGraphExecDestroy(executable_);
  }

  void launch(cudaStream_t stream) const { device::require(cudaGraphLaunch(executable_, stream), "no launch"); }

 private:
  static constexpr int kMostAgain = 3;

  static cudaError_t capture(cudaStream_t stream, const std::function<void()>& body, cudaGraph_t& graph) {
    // Other threads may allocate meanwhile.
    device::require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "no capture");
    try {
      body();
    } catch (...) {
      // What fails within a spoilt capture fails because of that, whatever TensorRT calls it.
      const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
      if (graph != nullptr) (void)cudaGraphDestroy(graph);
      graph = nullptr;
      if (ended == cudaErrorStreamCaptureInvalidated) return ended;
      throw;
    }
    return cudaStreamEndCapture(stream, &graph);
  }

  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace roundhouse::delivery_time::gpu
