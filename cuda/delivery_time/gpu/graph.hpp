#pragma once

#include <functional>
#include <utility>

#include "device_fault.hpp"

namespace roundhouse::delivery_time::gpu {

/// What `body` enqueues on a stream, to be launched again and again.
class Graph {
 public:
  Graph() = default;
  Graph(cudaStream_t stream, const std::function<void()>& body) {
    // Other threads may allocate meanwhile.
    device::require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "no capture");
    cudaGraph_t graph = nullptr;
    try {
      body();
    } catch (...) {
      (void)cudaStreamEndCapture(stream, &graph);
      if (graph != nullptr) (void)cudaGraphDestroy(graph);
      throw;
    }
    device::require(cudaStreamEndCapture(stream, &graph), "the capture failed");
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
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace roundhouse::delivery_time::gpu
