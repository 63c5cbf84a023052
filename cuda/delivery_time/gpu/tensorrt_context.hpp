#pragma once

#include <map>
#include <memory>
#include <vector>

#include "call_graphs.hpp"
#include "graph.hpp"
#include "memory.hpp"
#include "stream.hpp"
#include "tensorrt_network.hpp"

namespace roundhouse::delivery_time::gpu {

/// One thread's way to run a network. Batches up to the smallest profile run as CUDA graphs, one for each padded size, on
/// buffers of this context; larger ones run on the caller's buffers with activations of the arena.
class TensorRtContext : public DeviceNetwork::Context {
 public:
  explicit TensorRtContext(std::shared_ptr<TensorRtNetwork> network);

  void enqueue(const float* d_features, std::size_t rows, float* d_quantiles, cudaStream_t stream) override;

  std::size_t hostRows() const override { return graphRows_; }
  float* hostFeatures() override { return hostFeatures_; }
  const float* hostQuantiles() const override { return hostQuantiles_; }
  void enqueueHost(std::size_t rows, cudaStream_t stream) override;
  std::size_t callRows() const override { return calls_ ? calls_->rows() : 0; }
  bool enqueueCall(const Place& from, std::size_t rows, const Place& to, cudaStream_t stream) override {
    if (rows > callRows()) return false;
    if (rows <= graphRows_)
      runSmall(from, rows, to, stream);
    else
      calls_->launch(from, rows, to, stream);
    return true;
  }
  void prepare() override;

 private:
  enum class Source { device, host };
  /// Of graphs: the context's for the smallest profile, or those of calls.
  enum class Buffers { small, calls };
  struct Execution {
    std::unique_ptr<nvinfer1::IExecutionContext> context;
    std::size_t rows = 0;
    std::size_t bytes = 0;
    ActivationArena::Last last{};
    void* memory = nullptr;
    const float* features = nullptr;
    float* quantiles = nullptr;
  };

  void prepareBuffers();
  void prepareCalls();
  Execution& execution(std::size_t profile);
  Execution& captured(Buffers buffers, std::size_t padded);
  void setRows(Execution& execution, std::size_t rows);
  void setMemory(Execution& execution, void* memory, std::size_t bytes);
  void setAddresses(Execution& execution, const float* d_features, float* d_quantiles);
  void run(const float* d_features, std::size_t rows, float* d_quantiles, cudaStream_t stream);
  void runSmall(const Place& from, std::size_t rows, const Place& to, cudaStream_t stream);
  /// Made where it is missing, once `stream` has passed.
  const Graph& graph(Source source, std::size_t rows, cudaStream_t stream);
  void launch(Execution& execution, cudaStream_t stream);
  [[noreturn]] void fail(const char* doing, cudaStream_t stream);

  std::shared_ptr<TensorRtNetwork> network_;
  /// For preparation only.
  device::Stream own_;
  /// By profile; made when first needed.
  std::vector<Execution> executions_;
  /// Those that graphs were captured of. TensorRT allows no change of them, so each has one shape and one place.
  std::map<std::pair<Buffers, std::size_t>, Execution> captured_;
  /// Rows that run as a graph; 0 without graphs.
  std::size_t graphRows_ = 0;
  device::DeviceMemory small_;
  device::PinnedMemory pinned_;
  void* d_activations_ = nullptr;
  float* d_features_ = nullptr;
  float* d_quantiles_ = nullptr;
  float* hostFeatures_ = nullptr;
  float* hostQuantiles_ = nullptr;
  /// By padded rows.
  std::map<std::pair<Source, std::size_t>, Graph> graphs_;
  /// Those of calls of their own; made by `prepare`.
  std::unique_ptr<CallGraphs> calls_;
};

}  // namespace roundhouse::delivery_time::gpu
