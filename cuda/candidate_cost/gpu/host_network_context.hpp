#pragma once

#include <vector>

#include "../../delivery_time/device_network.hpp"

namespace roundhouse::candidate_cost::gpu {

/// A network of the CPU behind the interface of one on the GPU: rows go to the host and back, and `enqueue` waits for
/// them. For machines that have a GPU and no TensorRT.
class HostNetworkContext final : public delivery_time::DeviceNetwork::Context {
 public:
  /// The network outlives it.
  explicit HostNetworkContext(delivery_time::Network& network) : network_(network) {}

  void enqueue(const float* d_features, std::size_t rows, float* d_quantiles, cudaStream_t stream) override;

 private:
  delivery_time::Network& network_;
  std::vector<float> features_;
  std::vector<float> quantiles_;
};

}  // namespace roundhouse::candidate_cost::gpu
