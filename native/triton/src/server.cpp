#include "server.hpp"

#include <chrono>
#include <thread>

#include "stderr_capture.hpp"

namespace roundhouse {
namespace {

void apply_model_options(const CoreApi& api, TRITONSERVER_ServerOptions* options, const ServerSettings& settings) {
  api.check(api.ServerOptionsSetServerId(options, settings.server_id.c_str()));
  api.check(api.ServerOptionsSetModelRepositoryPath(options, settings.model_repository.c_str()));
  api.check(api.ServerOptionsSetModelControlMode(options, TRITONSERVER_MODEL_CONTROL_EXPLICIT));
  api.check(api.ServerOptionsSetStrictModelConfig(options, true));
  api.check(api.ServerOptionsSetModelNamespacing(options, false));
  api.check(api.ServerOptionsSetModelLoadThreadCount(options, settings.load_threads));
  api.check(api.ServerOptionsSetModelLoadRetryCount(options, 0));
  api.check(api.ServerOptionsSetBackendDirectory(options, settings.backend_directory.c_str()));
  if (const std::string& prefix = settings.python_region_prefix; !prefix.empty()) {
    api.check(api.ServerOptionsSetBackendConfig(options, "python", "shm-region-prefix-name", prefix.c_str()));
  }
  api.check(api.ServerOptionsSetRepoAgentDirectory(options, settings.repo_agent_directory.c_str()));
  api.check(api.ServerOptionsSetCacheDirectory(options, settings.cache_directory.c_str()));
  api.check(api.ServerOptionsSetMinSupportedComputeCapability(options, settings.min_compute_capability));
  api.check(api.ServerOptionsSetRateLimiterMode(options, TRITONSERVER_RATE_LIMIT_OFF));
}

// Readiness is the caller's to compute: the core's strict one turns false for ever after any failed load.
void apply_process_options(const CoreApi& api, TRITONSERVER_ServerOptions* options, const ServerSettings& settings) {
  api.check(api.ServerOptionsSetExitOnError(options, false));
  api.check(api.ServerOptionsSetStrictReadiness(options, false));
  api.check(api.ServerOptionsSetExitTimeout(options, settings.exit_timeout_seconds));
  api.check(api.ServerOptionsSetBufferManagerThreadCount(options, 0));
  api.check(api.ServerOptionsSetPinnedMemoryPoolByteSize(options, 0));
  api.check(api.ServerOptionsSetCudaMemoryPoolByteSize(options, 0, 0));
  api.check(api.ServerOptionsSetEnablePeerAccess(options, false));
  api.check(api.ServerOptionsSetLogInfo(options, false));
  api.check(api.ServerOptionsSetLogWarn(options, true));
  api.check(api.ServerOptionsSetLogError(options, true));
  api.check(api.ServerOptionsSetLogFormat(options, TRITONSERVER_LOG_ISO8601));
  api.check(api.ServerOptionsSetLogVerbose(options, 0));
  api.check(api.ServerOptionsSetMetrics(options, true));
  api.check(api.ServerOptionsSetGpuMetrics(options, false));
  api.check(api.ServerOptionsSetCpuMetrics(options, false));
  api.check(api.ServerOptionsSetMetricsInterval(options, 2000));
}

bool has_state(const std::string& index, const char* state) {
  return index.find(std::string("\"state\":\"") + state + "\"") != std::string::npos;
}

}  // namespace

std::shared_ptr<Server> Server::start(const ServerSettings& settings, std::function<void()> wake) {
  const CoreApi& api = CoreApi::open(settings.core_library);
  std::shared_ptr<Server> server(new Server(api, std::move(wake), settings.admission));
  TRITONSERVER_ServerOptions* raw = nullptr;
  api.check(api.ServerOptionsNew(&raw));
  const auto free_options = [&api](TRITONSERVER_ServerOptions* options) { (void)api.ServerOptionsDelete(options); };
  const std::unique_ptr<TRITONSERVER_ServerOptions, decltype(free_options)> options(raw, free_options);
  apply_model_options(api, raw, settings);
  apply_process_options(api, raw, settings);
  server->exit_timeout_seconds_ = settings.exit_timeout_seconds;
  api.check(api.ResponseAllocatorNew(&server->allocator_, allocate, release, nullptr));
  const StderrCapture capture;
  api.check(api.ServerNew(&server->server_, raw));
  return server;
}

Server::~Server() {
  if (allocator_ != nullptr && server_ == nullptr) (void)api_.ResponseAllocatorDelete(allocator_);
}

// Never waits: the JS thread must not stand still behind a stop that waits for it.
std::shared_lock<std::shared_timed_mutex> Server::running() {
  std::shared_lock lock(lifecycle_, std::try_to_lock);
  if (!lock.owns_lock() || stopping_ || server_ == nullptr) throw TritonFailure("STOPPED", "the server is stopped");
  return lock;
}

std::string Server::call_json(const std::function<TRITONSERVER_Error*(TRITONSERVER_Message**)>& call) {
  const auto lock = running();
  TRITONSERVER_Message* message = nullptr;
  api_.check(call(&message));
  return api_.json(message);
}

bool Server::is_live() {
  const auto lock = running();
  bool live = false;
  api_.check(api_.ServerIsLive(server_, &live));
  return live;
}

bool Server::is_model_ready(const std::string& model, std::int64_t version) {
  const auto lock = running();
  bool ready = false;
  api_.check(api_.ServerModelIsReady(server_, name_of(model), version, &ready));
  return ready;
}

std::string Server::server_metadata() {
  return call_json([this](auto** message) { return api_.ServerMetadata(server_, message); });
}

std::string Server::model_metadata(const std::string& model, std::int64_t version) {
  return call_json([&](auto** message) { return api_.ServerModelMetadata(server_, name_of(model), version, message); });
}

std::string Server::model_config(const std::string& model, std::int64_t version) {
  return call_json([&](auto** message) { return api_.ServerModelConfig(server_, name_of(model), version, 1, message); });
}

std::string Server::model_statistics(const std::string& model, std::int64_t version) {
  return call_json(
      [&](auto** message) { return api_.ServerModelStatistics(server_, name_of(model), version, message); });
}

std::string Server::repository_index() {
  return call_json([this](auto** message) { return api_.ServerModelIndex(server_, 0, message); });
}

std::string Server::metrics() {
  const auto lock = running();
  TRITONSERVER_Metrics* metrics = nullptr;
  api_.check(api_.ServerMetrics(server_, &metrics));
  const char* base = nullptr;
  std::size_t size = 0;
  TRITONSERVER_Error* error = api_.MetricsFormatted(metrics, TRITONSERVER_METRIC_PROMETHEUS, &base, &size);
  std::string text = error == nullptr ? std::string(base, size) : std::string();
  if (TRITONSERVER_Error* deletion = api_.MetricsDelete(metrics)) api_.ErrorDelete(deletion);
  api_.check(error);
  return text;
}

void Server::load_model(const std::string& model) {
  const auto lock = running();
  {
    std::lock_guard models(models_mutex_);
    loaded_.insert(model);
  }
  retirement_.around(server_, model, [&] {
    bool serves = false;
    if (TRITONSERVER_Error* error = api_.ServerModelIsReady(server_, name_of(model), -1, &serves)) {
      api_.ErrorDelete(error);
    }
    StderrCapture capture;
    try {
      api_.check(api_.ServerLoadModel(server_, name_of(model)));
    } catch (TritonFailure& failure) {
      failure.log = capture.finish();
      if (serves) counts_the_gone_ = true;
      throw;
    }
  });
  admission_.close(model);
}

void Server::unload_model(const std::string& model) {
  const auto lock = running();
  retirement_.around(server_, model, [&] { api_.check(api_.ServerUnloadModel(server_, name_of(model))); });
  admission_.close(model);
}

std::string Server::stop(const std::function<void()>& pump) {
  stopping_ = true;
  std::unique_lock lock(lifecycle_, std::defer_lock);
  if (!lock_for_stop(lock, pump)) return "a call into the core did not end in time";
  if (server_ == nullptr) return "";
  drain(pump);
  for (const std::string& model : loaded_) {
    retirement_.around(server_, model, [&] {
      if (TRITONSERVER_Error* error = api_.ServerUnloadModel(server_, model.c_str())) api_.ErrorDelete(error);
    });
  }
  retirement_.finish();
  wait_until_unloaded(pump);
  return end_core();
}

// Everything is unloaded here. Where the core counts a model that is gone, its stop would wait for its whole time-out
// and fail: it is left as it is, idle, with the process to end it.
std::string Server::end_core() {
  if (counts_the_gone_) return "";
  try {
    api_.check(api_.ServerStop(server_));
    api_.check(api_.ServerDelete(server_));
  } catch (const TritonFailure& failure) {
    return failure.what();
  }
  server_ = nullptr;
  return "";
}

void Server::drain(const std::function<void()>& pump) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(exit_timeout_seconds_);
  while (open_requests_.load(std::memory_order_acquire) > 0 && std::chrono::steady_clock::now() < end) {
    pump();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  pump();
}

bool Server::lock_for_stop(std::unique_lock<std::shared_timed_mutex>& lock, const std::function<void()>& pump) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(exit_timeout_seconds_);
  while (!lock.try_lock_for(std::chrono::milliseconds(1))) {
    pump();
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

// ServerStop itself looks only once a second.
void Server::wait_until_unloaded(const std::function<void()>& pump) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(exit_timeout_seconds_);
  while (std::chrono::steady_clock::now() < end) {
    pump();
    TRITONSERVER_Message* message = nullptr;
    if (TRITONSERVER_Error* error = api_.ServerModelIndex(server_, 0, &message)) {
      api_.ErrorDelete(error);
      return;
    }
    const std::string index = api_.json(message);
    if (!has_state(index, "READY") && !has_state(index, "UNLOADING") && !has_state(index, "LOADING")) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace roundhouse
