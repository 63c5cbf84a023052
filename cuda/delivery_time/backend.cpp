// Triton backend `delivery_time`: the network as a batched model, features [N, 20] → quantiles [N, 8].
#include "handle_state.hpp"
#include "model.hpp"

using namespace roundhouse::backend;
using roundhouse::delivery_time::Instance;
using roundhouse::delivery_time::Model;

namespace {

/// Calls that run side by side on a GPU: copies of some beside the computing of others, and no pause between two (ADR 0015).
constexpr std::uint64_t kInstancesPerGpu = 4;

}  // namespace

/// For groups without a count in config.pbtxt.
TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_GetBackendAttribute(TRITONBACKEND_Backend*,
                                                                   TRITONBACKEND_BackendAttribute* attributes) {
  return guarded([&] {
    check(TRITONBACKEND_BackendAttributeAddPreferredInstanceGroup(attributes, TRITONSERVER_INSTANCEGROUPKIND_GPU,
                                                                  kInstancesPerGpu, nullptr, 0));
    check(TRITONBACKEND_BackendAttributeAddPreferredInstanceGroup(attributes, TRITONSERVER_INSTANCEGROUPKIND_CPU, 1,
                                                                  nullptr, 0));
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model* handle) {
  return initializeModel(handle, roundhouse::delivery_time::loadModel);
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model* handle) {
  return finalizeModel<Model>(handle);
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance* handle) {
  return initializeInstance(handle, [](TRITONBACKEND_ModelInstance* instance) {
    return roundhouse::delivery_time::makeInstance(*modelState<Model>(modelOf(instance)), instance);
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance* handle) {
  return finalizeInstance<Instance>(handle);
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance* handle,
                                                                    TRITONBACKEND_Request** requests,
                                                                    const std::uint32_t count) {
  return executeRequests(handle, requests, count, [&](Batch& batch) {
    instanceState<Instance>(handle)->execute(batch);
  });
}
