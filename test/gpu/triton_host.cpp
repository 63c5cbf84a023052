#include "triton_host.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

namespace roundhouse::test {
namespace {

namespace fs = std::filesystem;

void setOptions(const CoreApi& api, TRITONSERVER_ServerOptions* options, const TritonHost::Settings& settings) {
  api.check(api.ServerOptionsSetServerId(options, "test"));
  api.check(api.ServerOptionsSetModelRepositoryPath(options, settings.repository.c_str()));
  api.check(api.ServerOptionsSetBackendDirectory(options, settings.backends.c_str()));
  api.check(api.ServerOptionsSetRepoAgentDirectory(options, settings.backends.c_str()));
  api.check(api.ServerOptionsSetCacheDirectory(options, settings.backends.c_str()));
  api.check(api.ServerOptionsSetModelControlMode(options, TRITONSERVER_MODEL_CONTROL_EXPLICIT));
  api.check(api.ServerOptionsSetStrictModelConfig(options, true));
  api.check(api.ServerOptionsSetModelLoadThreadCount(options, 1));
  api.check(api.ServerOptionsSetModelLoadRetryCount(options, 0));
  api.check(api.ServerOptionsSetMinSupportedComputeCapability(options, settings.minComputeCapability));
  api.check(api.ServerOptionsSetRateLimiterMode(options, TRITONSERVER_RATE_LIMIT_OFF));
  api.check(api.ServerOptionsSetExitOnError(options, false));
  api.check(api.ServerOptionsSetStrictReadiness(options, false));
  api.check(api.ServerOptionsSetExitTimeout(options, 10));
  api.check(api.ServerOptionsSetPinnedMemoryPoolByteSize(options, 0));
  api.check(api.ServerOptionsSetCudaMemoryPoolByteSize(options, 0, 0));
  api.check(api.ServerOptionsSetEnablePeerAccess(options, false));
  api.check(api.ServerOptionsSetLogInfo(options, settings.logInfo));
  api.check(api.ServerOptionsSetMetrics(options, false));
  api.check(api.ServerOptionsSetGpuMetrics(options, false));
  api.check(api.ServerOptionsSetCpuMetrics(options, false));
}

bool hasState(const std::string& index, const char* state) {
  return index.find(std::string("\"state\":\"") + state + "\"") != std::string::npos;
}

}  // namespace

std::string TritonHost::findCore() {
  const char* named = std::getenv("ROUNDHOUSE_TOOLCHAIN_DIR");
  const fs::path toolchain = named != nullptr && *named != '\0' ? named : ROUNDHOUSE_DEFAULT_TOOLCHAIN;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(toolchain / "triton" / "nvidia_pytriton.libs", none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("libtritonserver-") && name.ends_with(".so")) return entry.path().string();
  }
  return "";
}

TritonHost::TritonHost(const Settings& settings)
    : api_(CoreApi::open(settings.core.empty() ? findCore() : settings.core)) {
  TRITONSERVER_ServerOptions* raw = nullptr;
  api_.check(api_.ServerOptionsNew(&raw));
  const auto free = [this](TRITONSERVER_ServerOptions* options) { (void)api_.ServerOptionsDelete(options); };
  const std::unique_ptr<TRITONSERVER_ServerOptions, decltype(free)> options(raw, free);
  setOptions(api_, raw, settings);
  api_.check(api_.ResponseAllocatorNew(&allocator_, Call::allocate, Call::release, nullptr));
  api_.check(api_.ServerNew(&server_, raw));
}

TritonHost::~TritonHost() {
  try {
    stop();
  } catch (const TritonFailure& failure) {
    std::fprintf(stderr, "TritonCore did not stop: %s\n", failure.what());
  }
}

/// The core looks only once a second whether its models are gone, so we look before.
void TritonHost::stop() {
  while (!loaded_.empty()) unload(*loaded_.begin());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end) {
    TRITONSERVER_Message* message = nullptr;
    api_.check(api_.ServerModelIndex(server_, 0, &message));
    const std::string index = api_.json(message);
    if (!hasState(index, "READY") && !hasState(index, "UNLOADING")) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  api_.check(api_.ServerStop(server_));
  api_.check(api_.ServerDelete(server_));
  (void)api_.ResponseAllocatorDelete(allocator_);
}

void TritonHost::load(const std::string& model) {
  api_.check(api_.ServerLoadModel(server_, model.c_str()));
  loaded_.insert(model);
}

void TritonHost::unload(const std::string& model) {
  loaded_.erase(model);
  api_.check(api_.ServerUnloadModel(server_, model.c_str()));
}

std::string TritonHost::config(const std::string& model) {
  TRITONSERVER_Message* message = nullptr;
  api_.check(api_.ServerModelConfig(server_, model.c_str(), -1, 1, &message));
  return api_.json(message);
}

std::string TritonHost::statistics(const std::string& model) {
  TRITONSERVER_Message* message = nullptr;
  api_.check(api_.ServerModelStatistics(server_, model.c_str(), -1, &message));
  return api_.json(message);
}

std::unique_ptr<Call> TritonHost::call(const std::string& model, const std::vector<CallInput>& inputs,
                                       const std::vector<CallOutput>& outputs, std::int64_t version) {
  return std::unique_ptr<Call>(new Call(*this, model, version, inputs, outputs));
}

Call::Call(TritonHost& host, const std::string& model, std::int64_t version, const std::vector<CallInput>& inputs,
           const std::vector<CallOutput>& outputs)
    : host_(host), outputs_(outputs), answers_(outputs.size()) {
  const CoreApi& api = host_.api_;
  api.check(api.InferenceRequestNew(&request_, host_.server_, model.c_str(), version));
  for (const CallInput& input : inputs) {
    api.check(api.InferenceRequestAddInput(request_, input.name.c_str(), input.datatype, input.shape.data(),
                                           input.shape.size()));
    api.check(api.InferenceRequestAppendInputData(request_, input.name.c_str(), input.data, input.bytes,
                                                  input.memory.type, input.memory.id));
  }
  for (const CallOutput& output : outputs) {
    api.check(api.InferenceRequestAddRequestedOutput(request_, output.name.c_str()));
  }
  api.check(api.InferenceRequestSetReleaseCallback(request_, onRelease, this));
  api.check(api.InferenceRequestSetResponseCallback(request_, host_.allocator_, this, onResponse, this));
}

Call::~Call() {
  while (!ended()) std::this_thread::yield();
  (void)host_.api_.InferenceRequestDelete(request_);
}

void Call::start() {
  failure_.reset();
  open_.store(2, std::memory_order_release);
  if (TRITONSERVER_Error* refused = host_.api_.ServerInferAsync(host_.server_, request_, nullptr)) {
    open_.store(0, std::memory_order_release);
    host_.api_.check(refused);
  }
}

void Call::wait() {
  const auto sleepAt = std::chrono::steady_clock::now() + std::chrono::microseconds(host_.spin_.load());
  // A pause leaves the core to its other thread.
  while (!ended() && std::chrono::steady_clock::now() < sleepAt) __builtin_ia32_pause();
  for (int open = open_.load(std::memory_order_acquire); open != 0; open = open_.load(std::memory_order_acquire)) {
    open_.wait(open, std::memory_order_acquire);
  }
  if (failure_) throw TritonFailure(*failure_);
}

void Call::cancel() { host_.api_.check(host_.api_.InferenceRequestCancel(request_)); }

void Call::endOne() noexcept {
  open_.fetch_sub(1, std::memory_order_acq_rel);
  open_.notify_all();
}

void Call::read(TRITONSERVER_InferenceResponse* response) {
  const CoreApi& api = host_.api_;
  api.check(api.InferenceResponseError(response));
  std::uint32_t count = 0;
  api.check(api.InferenceResponseOutputCount(response, &count));
  for (std::uint32_t index = 0; index < count; ++index) {
    const char* name = nullptr;
    TRITONSERVER_DataType datatype;
    const std::int64_t* shape = nullptr;
    std::uint64_t dimensions = 0;
    const void* base = nullptr;
    std::size_t bytes = 0;
    TRITONSERVER_MemoryType memory;
    std::int64_t memoryId = 0;
    void* userp = nullptr;
    api.check(api.InferenceResponseOutput(response, index, &name, &datatype, &shape, &dimensions, &base, &bytes, &memory,
                                          &memoryId, &userp));
    Answer& answer = answers_.at(indexOf(name));
    answer.shape.assign(shape, shape + dimensions);
    answer.bytes = bytes;
  }
}

std::size_t Call::indexOf(const char* name) const {
  for (std::size_t index = 0; index < outputs_.size(); ++index) {
    if (outputs_[index].name == name) return index;
  }
  throw TritonFailure("INTERNAL", std::string("output '") + name + "' was not asked for");
}

TRITONSERVER_Error* Call::allocate(TRITONSERVER_ResponseAllocator*, const char* name, std::size_t bytes,
                                   TRITONSERVER_MemoryType, std::int64_t, void* userp, void** buffer, void** bufferUserp,
                                   TRITONSERVER_MemoryType* memory, std::int64_t* memoryId) {
  auto* call = static_cast<Call*>(userp);
  try {
    const CallOutput& output = call->outputs_[call->indexOf(name)];
    if (bytes > output.capacity) throw TritonFailure("INTERNAL", "output '" + output.name + "' is too large");
    *buffer = bytes == 0 ? nullptr : output.data;
    *bufferUserp = nullptr;
    *memory = output.memory.type;
    *memoryId = output.memory.id;
    return nullptr;
  } catch (const TritonFailure& failure) {
    return call->host_.api_.ErrorNew(TRITONSERVER_ERROR_INTERNAL, failure.what());
  }
}

TRITONSERVER_Error* Call::release(TRITONSERVER_ResponseAllocator*, void*, void*, std::size_t, TRITONSERVER_MemoryType,
                                  std::int64_t) {
  return nullptr;
}

void Call::onResponse(TRITONSERVER_InferenceResponse* response, std::uint32_t flags, void* userp) {
  auto* call = static_cast<Call*>(userp);
  if (response != nullptr) {
    try {
      call->read(response);
    } catch (const TritonFailure& failure) {
      call->failure_ = std::make_unique<TritonFailure>(failure);
    }
    (void)call->host_.api_.InferenceResponseDelete(response);
  }
  if ((flags & TRITONSERVER_RESPONSE_COMPLETE_FINAL) != 0) call->endOne();
}

void Call::onRelease(TRITONSERVER_InferenceRequest*, std::uint32_t, void* userp) {
  static_cast<Call*>(userp)->endOne();
}

}  // namespace roundhouse::test
