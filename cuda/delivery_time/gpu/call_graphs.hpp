#pragma once

#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "device_network.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace roundhouse::delivery_time::gpu {

/// Whole calls as CUDA graphs: rows are copied in from wherever they lie, the network runs on buffers of this object, and
/// quantiles are copied to wherever they belong. One graph for each padded number of rows and kind of places; other
/// addresses are told to a graph before its launch. One stream at a time.
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
  /// As DeviceNetwork::Context::enqueueCall.
  bool launch(const Place& from, std::size_t rows, const Place& to, cudaStream_t stream);
  /// Makes those of all sizes between places of one kind.
  void prepare();

 private:
  /// A copy at one end of a graph, as it is in the executable one.
  struct Copy {
    cudaGraphNode_t node = nullptr;
    void* start = nullptr;
    std::size_t bytes = 0;
  };
  struct Graph {
    Graph() = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph();
    /// The executable one's nodes are named by this one's.
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    Copy in{}, out{};
  };

  std::unique_ptr<Graph> make(const Place& from, std::size_t rows, const Place& to);
  cudaGraph_t captured(std::size_t padded);
  bool setIn(Graph& graph, const Place& from, std::size_t bytes) const;
  bool setOut(Graph& graph, const Place& to, std::size_t bytes) const;

  Columns columns_;
  std::size_t rows_;
  Run run_;
  /// For preparation only.
  device::Stream own_;
  device::DeviceMemory memory_;
  Buffers buffers_{};
  /// By padded rows and whether each end is on the device.
  std::map<std::tuple<std::size_t, bool, bool>, std::unique_ptr<Graph>> graphs_;
};

}  // namespace roundhouse::delivery_time::gpu
