// A backend for tests of the engine. Inputs: `data` INT32 [1, n] and `control` INT32 [1, 2] (operation,
// argument). Outputs: `data` as it came and `sum` INT64 [1, 1]. Operation 1 sleeps `argument` ms or until the
// request is cancelled, 2 fails, 3 answers with `argument` values of 7 in `data`, 4 waits, whatever the caller does,
// until the file named `argument` is in the folder of the environment's ECHO_RELEASES. A model whose parameter
// `fail_at_load` is set refuses to load with that text.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "triton_backend_api.hpp"

namespace {

struct CoreError {
  TRITONSERVER_Error* error;
};

void check(TRITONSERVER_Error* error) {
  if (error != nullptr) throw CoreError{error};
}

[[noreturn]] void refuse(TRITONSERVER_Error_Code code, const std::string& message) {
  throw CoreError{TRITONSERVER_ErrorNew(code, message.c_str())};
}

// What entry points return: nothing may be thrown across them.
template <typename Body>
TRITONSERVER_Error* entry(Body body) {
  try {
    body();
    return nullptr;
  } catch (const CoreError& failure) {
    return failure.error;
  } catch (const std::exception& error) {
    return TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_INTERNAL, error.what());
  }
}

std::vector<std::int32_t> read_input(TRITONBACKEND_Request* request, const char* name) {
  TRITONBACKEND_Input* input = nullptr;
  std::uint64_t size = 0;
  std::uint32_t buffers = 0;
  check(TRITONBACKEND_RequestInput(request, name, &input));
  check(TRITONBACKEND_InputProperties(input, nullptr, nullptr, nullptr, nullptr, &size, &buffers));
  std::vector<std::int32_t> values(size / sizeof(std::int32_t));
  auto* target = reinterpret_cast<std::byte*>(values.data());
  for (std::uint32_t i = 0; i < buffers; ++i) {
    const void* part = nullptr;
    std::uint64_t part_size = 0;
    TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
    std::int64_t memory_id = 0;
    check(TRITONBACKEND_InputBuffer(input, i, &part, &part_size, &memory, &memory_id));
    std::memcpy(target, part, part_size);
    target += part_size;
  }
  return values;
}

void write_output(TRITONBACKEND_Response* response, const char* name, TRITONSERVER_DataType type, const void* data,
                  std::int64_t count, std::size_t size) {
  const std::int64_t shape[2] = {1, count};
  TRITONBACKEND_Output* output = nullptr;
  void* buffer = nullptr;
  TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
  std::int64_t memory_id = 0;
  check(TRITONBACKEND_ResponseOutput(response, &output, name, type, shape, 2));
  check(TRITONBACKEND_OutputBuffer(output, &buffer, size, &memory, &memory_id));
  if (size > 0) std::memcpy(buffer, data, size);
}

void sleep_or_cancel(TRITONBACKEND_Request* request, std::int32_t milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < end) {
    bool cancelled = false;
    check(TRITONBACKEND_RequestIsCancelled(request, &cancelled));
    if (cancelled) refuse(TRITONSERVER_ERROR_CANCELLED, "cancelled while it slept");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void hold(std::int32_t name) {
  const char* folder = std::getenv("ECHO_RELEASES");
  if (folder == nullptr) refuse(TRITONSERVER_ERROR_INVALID_ARG, "no ECHO_RELEASES");
  const std::string file = std::string(folder) + "/" + std::to_string(name);
  while (access(file.c_str(), F_OK) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void answer(TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
  std::vector<std::int32_t> data = read_input(request, "data");
  const std::vector<std::int32_t> control = read_input(request, "control");
  if (control.size() != 2) refuse(TRITONSERVER_ERROR_INVALID_ARG, "control: 2 values are needed");
  if (control[0] == 1) sleep_or_cancel(request, control[1]);
  if (control[0] == 2) refuse(TRITONSERVER_ERROR_INTERNAL, "told to fail");
  if (control[0] == 4) hold(control[1]);
  if (control[0] == 3) data.assign(static_cast<std::size_t>(control[1]), 7);
  std::int64_t sum = 0;
  for (const std::int32_t value : data) sum += value;
  write_output(response, "data", TRITONSERVER_TYPE_INT32, data.data(), static_cast<std::int64_t>(data.size()),
               data.size() * sizeof(std::int32_t));
  write_output(response, "sum", TRITONSERVER_TYPE_INT64, &sum, 1, sizeof(sum));
}

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

void execute_one(TRITONBACKEND_ModelInstance* instance, TRITONBACKEND_Request* request) {
  const std::uint64_t start = now_ns();
  TRITONBACKEND_Response* response = nullptr;
  TRITONSERVER_Error* error = entry([&] { check(TRITONBACKEND_ResponseNew(&response, request)); });
  if (error == nullptr) error = entry([&] { answer(request, response); });
  if (response != nullptr) (void)TRITONBACKEND_ResponseSend(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, error);
  const std::uint64_t end = now_ns();
  (void)TRITONBACKEND_ModelInstanceReportStatistics(instance, request, error == nullptr, start, start, end, end);
  if (error != nullptr) TRITONSERVER_ErrorDelete(error);
  (void)TRITONBACKEND_RequestRelease(request, TRITONSERVER_REQUEST_RELEASE_ALL);
}

std::string model_config(TRITONBACKEND_Model* model) {
  TRITONSERVER_Message* message = nullptr;
  const char* base = nullptr;
  std::size_t size = 0;
  check(TRITONBACKEND_ModelConfig(model, 1, &message));
  check(TRITONSERVER_MessageSerializeToJson(message, &base, &size));
  std::string text(base, size);
  check(TRITONSERVER_MessageDelete(message));
  return text;
}

}  // namespace

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model* model) {
  return entry([&] {
    if (model_config(model).find("\"fail_at_load\"") != std::string::npos) {
      refuse(TRITONSERVER_ERROR_INVALID_ARG, "dry run: told to fail at load");
    }
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance* instance,
                                                                    TRITONBACKEND_Request** requests,
                                                                    const std::uint32_t request_count) {
  const std::uint64_t start = now_ns();
  for (std::uint32_t i = 0; i < request_count; ++i) execute_one(instance, requests[i]);
  const std::uint64_t end = now_ns();
  (void)TRITONBACKEND_ModelInstanceReportBatchStatistics(instance, request_count, start, start, end, end);
  return nullptr;
}
