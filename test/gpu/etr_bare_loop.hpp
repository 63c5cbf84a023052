// A plan run by TensorRT alone, without anything of ours around it: what the backend is measured against.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "gpu_buffers.hpp"
#include "graph.hpp"
#include "stream.hpp"
#include "tensorrt_network.hpp"

namespace roundhouse::test {

/// One execution context with its own activations, one stream, one shape, fixed addresses.
class BareLoop {
 public:
  BareLoop(delivery_time::gpu::TensorRtNetwork& network, std::size_t rows, const std::vector<float>& features);

  /// The network alone, on rows that lie in device memory.
  void enqueue();
  /// With a copy from and to pinned memory.
  void enqueueWithCopies();
  /// The same two as CUDA graphs.
  void launch(bool copies);
  void wait() { stream_.wait(); }

 private:
  device::Stream stream_;
  std::unique_ptr<nvinfer1::IExecutionContext> context_;
  GpuBuffer d_features_, d_quantiles_, features_, quantiles_;
  delivery_time::gpu::Graph graphs_[2];
};

}  // namespace roundhouse::test
