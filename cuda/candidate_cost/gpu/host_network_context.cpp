#include "host_network_context.hpp"

#include "../../device/device_fault.hpp"

namespace roundhouse::candidate_cost::gpu {

using delivery_time::kFeatures;
using delivery_time::kQuantiles;
using device::require;

void HostNetworkContext::enqueue(const float* d_features, std::size_t rows, float* d_quantiles, cudaStream_t stream) {
  features_.resize(rows * kFeatures);
  quantiles_.resize(rows * kQuantiles);
  require(cudaMemcpyAsync(features_.data(), d_features, sizeof(float) * features_.size(), cudaMemcpyDeviceToHost, stream),
          "features can't be copied");
  require(cudaStreamSynchronize(stream), "the GPU failed");
  network_.predict(features_.data(), rows, quantiles_.data());
  require(cudaMemcpyAsync(d_quantiles, quantiles_.data(), sizeof(float) * quantiles_.size(), cudaMemcpyHostToDevice,
                          stream),
          "quantiles can't be copied");
  require(cudaStreamSynchronize(stream), "the GPU failed");
}

}  // namespace roundhouse::candidate_cost::gpu
