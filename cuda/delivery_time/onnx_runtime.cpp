#include "onnx_runtime.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "error.hpp"

namespace roundhouse::delivery_time {
namespace {

#ifndef ROUNDHOUSE_ONNXRUNTIME_DEFAULT
#define ROUNDHOUSE_ONNXRUNTIME_DEFAULT ""
#endif

std::vector<std::string> placesToTry(const std::string& path) {
  if (!path.empty()) return {path};
  const char* named = std::getenv("ROUNDHOUSE_ONNXRUNTIME");
  if (named != nullptr && *named != '\0') return {named};
  std::vector<std::string> places;
  if (*ROUNDHOUSE_ONNXRUNTIME_DEFAULT != '\0') places.emplace_back(ROUNDHOUSE_ONNXRUNTIME_DEFAULT);
  places.emplace_back("libonnxruntime.so.1");
  return places;
}

void* openFirst(const std::string& path) {
  // The library would report its use to its makers and keep files in the home folder for that.
  setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  std::string reasons;
  for (const std::string& place : placesToTry(path)) {
    if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    reasons += std::string(reasons.empty() ? "" : "; ") + dlerror();
  }
  throw Error(ErrorCode::modelFailed, "ONNX Runtime can't be opened: " + reasons);
}

}  // namespace

const OnnxRuntime& OnnxRuntime::open(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<OnnxRuntime>> opened;
  const std::lock_guard lock(mutex);
  auto& runtime = opened[path];
  if (!runtime) runtime.reset(new OnnxRuntime(path));
  return *runtime;
}

OnnxRuntime::OnnxRuntime(const std::string& path) {
  void* library = openFirst(path);
  const auto getBase = reinterpret_cast<const OrtApiBase* (*)()>(dlsym(library, "OrtGetApiBase"));
  if (getBase == nullptr) throw Error(ErrorCode::modelFailed, "no OrtGetApiBase in ONNX Runtime");
  const OrtApiBase* base = getBase();
  version_ = base->GetVersionString();
  api_ = base->GetApi(ORT_API_VERSION);
  if (api_ == nullptr) {
    throw Error(ErrorCode::modelFailed, "ONNX Runtime " + version_ + " lacks the C API version " +
                                            std::to_string(ORT_API_VERSION) + " that this was built for");
  }
  check(api_->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "roundhouse", &environment_), "starting ONNX Runtime");
}

void OnnxRuntime::check(OrtStatus* status, const std::string& doing) const {
  if (status == nullptr) return;
  const std::string reason = api_->GetErrorMessage(status);
  api_->ReleaseStatus(status);
  throw Error(ErrorCode::modelFailed, doing + ": " + reason);
}

}  // namespace roundhouse::delivery_time
