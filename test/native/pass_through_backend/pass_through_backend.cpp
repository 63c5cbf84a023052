// The least that a model can do: output `OUT` UINT8 [n] is input `IN`, by one copy. For benchmarks of the way there.
#include <cstring>
#include <string>

#include "triton_backend_api.hpp"

namespace {

TRITONSERVER_Error* copy_input(TRITONBACKEND_Input* input, std::byte* target) {
  std::uint32_t buffers = 0;
  if (auto* error = TRITONBACKEND_InputProperties(input, nullptr, nullptr, nullptr, nullptr, nullptr, &buffers)) {
    return error;
  }
  for (std::uint32_t i = 0; i < buffers; ++i) {
    const void* part = nullptr;
    std::uint64_t size = 0;
    TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
    std::int64_t memory_id = 0;
    if (auto* error = TRITONBACKEND_InputBuffer(input, i, &part, &size, &memory, &memory_id)) return error;
    std::memcpy(target, part, size);
    target += size;
  }
  return nullptr;
}

TRITONSERVER_Error* pass_through(TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
  TRITONBACKEND_Input* input = nullptr;
  if (auto* error = TRITONBACKEND_RequestInput(request, "IN", &input)) return error;
  const std::int64_t* shape = nullptr;
  std::uint32_t dimensions = 0;
  std::uint64_t size = 0;
  if (auto* error = TRITONBACKEND_InputProperties(input, nullptr, nullptr, &shape, &dimensions, &size, nullptr)) {
    return error;
  }
  TRITONBACKEND_Output* output = nullptr;
  if (auto* error = TRITONBACKEND_ResponseOutput(response, &output, "OUT", TRITONSERVER_TYPE_UINT8, shape, dimensions)) {
    return error;
  }
  void* buffer = nullptr;
  TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
  std::int64_t memory_id = 0;
  if (auto* error = TRITONBACKEND_OutputBuffer(output, &buffer, size, &memory, &memory_id)) return error;
  return copy_input(input, static_cast<std::byte*>(buffer));
}

void execute_one(TRITONBACKEND_Request* request) {
  TRITONBACKEND_Response* response = nullptr;
  TRITONSERVER_Error* error = TRITONBACKEND_ResponseNew(&response, request);
  if (error == nullptr) error = pass_through(request, response);
  if (response != nullptr) (void)TRITONBACKEND_ResponseSend(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, error);
  if (error != nullptr) TRITONSERVER_ErrorDelete(error);
  (void)TRITONBACKEND_RequestRelease(request, TRITONSERVER_REQUEST_RELEASE_ALL);
}

}  // namespace

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance*,
                                                                    TRITONBACKEND_Request** requests,
                                                                    const std::uint32_t request_count) {
  for (std::uint32_t i = 0; i < request_count; ++i) execute_one(requests[i]);
  return nullptr;
}
