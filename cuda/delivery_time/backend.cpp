// Triton backend `delivery_time`: the network as a batched model, features [N, 20] → quantiles [N, 8].
#include <cstring>
#include <memory>
#include <vector>

#include "batch.hpp"
#include "model_settings.hpp"
#include "network.hpp"
#include "onnx_network.hpp"
#include "predict_in_pieces.hpp"

namespace roundhouse::delivery_time {
namespace {

using namespace roundhouse::backend;

struct Model {
  ModelSettings settings;
  std::unique_ptr<Network> network;
  bool batchInvariant = false;
};

std::unique_ptr<Model> load(TRITONBACKEND_Model* handle) {
  auto model = std::make_unique<Model>();
  model->settings =
      readModelSettings(handle, {{"features", TRITONSERVER_TYPE_FP32}}, {{"quantiles", TRITONSERVER_TYPE_FP32}});
  const auto file = model->settings.versionFolder() / model->settings.parameter("network", "model.onnx");
  model->network = loadNetwork(file, model->settings.parameter("onnxruntime", ""));
  model->batchInvariant = dryRun(*model->network).batchInvariant;
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

/// The rows of all open requests together.
struct Rows {
  std::vector<float> features;
  std::vector<float> quantiles;
  /// Where each request's rows end.
  std::vector<std::size_t> ends;
};

Rows gather(const Batch& batch, std::vector<Slice>& slices) {
  Rows rows;
  std::size_t count = 0;
  for (std::size_t index = 0; index < slices.size(); ++index) {
    slices[index].offset = count;
    if (batch.isOpen(index)) {
      const auto values = slices[index].features->values<float>();
      rows.features.insert(rows.features.end(), values.begin(), values.end());
      count += slices[index].rows;
    }
    rows.ends.push_back(count);
  }
  rows.quantiles.resize(count * kQuantiles);
  return rows;
}

/// True for the requests that are still wanted, and answered. A network whose rows depend on their batch gets all of
/// them in one call, so that no other request changes by a cancellation.
std::vector<bool> predict(Model& model, const Batch& batch, Rows& rows) {
  const std::size_t count = rows.ends.back();
  if (model.batchInvariant) {
    return predictInPieces(*model.network, rows.features.data(), rows.ends, rows.quantiles.data(),
                           [&](std::size_t index) { return !isCancelled(batch.request(index)); });
  }
  if (count > 0) model.network->predict(rows.features.data(), count, rows.quantiles.data());
  return std::vector<bool>(batch.size(), true);
}

void answer(TRITONBACKEND_Request* request, const Slice& slice, const std::vector<float>& quantiles) {
  const std::int64_t shape[] = {static_cast<std::int64_t>(slice.rows), kQuantiles};
  Reply reply(request);
  reply.write<float>("quantiles", TRITONSERVER_TYPE_FP32, shape,
                     {quantiles.data() + slice.offset * kQuantiles, slice.rows * kQuantiles});
  reply.send();
}

void execute(Model& model, Batch& batch) {
  std::vector<Slice> slices(batch.size());
  batch.each([&](std::size_t index) { slices[index] = readSlice(batch.request(index)); });
  batch.startComputing();
  Rows rows;
  std::vector<bool> served;
  batch.each([&](std::size_t index) {
    if (served.empty()) {
      rows = gather(batch, slices);
      batch.setRows(rows.ends.back());
      served = predict(model, batch, rows);
    }
    if (!served[index]) throw Error(ErrorCode::deadlineExceeded, "the caller cancelled the request");
    answer(batch.request(index), slices[index], rows.quantiles);
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
