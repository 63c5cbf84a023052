// Faults that a request asks for by its parameters (docs/fault-injection.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "triton_backend_api.hpp"

namespace roundhouse::fault_injection {

struct Faults {
  std::chrono::milliseconds delay{0};
  bool busy = false;
  bool ignore_cancel = false;
  std::uint64_t leak_bytes = 0;
  bool device_fault = false;
  bool illegal_address = false;
  std::optional<std::string> fail;
  std::optional<int> exit_code;
  bool abort = false;
  bool segfault = false;
  bool hang = false;
};

// Throws Error naming a parameter that is no fault, or whose value is of another type or out of bounds. Names that
// begin with `note_` are free.
Faults read_faults(TRITONBACKEND_Request* request);

// The parameters as the backend sees them, a line each: name, kind, value.
std::string list_parameters(TRITONBACKEND_Request* request);

// In the order of the struct. Returns where the request is to be answered as if nothing had been; throws what it is
// to be answered with; else never returns.
void inject(const Faults& faults, TRITONBACKEND_Request* request);

}  // namespace roundhouse::fault_injection
