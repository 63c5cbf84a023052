#include "accuracy_check.hpp"

#include <cmath>

#include "error.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

constexpr std::size_t kRows = 4'096;
/// Batches that small run as graphs.
constexpr std::size_t kSmallRows = 33;

std::vector<float> predictOnDevice(TensorRtNetwork& network, const std::vector<float>& features) {
  const Columns& columns = network.settings().columns;
  device::DeviceMemory in, out;
  in.demand(features.size() * sizeof(float));
  out.demand(kRows * columns.quantiles * sizeof(float));
  const device::Stream stream;
  const auto context = network.context();
  device::require(cudaMemcpyAsync(in.as<float>(), features.data(), features.size() * sizeof(float),
                                  cudaMemcpyHostToDevice, stream), "rows can't be copied");
  context->enqueue(in.as<float>(), kSmallRows, out.as<float>(), stream);
  context->enqueue(in.as<float>() + kSmallRows * columns.features, kRows - kSmallRows,
                   out.as<float>() + kSmallRows * columns.quantiles, stream);
  std::vector<float> quantiles(kRows * columns.quantiles);
  device::require(cudaMemcpyAsync(quantiles.data(), out.as<float>(), quantiles.size() * sizeof(float),
                                  cudaMemcpyDeviceToHost, stream), "predictions can't be copied");
  stream.wait();
  return quantiles;
}

void requireFinite(const TensorRtNetwork& network, const std::vector<float>& quantiles) {
  const std::size_t columns = network.settings().columns.quantiles;
  for (std::size_t at = 0; at < quantiles.size(); ++at) {
    if (std::isfinite(quantiles[at])) continue;
    throw Error(ErrorCode::modelFailed, network.settings().name + ": the dry run on the GPU gives " +
                                            std::to_string(quantiles[at]) + " in row " + std::to_string(at / columns) +
                                            ", column " + std::to_string(at % columns));
  }
}

}  // namespace

Deviation dryRunOnDevice(TensorRtNetwork& network, Network* reference) {
  const Columns& columns = network.settings().columns;
  const std::vector<float> features = rowsToCompare(columns, kRows);
  const std::vector<float> found = predictOnDevice(network, features);
  if (reference == nullptr) {
    requireFinite(network, found);
    return {};
  }
  std::vector<float> expected(found.size());
  reference->predict(features.data(), kRows, expected.data());
  const Deviation away = deviation(columns, expected, found);
  if (away.isWithin()) requireFinite(network, found);
  return away;
}

}  // namespace roundhouse::delivery_time::gpu
