#include "etr_bare_loop.hpp"

#include "profiles.hpp"

namespace roundhouse::test {

using namespace delivery_time;

BareLoop::BareLoop(gpu::TensorRtNetwork& network, std::size_t rows, const std::vector<float>& features)
    : context_(network.execution(gpu::profileFor(network.profiles(), rows), stream_)),
      d_features_(kDevice, rows * network.settings().columns.features),
      d_quantiles_(kDevice, rows * network.settings().columns.quantiles),
      features_(kPinned, rows * network.settings().columns.features),
      quantiles_(kPinned, rows * network.settings().columns.quantiles) {
  d_features_.set(features.data());
  features_.set(features.data());
  nvinfer1::Dims shape{};
  shape.nbDims = 2;
  shape.d[0] = static_cast<std::int64_t>(rows);
  shape.d[1] = static_cast<std::int64_t>(network.settings().columns.features);
  context_->setInputShape(gpu::kInputName, shape);
  context_->setInputTensorAddress(gpu::kInputName, d_features_.data());
  context_->setOutputTensorAddress(gpu::kOutputName, d_quantiles_.data());
  enqueueWithCopies();
  wait();
  graphs_[0] = gpu::Graph(stream_, [this] { enqueue(); });
  graphs_[1] = gpu::Graph(stream_, [this] { enqueueWithCopies(); });
}

void BareLoop::enqueue() {
  if (!context_->enqueueV3(stream_)) throw std::runtime_error("TensorRT refuses the bare loop");
}

void BareLoop::enqueueWithCopies() {
  device::require(cudaMemcpyAsync(d_features_.data(), features_.data(), features_.bytes(), cudaMemcpyHostToDevice, stream_),
                  "copying in");
  enqueue();
  device::require(cudaMemcpyAsync(quantiles_.data(), d_quantiles_.data(), quantiles_.bytes(), cudaMemcpyDeviceToHost,
                                  stream_), "copying out");
}

void BareLoop::launch(bool copies) { graphs_[copies ? 1 : 0].launch(stream_); }

}  // namespace roundhouse::test
