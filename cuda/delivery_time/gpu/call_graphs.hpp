#pragma once

#include <functional>
#include <map>

#include "device_network.hpp"
#include "graph.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace roundhouse::delivery_time::gpu {

/// The network as CUDA graphs on buffers of this object, one for each padded number of rows. Rows are copied in from
/// wherever they lie, and quantiles to wherever they belong, beside the graph: one that has a caller's addresses in it must
/// not outlive the caller's memory, even to be told others. One stream at a time.
class CallGraphs {
 public:
  using Place = DeviceNetwork::Context::Place;
  /// Enqueues the network on these addresses, which a capture may be of.
  struct Buffers {
    float* d_features;
    float* d_quantiles;
    void* d_activations;
  };
  using Run = std::function<void(const Buffers& buffers, std::size_t rows, cudaStream_t stream)>;

  /// For up to `rows` rows, whose activations take so many bytes.
  CallGraphs(const Columns& columns, std::size_t rows, std::size_t activationBytes, Run run);

  std::size_t rows() const { return rows_; }
  /// Enqueues the prediction of `rows` rows.
  void launch(const Place& from, std::size_t rows, const Place& to, cudaStream_t stream);
  /// Makes those of all sizes above `least` rows.
  void prepare(std::size_t least);

 private:
  const Graph& graph(std::size_t padded, cudaStream_t stream);

  Columns columns_;
  std::size_t rows_;
  Run run_;
  /// For preparation only.
  device::Stream own_;
  device::DeviceMemory memory_;
  Buffers buffers_{};
  /// By padded rows.
  std::map<std::size_t, Graph> graphs_;
};

}  // namespace roundhouse::delivery_time::gpu
