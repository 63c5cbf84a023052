// Triton backend `delivery_time`: the network as a batched model, features [N, 20] → quantiles [N, 8].
#include <cstring>
#include <memory>
#include <vector>

#include "batch.hpp"
#include "model_settings.hpp"
#include "network.hpp"
#include "onnx_network.hpp"

namespace roundhouse::delivery_time {
namespace {

using namespace roundhouse::backend;

struct Model {
  ModelSettings settings;
  std::unique_ptr<Network> network;
};

std::unique_ptr<Model> load(TRITONBACKEND_Model* handle) {
  auto model = std::make_unique<Model>();
  model->settings =
      readModelSettings(handle, {{"features", TRITONSERVER_TYPE_FP32}}, {{"quantiles", TRITONSERVER_TYPE_FP32}});
  const auto file = model->settings.versionFolder() / model->settings.parameter("network", "model.onnx");
  model->network = loadNetwork(file, model->settings.parameter("onnxruntime", ""));
  dryRun(*model->network);
  logInfo(__FILE__, __LINE__,
          model->settings.name + " " + std::to_string(model->settings.version) + ": " + model->network->description());
  return model;
}

/// One request's rows; `offset` is their place in the batch.
struct Slice {
  std::unique_ptr<InputTensor> features;
  std::size_t rows = 0;
  std::size_t offset = 0;
};

Slice readSlice(TRITONBACKEND_Request* request) {
  Slice slice;
  slice.features = std::make_unique<InputTensor>(request, "features", TRITONSERVER_TYPE_FP32);
  const auto shape = slice.features->shape();
  if (shape.size() != 2 || shape[1] != static_cast<std::int64_t>(kFeatures)) {
    throw Error(ErrorCode::payloadInvalid, "tensor 'features' must have shape [N, 20]");
  }
  slice.rows = static_cast<std::size_t>(shape[0]);
  if (slice.features->values<float>().size() != slice.rows * kFeatures) {
    throw Error(ErrorCode::payloadInvalid, "tensor 'features' has another size than its shape says");
  }
  return slice;
}

/// All open requests' rows through the network in one call.
std::vector<float> predictTogether(Network& network, Batch& batch, std::vector<Slice>& slices) {
  std::vector<float> features;
  std::size_t rows = 0;
  for (std::size_t index = 0; index < slices.size(); ++index) {
    if (!batch.isOpen(index)) continue;
    slices[index].offset = rows;
    rows += slices[index].rows;
    const auto values = slices[index].features->values<float>();
    features.insert(features.end(), values.begin(), values.end());
  }
  batch.setRows(rows);
  std::vector<float> quantiles(rows * kQuantiles);
  if (rows > 0) network.predict(features.data(), rows, quantiles.data());
  return quantiles;
}

void execute(Model& model, Batch& batch) {
  std::vector<Slice> slices(batch.size());
  batch.each([&](std::size_t index) { slices[index] = readSlice(batch.request(index)); });
  batch.startComputing();
  std::vector<float> quantiles;
  batch.each([&](std::size_t index) {
    if (quantiles.empty()) quantiles = predictTogether(*model.network, batch, slices);
    const Slice& slice = slices[index];
    const std::int64_t shape[] = {static_cast<std::int64_t>(slice.rows), kQuantiles};
    Reply reply(batch.request(index));
    reply.write<float>("quantiles", TRITONSERVER_TYPE_FP32, shape,
                       {quantiles.data() + slice.offset * kQuantiles, slice.rows * kQuantiles});
    reply.send();
    batch.succeed(index);
  });
}

}  // namespace
}  // namespace roundhouse::delivery_time

using roundhouse::backend::check;
using roundhouse::backend::guarded;
using roundhouse::delivery_time::Model;

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model* model) {
  return guarded([&] {
    auto loaded = roundhouse::delivery_time::load(model);
    check(TRITONBACKEND_ModelSetState(model, loaded.get()));
    loaded.release();
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model* model) {
  return guarded([&] {
    void* state = nullptr;
    check(TRITONBACKEND_ModelState(model, &state));
    delete static_cast<Model*>(state);
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance*) { return nullptr; }
TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance*) { return nullptr; }

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance* instance,
                                                                    TRITONBACKEND_Request** requests,
                                                                    const std::uint32_t count) {
  return roundhouse::backend::executeRequests(instance, requests, count, [&](roundhouse::backend::Batch& batch) {
    TRITONBACKEND_Model* model = nullptr;
    check(TRITONBACKEND_ModelInstanceModel(instance, &model));
    void* state = nullptr;
    check(TRITONBACKEND_ModelState(model, &state));
    roundhouse::delivery_time::execute(*static_cast<Model*>(state), batch);
  });
}
