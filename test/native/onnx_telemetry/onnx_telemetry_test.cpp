// ONNX Runtime reports its use to its makers unless its environment forbids it, which it reads as it is opened.
#include <cstdlib>
#include <string>

#include "../../../cuda/backend/error.hpp"
#include "../../../cuda/delivery_time/onnx_runtime.hpp"
#include "../check.hpp"

using namespace roundhouse;
using delivery_time::OnnxRuntime;

int main() {
  unsetenv("SEEN_AT_OPEN");
  setenv("ORT_DISABLE_TELEMETRY", "0", 1);
  std::string reason;
  try {
    OnnxRuntime::open(ROUNDHOUSE_PROBE);
  } catch (const Error& error) {
    reason = error.what();
  }
  // The probe was opened, and is no ONNX Runtime.
  CHECK_EQUAL(reason, std::string("MODEL_FAILED: no OrtGetApiBase in ONNX Runtime"));
  const char* seen = std::getenv("SEEN_AT_OPEN");
  CHECK_EQUAL(std::string(seen == nullptr ? "not opened" : seen), std::string("1"));
  return test::finish();
}
