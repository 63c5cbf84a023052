#pragma once

#include <stdexcept>
#include <string>

namespace roundhouse {

/// Codes of the error table (schemas/src/errors.ts) that a backend can give.
enum class ErrorCode { payloadInvalid, travelMatrixUnknown, modelFailed, deadlineExceeded, deviceFault };

constexpr const char* nameOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::payloadInvalid: return "PAYLOAD_INVALID";
    case ErrorCode::travelMatrixUnknown: return "TRAVEL_MATRIX_UNKNOWN";
    case ErrorCode::modelFailed: return "MODEL_FAILED";
    case ErrorCode::deadlineExceeded: return "DEADLINE_EXCEEDED";
    case ErrorCode::deviceFault: return "DEVICE_FAULT";
  }
  return "INTERNAL";
}

/// Why a request or a load failed. The message starts with the code, so that it survives any transport.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& reason)
      : std::runtime_error(std::string(nameOf(code)) + ": " + reason), code_(code) {}

  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace roundhouse
