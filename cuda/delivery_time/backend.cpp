// Triton backend `delivery_time`: the network as a batched model, features [N, 20] → quantiles [N, 8].
#include "handle_state.hpp"
#include "model.hpp"

using roundhouse::backend::check;
using roundhouse::backend::guarded;
using roundhouse::backend::instanceState;
using roundhouse::backend::modelState;
using roundhouse::delivery_time::Instance;
using roundhouse::delivery_time::Model;

namespace {

/// Calls that run side by side on a GPU: copies of one beside the computing of others, and no pause between two. With more
/// instances each sleeps longer, and a core that sleeps takes long to wake (ADR 0015).
constexpr std::uint64_t kInstancesPerGpu = 3;

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
  return guarded([&] {
    auto model = roundhouse::delivery_time::loadModel(handle);
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
    auto instance = roundhouse::delivery_time::makeInstance(*modelState<Model>(model), handle);
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
  return roundhouse::backend::executeRequests(handle, requests, count, [&](roundhouse::backend::Batch& batch) {
    instanceState<Instance>(handle)->execute(batch);
  });
}
