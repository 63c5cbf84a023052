#include "accuracy_check.hpp"

#include <algorithm>
#include <cmath>

#include "error.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

constexpr std::size_t kRows = 4'096;

/// The rows of the check in device memory, one copy behind the other as far as the largest profile goes.
device::DeviceMemory tiledRows(const std::vector<float>& features, std::size_t bytes, cudaStream_t stream) {
  device::DeviceMemory in;
  in.demand(bytes);
  const std::size_t tile = features.size() * sizeof(float);
  for (std::size_t at = 0; at < bytes; at += tile) {
    device::require(cudaMemcpyAsync(in.as<char>() + at, features.data(), std::min(tile, bytes - at), cudaMemcpyHostToDevice,
                                    stream), "rows can't be copied");
  }
  return in;
}

/// The predictions of one batch as large as a profile, as many as the check compares.
std::vector<float> predictBatch(DeviceNetwork::Context& context, const float* d_features, std::size_t rows,
                                std::size_t columns, cudaStream_t stream) {
  device::DeviceMemory out;
  out.demand(rows * columns * sizeof(float));
  context.enqueue(d_features, rows, out.as<float>(), stream);
  std::vector<float> quantiles(std::min(rows, kRows) * columns);
  device::require(cudaMemcpyAsync(quantiles.data(), out.as<float>(), quantiles.size() * sizeof(float),
                                  cudaMemcpyDeviceToHost, stream), "predictions can't be copied");
  device::require(cudaStreamSynchronize(stream), "the GPU failed");
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
  std::vector<float> expected(kRows * columns.quantiles);
  if (reference != nullptr) reference->predict(features.data(), kRows, expected.data());
  const device::Stream stream;
  const auto in = tiledRows(features, network.maxRows() * columns.features * sizeof(float), stream);
  const auto context = network.context();
  Deviation worst;
  for (const std::size_t rows : network.profiles()) {
    const std::vector<float> found = predictBatch(*context, in.as<float>(), rows, columns.quantiles, stream);
    if (reference != nullptr) {
      const Deviation away = deviation(columns, {expected.data(), found.size()}, found);
      if (away.worst > worst.worst) worst = away;
    }
    if (worst.isWithin()) requireFinite(network, found);
  }
  return worst;
}

}  // namespace roundhouse::delivery_time::gpu
