// Stands in for ONNX Runtime: notes, as it is opened, what that library reads then.
#include <cstdlib>

namespace {

struct AtOpen {
  AtOpen() {
    const char* value = std::getenv("ORT_DISABLE_TELEMETRY");
    setenv("SEEN_AT_OPEN", value == nullptr ? "unset" : value, 1);
  }
};

const AtOpen atOpen;

}  // namespace
