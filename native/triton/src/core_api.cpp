#include "core_api.hpp"

#include <dlfcn.h>

#include <mutex>

namespace roundhouse {
namespace {

// RTLD_LOCAL keeps the core's symbols from Node's; RTLD_DEEPBIND would crash in its allocator.
void* open_library(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw TritonFailure("LOAD_FAILED", std::string("TritonCore: ") + dlerror());
  return library;
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw TritonFailure("LOAD_FAILED", std::string("TritonCore lacks ") + name);
}

void check_version(const CoreApi& api, const std::string& path) {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  api.check(api.ApiVersion(&major, &minor));
  if (major == kTritonServerApiMajor && minor >= kTritonServerApiMinor) return;
  throw TritonFailure("LOAD_FAILED", path + " has C API " + std::to_string(major) + "." + std::to_string(minor) +
                                         ", needed is " + std::to_string(kTritonServerApiMajor) + "." +
                                         std::to_string(kTritonServerApiMinor) + " or a later minor version");
}

}  // namespace

const CoreApi& CoreApi::open(const std::string& path) {
  static std::mutex mutex;
  static CoreApi api;
  static std::string opened;
  std::lock_guard lock(mutex);
  if (opened == path) return api;
  if (!opened.empty()) throw TritonFailure("LOAD_FAILED", "this process already uses TritonCore of " + opened);
  void* library = open_library(path);
  CoreApi found;
#define X(name) find(library, "TRITONSERVER_" #name, found.name);
  ROUNDHOUSE_CORE_FUNCTIONS(X)
#undef X
  check_version(found, path);
  api = found;
  opened = path;
  return api;
}

void CoreApi::check(TRITONSERVER_Error* error) const {
  if (error == nullptr) return;
  TritonFailure failure(error_code_name(ErrorCode(error)), ErrorMessage(error));
  ErrorDelete(error);
  throw failure;
}

std::string CoreApi::json(TRITONSERVER_Message* message) const {
  const char* base = nullptr;
  std::size_t size = 0;
  TRITONSERVER_Error* error = MessageSerializeToJson(message, &base, &size);
  std::string text = error == nullptr ? std::string(base, size) : std::string();
  if (TRITONSERVER_Error* deletion = MessageDelete(message)) ErrorDelete(deletion);
  check(error);
  return text;
}

const char* error_code_name(TRITONSERVER_Error_Code code) {
  switch (code) {
    case TRITONSERVER_ERROR_UNKNOWN: return "UNKNOWN";
    case TRITONSERVER_ERROR_INTERNAL: return "INTERNAL";
    case TRITONSERVER_ERROR_NOT_FOUND: return "NOT_FOUND";
    case TRITONSERVER_ERROR_INVALID_ARG: return "INVALID_ARG";
    case TRITONSERVER_ERROR_UNAVAILABLE: return "UNAVAILABLE";
    case TRITONSERVER_ERROR_UNSUPPORTED: return "UNSUPPORTED";
    case TRITONSERVER_ERROR_ALREADY_EXISTS: return "ALREADY_EXISTS";
    case TRITONSERVER_ERROR_CANCELLED: return "CANCELLED";
  }
  return "UNKNOWN";
}

const char* name_of(const std::string& model) {
  if (model.find('\0') != std::string::npos) throw TritonFailure("NOT_FOUND", "no model has a NUL in its name");
  return model.c_str();
}

}  // namespace roundhouse
