#include "tensorrt_library.hpp"

#include <NvInfer.h>
#include <NvOnnxParser.h>
#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "error.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

constexpr std::size_t kKeptLines = 6;
constexpr const char* kSoname = "libnvinfer.so.10";
constexpr const char* kParserSoname = "libnvonnxparser.so.10";
/// Activation memory with a size is asked for since then.
constexpr std::int32_t kOldest = 10'01'00;
static_assert(NV_TENSORRT_MAJOR == 10, "written for TensorRT 10");

/// Where the environment says, else by soname.
std::string placeOf(const std::string& path) {
  if (!path.empty()) return path;
  const char* named = std::getenv("ROUNDHOUSE_TENSORRT_LIBRARY");
  return named != nullptr && *named != '\0' ? named : kSoname;
}

std::string joined(const std::deque<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += (all.empty() ? "" : "; ") + line;
  return all;
}

void* openOrThrow(const std::string& place) {
  if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  throw Error(ErrorCode::modelFailed, std::string("TensorRT can't be opened (ROUNDHOUSE_TENSORRT_LIBRARY names its "
                                                  "libnvinfer): ") + dlerror());
}

std::string folderOf(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map->l_name == nullptr) return "";
  return std::filesystem::path(map->l_name).parent_path().string();
}

/// First beside libnvinfer, then where the loader looks.
void* openBeside(const std::string& folder, const std::string& name) {
  if (!folder.empty()) {
    if (void* library = dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

void TensorRtLog::log(Severity severity, const char* text) noexcept {
  if (severity > Severity::kWARNING) return;
  const std::lock_guard lock(mutex_);
  auto& lines = severity == Severity::kWARNING ? warnings_ : lines_;
  lines.emplace_back(text);
  if (lines.size() > kKeptLines) lines.pop_front();
}

std::string TensorRtLog::take() {
  const std::lock_guard lock(mutex_);
  return joined(std::exchange(lines_, {}));
}

std::string TensorRtLog::takeWarnings() {
  const std::lock_guard lock(mutex_);
  return joined(std::exchange(warnings_, {}));
}

TensorRt& TensorRt::open(const std::string& path) {
  static std::mutex mutex;
  // Never torn down: at the exit of the process the driver may be gone before.
  static auto* opened = new std::map<std::string, std::unique_ptr<TensorRt>>();
  const std::lock_guard lock(mutex);
  auto& library = (*opened)[placeOf(path)];
  if (!library) library.reset(new TensorRt(placeOf(path)));
  return *library;
}

TensorRt::TensorRt(const std::string& path) : library_(openOrThrow(path)), folder_(folderOf(library_)) {
  using Number = std::int32_t (*)();
  const auto number = [this](const char* name) { return reinterpret_cast<Number>(symbol(library_, name, kSoname))(); };
  number_ = number("getInferLibVersion");
  const std::int32_t major = number_ / 10'000, minor = number_ / 100 % 100, patch = number_ % 100;
  version_ = std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  if (number_ < kOldest || major != NV_TENSORRT_MAJOR) {
    throw Error(ErrorCode::modelFailed, path + " is TensorRT " + version_ + "; this build runs with 10.1 and later 10.x");
  }
  version_ += '.';
  version_ += std::to_string(number("getInferLibBuildVersion"));
}

void* TensorRt::symbol(void* library, const char* name, const char* of) const {
  void* found = dlsym(library, name);
  if (found == nullptr) throw Error(ErrorCode::modelFailed, std::string(of) + " lacks " + name);
  return found;
}

nvinfer1::IRuntime& TensorRt::runtime() {
  const std::lock_guard lock(mutex_);
  if (!runtime_) {
    using Create = void* (*)(void*, std::int32_t);
    const auto create = reinterpret_cast<Create>(symbol(library_, "createInferRuntime_INTERNAL", kSoname));
    (void)log_.take();
    runtime_.reset(static_cast<nvinfer1::IRuntime*>(create(&log_, number_)));
    if (!runtime_) throw Error(ErrorCode::modelFailed, "TensorRT " + version_ + " does not start: " + log_.take());
  }
  return *runtime_;
}

std::string TensorRt::openParser() {
  if (parser_ == nullptr) parser_ = openBeside(folder_, kParserSoname);
  return parser_ != nullptr ? "" : kParserSoname;
}

/// The builder opens it by its bare name, so where it lies beside libnvinfer is not enough.
std::string TensorRt::openBuilderResource() {
  const std::string name = "libnvinfer_builder_resource.so." + version_.substr(0, version_.rfind('.'));
  if (resource_ == nullptr) resource_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  return resource_ != nullptr ? "" : name + " (on the loader's search path, LD_LIBRARY_PATH)";
}

std::string TensorRt::missingForBuilding() {
  const std::lock_guard lock(mutex_);
  const std::string parser = openParser();
  const std::string resource = openBuilderResource();
  return parser + (parser.empty() || resource.empty() ? "" : " and ") + resource;
}

std::unique_ptr<nvinfer1::IBuilder> TensorRt::builder() {
  using Create = void* (*)(void*, std::int32_t);
  const auto create = reinterpret_cast<Create>(symbol(library_, "createInferBuilder_INTERNAL", kSoname));
  std::unique_ptr<nvinfer1::IBuilder> builder(static_cast<nvinfer1::IBuilder*>(create(&log_, number_)));
  if (!builder) throw Error(ErrorCode::modelFailed, "TensorRT's builder does not start: " + log_.take());
  return builder;
}

std::unique_ptr<nvonnxparser::IParser> TensorRt::parser(nvinfer1::INetworkDefinition& network) {
  using Version = int (*)();
  using Create = void* (*)(void*, void*, int);
  const auto version = reinterpret_cast<Version>(symbol(parser_, "getNvOnnxParserVersion", kParserSoname));
  const auto create = reinterpret_cast<Create>(symbol(parser_, "createNvOnnxParser_INTERNAL", kParserSoname));
  std::unique_ptr<nvonnxparser::IParser> parser(
      static_cast<nvonnxparser::IParser*>(create(&network, &log_, version())));
  if (!parser) throw Error(ErrorCode::modelFailed, "TensorRT's ONNX parser does not start: " + log_.take());
  return parser;
}

}  // namespace roundhouse::delivery_time::gpu
