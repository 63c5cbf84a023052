// Triton backend `candidate_cost`: ETR and OR of ragged shards in one pass (docs/tensors.md).
#include "execute.hpp"
#include "handle_state.hpp"

using namespace roundhouse::backend;
using roundhouse::candidate_cost::Instance;
using roundhouse::candidate_cost::Model;

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model* handle) {
  return initializeModel(handle, roundhouse::candidate_cost::loadModel);
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model* handle) {
  return finalizeModel<Model>(handle);
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance* handle) {
  return initializeInstance(handle, [](TRITONBACKEND_ModelInstance* instance) {
    return roundhouse::candidate_cost::makeInstance(*modelState<Model>(modelOf(instance)), instance);
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance* handle) {
  return finalizeInstance<Instance>(handle);
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance* handle,
                                                                    TRITONBACKEND_Request** requests,
                                                                    const std::uint32_t count) {
  return executeRequests(handle, requests, count, [&](Batch& batch) {
    Instance& instance = *instanceState<Instance>(handle);
    if (instance.gpu != nullptr) return instance.gpu->execute(batch);
    roundhouse::candidate_cost::executeBatch(*modelState<Model>(modelOf(handle)), instance, batch);
  });
}
