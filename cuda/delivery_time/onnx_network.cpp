#include "onnx_network.hpp"

#include <vector>

#include "error.hpp"

namespace roundhouse::delivery_time {
namespace {

constexpr const char* kInputName = "features";
constexpr const char* kOutputName = "quantiles";

/// Releases what the C API gave, with the API's own function.
template <typename T>
class Owned {
 public:
  explicit Owned(void (*release)(T*)) : release_(release) {}
  ~Owned() {
    if (value_ != nullptr) release_(value_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  T** slot() { return &value_; }
  T* get() const { return value_; }

 private:
  void (*release_)(T*);
  T* value_ = nullptr;
};

struct Port {
  const char* kind;
  const char* name;
  std::size_t columns;
};

std::string shapeText(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "" : ", ") + (extent < 0 ? "N" : std::to_string(extent));
  return "[" + text + "]";
}

/// What the session says of its first input or output.
struct Found {
  std::size_t count = 0;
  std::string name;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<std::int64_t> shape;
};

void readShape(const OnnxRuntime& runtime, const OrtTypeInfo* info, Found& found) {
  const OrtApi& api = runtime.api();
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  runtime.check(api.CastTypeInfoToTensorInfo(info, &tensor), "reading a tensor's type");
  if (tensor == nullptr) return;
  runtime.check(api.GetTensorElementType(tensor, &found.type), "reading a tensor's type");
  std::size_t dimensions = 0;
  runtime.check(api.GetDimensionsCount(tensor, &dimensions), "reading a tensor's shape");
  found.shape.resize(dimensions);
  runtime.check(api.GetDimensions(tensor, found.shape.data(), dimensions), "reading a tensor's shape");
}

Found inspect(const OnnxRuntime& runtime, const OrtSession* session, bool input) {
  const OrtApi& api = runtime.api();
  OrtAllocator* allocator = nullptr;
  runtime.check(api.GetAllocatorWithDefaultOptions(&allocator), "taking the allocator");
  Found found;
  runtime.check((input ? api.SessionGetInputCount : api.SessionGetOutputCount)(session, &found.count),
                "counting tensors");
  if (found.count == 0) return found;
  char* name = nullptr;
  runtime.check((input ? api.SessionGetInputName : api.SessionGetOutputName)(session, 0, allocator, &name),
                "reading a name");
  found.name = name;
  runtime.check(api.AllocatorFree(allocator, name), "freeing a name");
  Owned<OrtTypeInfo> info(api.ReleaseTypeInfo);
  runtime.check((input ? api.SessionGetInputTypeInfo : api.SessionGetOutputTypeInfo)(session, 0, info.slot()),
                "reading a type");
  readShape(runtime, info.get(), found);
  return found;
}

void requirePort(const std::filesystem::path& file, const Found& found, const Port& port) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorCode::modelFailed, file.filename().string() + ": " + port.kind + " " + reason +
                                            "; it must be one FP32 '" + port.name + "' of shape [N, " +
                                            std::to_string(port.columns) + "]");
  };
  if (found.count != 1) refuse("count is " + std::to_string(found.count));
  if (found.name != port.name) refuse("is named '" + found.name + "'");
  if (found.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) refuse("has ONNX type " + std::to_string(found.type));
  const bool fits =
      found.shape.size() == 2 && found.shape[0] < 0 && found.shape[1] == static_cast<std::int64_t>(port.columns);
  if (!fits) refuse("has shape " + shapeText(found.shape));
}

}  // namespace

OnnxNetwork::OnnxNetwork(const OnnxRuntime& runtime, const std::filesystem::path& file, const Columns& columns)
    : runtime_(runtime), columns_(columns) {
  createSession(file);
  try {
    requireColumns(file);
    runtime_.check(runtime_.api().CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory_),
                   "describing memory");
  } catch (...) {
    runtime_.api().ReleaseSession(session_);
    throw;
  }
}

OnnxNetwork::~OnnxNetwork() {
  runtime_.api().ReleaseMemoryInfo(memory_);
  runtime_.api().ReleaseSession(session_);
}

void OnnxNetwork::createSession(const std::filesystem::path& file) {
  const OrtApi& api = runtime_.api();
  Owned<OrtSessionOptions> options(api.ReleaseSessionOptions);
  runtime_.check(api.CreateSessionOptions(options.slot()), "making session options");
  runtime_.check(api.SetIntraOpNumThreads(options.get(), 1), "setting threads");
  runtime_.check(api.SetInterOpNumThreads(options.get(), 1), "setting threads");
  runtime_.check(api.SetSessionExecutionMode(options.get(), ORT_SEQUENTIAL), "setting the execution mode");
  runtime_.check(api.AddSessionConfigEntry(options.get(), "session.intra_op.allow_spinning", "0"),
                 "turning spinning off");
  // Every batch size is a new shape; a pattern kept for each would only grow.
  runtime_.check(api.DisableMemPattern(options.get()), "turning memory patterns off");
  runtime_.check(api.CreateSession(runtime_.environment(), file.c_str(), options.get(), &session_),
                 "loading " + file.filename().string());
}

void OnnxNetwork::requireColumns(const std::filesystem::path& file) {
  requirePort(file, inspect(runtime_, session_, true), {"input", kInputName, columns_.features});
  requirePort(file, inspect(runtime_, session_, false), {"output", kOutputName, columns_.quantiles});
}

void OnnxNetwork::predict(const float* features, std::size_t rows, float* quantiles) {
  const OrtApi& api = runtime_.api();
  const std::int64_t inputShape[] = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns_.features)};
  const std::int64_t outputShape[] = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns_.quantiles)};
  Owned<OrtValue> input(api.ReleaseValue), output(api.ReleaseValue);
  runtime_.check(
      api.CreateTensorWithDataAsOrtValue(memory_, const_cast<float*>(features), rows * columns_.features * sizeof(float),
                                         inputShape, 2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, input.slot()),
      "wrapping features");
  runtime_.check(api.CreateTensorWithDataAsOrtValue(memory_, quantiles, rows * columns_.quantiles * sizeof(float), outputShape,
                                                    2, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, output.slot()),
                 "wrapping quantiles");
  const OrtValue* inputs[] = {input.get()};
  OrtValue* outputs[] = {output.get()};
  runtime_.check(api.Run(session_, nullptr, &kInputName, inputs, 1, &kOutputName, 1, outputs), "running the network");
}

std::unique_ptr<Network> loadNetwork(const std::filesystem::path& file, const std::string& libraryPath,
                                     const Columns& columns) {
  return std::make_unique<OnnxNetwork>(OnnxRuntime::open(libraryPath), file, columns);
}

}  // namespace roundhouse::delivery_time
