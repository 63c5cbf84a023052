#pragma once

#include <exception>
#include <memory>
#include <string>

#include "error.hpp"
#include "triton_backend_api.hpp"

namespace roundhouse::backend {

inline TRITONSERVER_Error_Code tritonCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::payloadInvalid: return TRITONSERVER_ERROR_INVALID_ARG;
    case ErrorCode::travelMatrixUnknown: return TRITONSERVER_ERROR_NOT_FOUND;
    case ErrorCode::deadlineExceeded: return TRITONSERVER_ERROR_CANCELLED;
    case ErrorCode::deviceFault: return TRITONSERVER_ERROR_UNAVAILABLE;
    case ErrorCode::modelFailed: break;
  }
  return TRITONSERVER_ERROR_INTERNAL;
}

struct ErrorDeleter {
  void operator()(TRITONSERVER_Error* error) const { TRITONSERVER_ErrorDelete(error); }
};
using OwnedError = std::unique_ptr<TRITONSERVER_Error, ErrorDeleter>;

/// A call into the core failed.
class CoreError : public std::runtime_error {
 public:
  explicit CoreError(OwnedError error)
      : std::runtime_error(TRITONSERVER_ErrorMessage(error.get())), code_(TRITONSERVER_ErrorCode(error.get())) {}

  TRITONSERVER_Error_Code code() const { return code_; }

 private:
  TRITONSERVER_Error_Code code_;
};

/// Throws what a call into the core returned, unless it is nullptr.
inline void check(TRITONSERVER_Error* error) {
  if (error != nullptr) throw CoreError(OwnedError(error));
}

/// The exception in flight as an error of the core; call it inside a catch block. The caller owns the result.
inline TRITONSERVER_Error* currentError() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return TRITONSERVER_ErrorNew(tritonCode(error.code()), error.what());
  } catch (const CoreError& error) {
    return TRITONSERVER_ErrorNew(error.code(), error.what());
  } catch (const std::exception& error) {
    return TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_INTERNAL, error.what());
  } catch (...) {
    return TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_INTERNAL, "an exception of unknown type");
  }
}

/// Runs `body`; nothing throws across the C boundary.
template <typename Body>
TRITONSERVER_Error* guarded(Body&& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (...) {
    return currentError();
  }
}

inline void logInfo(const char* file, int line, const std::string& text) {
  OwnedError ignored(TRITONSERVER_LogMessage(TRITONSERVER_LOG_INFO, file, line, text.c_str()));
}
inline void logError(const char* file, int line, const std::string& text) {
  OwnedError ignored(TRITONSERVER_LogMessage(TRITONSERVER_LOG_ERROR, file, line, text.c_str()));
}

}  // namespace roundhouse::backend
