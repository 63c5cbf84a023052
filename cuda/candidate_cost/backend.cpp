// Triton backend `candidate_cost`: ETR and OR of ragged shards in one pass (docs/tensors.md).
#include "execute.hpp"
#include "handle_state.hpp"

using namespace roundhouse::backend;
using roundhouse::candidate_cost::Instance;
using roundhouse::candidate_cost::Model;

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model* handle) {
  return guarded([&] {
    auto model = roundhouse::candidate_cost::loadModel(handle);
    check(TRITONBACKEND_ModelSetState(handle, model.get()));
    model.release();
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model* handle) {
  return guarded([&] { delete modelState<Model>(handle); });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance* handle) {
  return guarded([&] {
    TRITONBACKEND_Model* model = nullptr;
    check(TRITONBACKEND_ModelInstanceModel(handle, &model));
    auto instance = roundhouse::candidate_cost::makeInstance(*modelState<Model>(model), handle);
    check(TRITONBACKEND_ModelInstanceSetState(handle, instance.get()));
    instance.release();
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance* handle) {
  return guarded([&] { delete instanceState<Instance>(handle); });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance* handle,
                                                                    TRITONBACKEND_Request** requests,
                                                                    const std::uint32_t count) {
  return executeRequests(handle, requests, count, [&](Batch& batch) {
    TRITONBACKEND_Model* model = nullptr;
    check(TRITONBACKEND_ModelInstanceModel(handle, &model));
    Instance& instance = *instanceState<Instance>(handle);
    if (instance.gpu != nullptr) return instance.gpu->execute(batch);
    roundhouse::candidate_cost::executeBatch(*modelState<Model>(model), instance, batch);
  });
}
