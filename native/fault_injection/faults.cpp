#include "faults.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "broken_kernel.hpp"
#include "error.hpp"
#include "request.hpp"
#include "triton_error.hpp"

namespace roundhouse::fault_injection {
namespace {

using backend::check;

constexpr std::int64_t kLongestDelayMs = 24LL * 3600 * 1000;
constexpr std::int64_t kMostLeakBytes = 1LL << 40;
constexpr auto kPoll = std::chrono::milliseconds(1);

// The broken device: all requests of the process fail from then on.
std::atomic<bool> device_is_broken{false};

struct Parameter {
  std::string_view key;
  TRITONSERVER_ParameterType type;
  const void* value;
};

[[noreturn]] void refuse(std::string_view key, const std::string& why) {
  throw Error(ErrorCode::payloadInvalid, "parameters[\"" + std::string(key) + "\"]: " + why);
}

bool flag(const Parameter& parameter) {
  if (parameter.type != TRITONSERVER_PARAMETER_BOOL) refuse(parameter.key, "must be a bool");
  return *static_cast<const bool*>(parameter.value);
}

std::int64_t whole(const Parameter& parameter, std::int64_t most) {
  const std::string limit = "must be a whole number from 0 to " + std::to_string(most);
  if (parameter.type != TRITONSERVER_PARAMETER_INT) refuse(parameter.key, limit);
  const std::int64_t value = *static_cast<const std::int64_t*>(parameter.value);
  if (value < 0 || value > most) refuse(parameter.key, limit);
  return value;
}

std::string text(const Parameter& parameter) {
  if (parameter.type != TRITONSERVER_PARAMETER_STRING) refuse(parameter.key, "must be a text");
  return static_cast<const char*>(parameter.value);
}

void read(const Parameter& parameter, Faults& faults) {
  const std::string_view key = parameter.key;
  if (key == "delay_ms") faults.delay = std::chrono::milliseconds(whole(parameter, kLongestDelayMs));
  else if (key == "busy") faults.busy = flag(parameter);
  else if (key == "ignore_cancel") faults.ignore_cancel = flag(parameter);
  else if (key == "leak_bytes") faults.leak_bytes = static_cast<std::uint64_t>(whole(parameter, kMostLeakBytes));
  else if (key == "device_fault") faults.device_fault = flag(parameter);
  else if (key == "illegal_address") faults.illegal_address = flag(parameter);
  else if (key == "fail") faults.fail = text(parameter);
  else if (key == "exit") faults.exit_code = static_cast<int>(whole(parameter, 255));
  else if (key == "abort") faults.abort = flag(parameter);
  else if (key == "segfault") faults.segfault = flag(parameter);
  else if (key == "hang") faults.hang = flag(parameter);
  else if (!key.starts_with("note_")) refuse(key, "no such fault");
}

void each_parameter(TRITONBACKEND_Request* request, const std::function<void(const Parameter&)>& body) {
  std::uint32_t count = 0;
  check(TRITONBACKEND_RequestParameterCount(request, &count));
  for (std::uint32_t i = 0; i < count; ++i) {
    const char* key = nullptr;
    Parameter parameter{};
    check(TRITONBACKEND_RequestParameter(request, i, &key, &parameter.type, &parameter.value));
    parameter.key = key;
    body(parameter);
  }
}

std::string shown(const Parameter& parameter) {
  switch (parameter.type) {
    case TRITONSERVER_PARAMETER_STRING: return std::string("string ") + static_cast<const char*>(parameter.value);
    case TRITONSERVER_PARAMETER_INT: return "int " + std::to_string(*static_cast<const std::int64_t*>(parameter.value));
    case TRITONSERVER_PARAMETER_BOOL: return *static_cast<const bool*>(parameter.value) ? "bool true" : "bool false";
    case TRITONSERVER_PARAMETER_DOUBLE: return "double " + std::to_string(*static_cast<const double*>(parameter.value));
    case TRITONSERVER_PARAMETER_BYTES: break;
  }
  return "bytes";
}

void wait(const Faults& faults, TRITONBACKEND_Request* request) {
  const auto end = std::chrono::steady_clock::now() + faults.delay;
  while (std::chrono::steady_clock::now() < end) {
    if (!faults.ignore_cancel && backend::isCancelled(request)) {
      throw Error(ErrorCode::deadlineExceeded, "the caller gave up during the delay");
    }
    if (!faults.busy) std::this_thread::sleep_for(kPoll);
  }
}

// Touched, so that it is resident, and never given back.
void leak(std::uint64_t bytes) {
  static std::mutex mutex;
  static auto* leaked = new std::vector<std::unique_ptr<char[]>>();
  std::unique_ptr<char[]> block(new char[bytes]);
  std::memset(block.get(), 1, bytes);
  const std::lock_guard lock(mutex);
  leaked->push_back(std::move(block));
}

[[noreturn]] void read_address_zero() {
  volatile const int* nowhere = nullptr;
  (void)*nowhere;
  std::abort();
}

}  // namespace

Faults read_faults(TRITONBACKEND_Request* request) {
  Faults faults;
  each_parameter(request, [&](const Parameter& parameter) { read(parameter, faults); });
  return faults;
}

std::string list_parameters(TRITONBACKEND_Request* request) {
  std::string lines;
  each_parameter(request, [&](const Parameter& parameter) {
    lines += std::string(parameter.key) + " " + shown(parameter) + "\n";
  });
  return lines;
}

void inject(const Faults& faults, TRITONBACKEND_Request* request) {
  wait(faults, request);
  if (faults.leak_bytes > 0) leak(faults.leak_bytes);
  if (faults.device_fault) device_is_broken = true;
  if (device_is_broken) throw Error(ErrorCode::deviceFault, "injected: the device is broken");
  if (faults.illegal_address && !start_broken_kernel()) refuse("illegal_address", "needs a GPU and a build with CUDA");
  if (faults.fail) check(TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_INTERNAL, faults.fail->c_str()));
  if (faults.exit_code) ::_exit(*faults.exit_code);
  if (faults.abort) std::abort();
  if (faults.segfault) read_address_zero();
  while (faults.hang) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace roundhouse::fault_injection
