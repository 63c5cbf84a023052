// Triton backend `fault_injection`: passes inputs through, and fails as a request's parameters say. For tests and
// drills; it loads only where the engine's environment allows it.
#include <cstdlib>
#include <memory>
#include <string_view>

#include "batch.hpp"
#include "error.hpp"
#include "faults.hpp"
#include "pass_through.hpp"

using namespace roundhouse;
using namespace roundhouse::backend;
using fault_injection::PassThrough;

namespace {

constexpr const char* kSwitch = "ROUNDHOUSE_FAULT_INJECTION";

void require_switch() {
  const char* value = std::getenv(kSwitch);
  const std::string_view text = value == nullptr ? "" : value;
  if (text == "1" || text == "true") return;
  throw Error(ErrorCode::modelFailed, std::string("the backend fault_injection loads only with ") + kSwitch +
                                          "=1 in the engine's environment: it can end the engine");
}

PassThrough* state_of(TRITONBACKEND_Model* model) {
  void* state = nullptr;
  check(TRITONBACKEND_ModelState(model, &state));
  return static_cast<PassThrough*>(state);
}

PassThrough* state_of(TRITONBACKEND_ModelInstance* instance) {
  TRITONBACKEND_Model* model = nullptr;
  check(TRITONBACKEND_ModelInstanceModel(instance, &model));
  return state_of(model);
}

}  // namespace

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model* model) {
  return guarded([&] {
    require_switch();
    auto state = std::make_unique<PassThrough>(fault_injection::read_pass_through(model));
    check(TRITONBACKEND_ModelSetState(model, state.get()));
    (void)state.release();
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelFinalize(TRITONBACKEND_Model* model) {
  return guarded([&] { delete state_of(model); });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance* instance,
                                                                    TRITONBACKEND_Request** requests,
                                                                    const std::uint32_t count) {
  return executeRequests(instance, requests, count, [&](Batch& batch) {
    const PassThrough& model = *state_of(instance);
    batch.startComputing();
    batch.each([&](std::size_t index) {
      TRITONBACKEND_Request* request = batch.request(index);
      fault_injection::inject(fault_injection::read_faults(request), request);
      fault_injection::answer(model, request);
      batch.succeed(index);
    });
  });
}
