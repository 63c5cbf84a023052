#include "server.hpp"

#include <chrono>
#include <thread>

#include "model_capacity.hpp"
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
  api.check(api.ServerOptionsSetMetrics(options, false));
  api.check(api.ServerOptionsSetGpuMetrics(options, false));
  api.check(api.ServerOptionsSetCpuMetrics(options, false));
  api.check(api.ServerOptionsSetMetricsInterval(options, 2000));
}

std::int64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string left_text(std::int64_t deadline_ms) {
  if (deadline_ms == kNoDeadline) return "it has no deadline";
  return std::to_string(std::max<std::int64_t>(0, deadline_ms - unix_ms())) + " ms remain to its deadline";
}

bool has_state(const std::string& index, const char* state) {
  return index.find(std::string("\"state\":\"") + state + "\"") != std::string::npos;
}

// The core reads names up to a NUL: one with more behind it would be another model's.
const char* name_of(const std::string& model) {
  if (model.find('\0') != std::string::npos) throw TritonFailure("NOT_FOUND", "no model has a NUL in its name");
  return model.c_str();
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

void Server::load_model(const std::string& model) {
  const auto lock = running();
  {
    std::lock_guard models(models_mutex_);
    loaded_.insert(model);
  }
  retirement_.around(server_, model, [&] {
    StderrCapture capture;
    try {
      api_.check(api_.ServerLoadModel(server_, name_of(model)));
    } catch (TritonFailure& failure) {
      failure.log = capture.finish();
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

std::int64_t RequestSpec::end_ms() const {
  if (timeout_us == 0) return deadline_ms;
  return std::min(deadline_ms, unix_ms() + static_cast<std::int64_t>(timeout_us / 1'000 + (timeout_us % 1'000 != 0)));
}

// The core's request is made before it waits: what waits keeps the model that it was sent to, also through an unload.
void Server::start_request(Inference& inference, const RequestSpec& spec) {
  const auto lock = running();
  inference.server = this;
  inference.model_use = retirement_.enter(spec.model);
  try {
    api_.check(api_.InferenceRequestNew(&inference.request, server_, name_of(spec.model), spec.version));
    build_request(inference, spec);
    if (admit(inference, spec)) launch(inference);
  } catch (const TritonFailure&) {
    delete_request(inference);
    throw;
  }
}

bool Server::admit(Inference& inference, const RequestSpec& spec) {
  inference.priority = priority_of(spec.priority);
  inference.deadline_ms = spec.end_ms();
  inference.bytes = static_cast<std::int64_t>(inference.arena_size);
  for (const InputTensor& input : spec.inputs) inference.bytes += static_cast<std::int64_t>(input.size);
  const std::int64_t deadline_ms = inference.deadline_ms;
  std::optional<Verdict> verdict;
  while (!(verdict = admission_.admit(spec.model, spec.version, inference))) {
    admission_.open(spec.model, spec.version, most_running(spec.model, spec.version));
  }
  switch (*verdict) {
    case Verdict::start: return true;
    case Verdict::wait: return false;
    case Verdict::late: throw TritonFailure("DEADLINE_EXCEEDED", "the deadline had passed when the engine got the request");
    case Verdict::full:
      throw TritonFailure("ENGINE_BUSY", "the queue is full with " + std::to_string(admission_.queued()) +
                                             " requests; " + left_text(deadline_ms));
    case Verdict::hopeless: break;
  }
  throw TritonFailure("ENGINE_BUSY", "the model is busy and takes longer than that: " + left_text(deadline_ms) + ", " +
                                         std::to_string(admission_.queued()) + " requests wait");
}

std::int64_t Server::most_running(const std::string& model, std::int64_t version) {
  TRITONSERVER_Message* message = nullptr;
  api_.check(api_.ServerModelConfig(server_, model.c_str(), version, 1, &message));
  return next_batches(api_.json(message));
}

void Server::launch(Inference& inference) {
  open_requests_.fetch_add(1, std::memory_order_acq_rel);
  if (TRITONSERVER_Error* error = api_.ServerInferAsync(server_, inference.request, nullptr)) {
    open_requests_.fetch_sub(1, std::memory_order_acq_rel);
    if (admission_.release(inference, false)) start_waiting();
    api_.check(error);
  }
  if (inference.launched()) cancel_in_core(inference);
  complete(&inference);
}

// Who ends a request starts those that waited for its place. A request that ends while it is started, on the very
// thread, leaves that to the loop that is at it.
void Server::start_waiting() noexcept {
  thread_local bool starting = false;
  if (starting) return;
  starting = true;
  for (Admission::Turn turn = admission_.next(); turn.ticket != nullptr; turn = admission_.next()) start_turn(turn);
  starting = false;
}

void Server::start_turn(const Admission::Turn& turn) noexcept {
  auto& inference = static_cast<Inference&>(*turn.ticket);
  if (turn.late) {
    inference.fail("DEADLINE_EXCEEDED", "the deadline passed while the request waited for its turn");
    return hand_over(&inference);
  }
  bool launched = false;
  try {
    const auto lock = running();
    launched = true;
    launch(inference);
  } catch (const TritonFailure& failure) {
    if (!launched) admission_.release(inference, false);
    inference.fail(failure.code.c_str(), failure.what());
    hand_over(&inference);
  }
}

bool Server::take_back(Inference& inference, Withdrawal why) {
  if (admission_.withdraw(inference, why)) {
    delete_request(inference);
    return true;
  }
  if (!inference.defer_cancel()) cancel_in_core(inference);
  return false;
}

std::uint32_t Server::submit(std::unique_ptr<Inference> inference, const RequestSpec& spec) {
  while (in_flight_.count(++next_id_) != 0) {
  }
  inference->id = next_id_;
  start_request(*inference, spec);
  // Callbacks may have come already; they never touch the map.
  in_flight_.emplace(next_id_, std::move(inference));
  return next_id_;
}

void Server::build_request(Inference& inference, const RequestSpec& spec) {
  TRITONSERVER_InferenceRequest* request = inference.request;
  api_.check(api_.InferenceRequestSetId(request, spec.request_id.c_str()));
  for (const InputTensor& input : spec.inputs) {
    const TRITONSERVER_DataType type = api_.StringToDataType(input.datatype.c_str());
    api_.check(api_.InferenceRequestAddInput(request, input.name.c_str(), type, input.shape.data(), input.shape.size()));
    api_.check(api_.InferenceRequestAppendInputData(request, input.name.c_str(), input.data, input.size,
                                                    TRITONSERVER_MEMORY_CPU, 0));
  }
  for (const std::string& output : spec.outputs) {
    api_.check(api_.InferenceRequestAddRequestedOutput(request, output.c_str()));
  }
  set_parameters(request, spec);
  api_.check(api_.InferenceRequestSetReleaseCallback(request, on_release, &inference));
  api_.check(api_.InferenceRequestSetResponseCallback(request, allocator_, &inference, on_response, &inference));
}

void Server::set_parameters(TRITONSERVER_InferenceRequest* request, const RequestSpec& spec) {
  for (const auto& [name, value] : spec.parameters) {
    const char* key = name.c_str();
    if (const auto* text = std::get_if<std::string>(&value)) {
      api_.check(api_.InferenceRequestSetStringParameter(request, key, text->c_str()));
    } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      api_.check(api_.InferenceRequestSetIntParameter(request, key, *whole));
    } else if (const auto* real = std::get_if<double>(&value)) {
      api_.check(api_.InferenceRequestSetDoubleParameter(request, key, *real));
    } else {
      api_.check(api_.InferenceRequestSetBoolParameter(request, key, std::get<bool>(value)));
    }
  }
}

void Server::cancel_in_core(Inference& inference) {
  if (inference.request == nullptr) return;
  if (TRITONSERVER_Error* error = api_.InferenceRequestCancel(inference.request)) api_.ErrorDelete(error);
}

void Server::delete_request(Inference& inference) noexcept {
  if (inference.request != nullptr) {
    if (TRITONSERVER_Error* error = api_.InferenceRequestDelete(inference.request)) api_.ErrorDelete(error);
  }
  inference.request = nullptr;
  inference.model_use.reset();
}

void Server::end_request(Inference& inference) { delete_request(inference); }

bool Server::cancel(std::uint32_t id, Withdrawal why) {
  const auto found = in_flight_.find(id);
  if (found == in_flight_.end()) return false;
  Inference& inference = *found->second;
  if (take_back(inference, why)) {
    inference.fail("CANCELLED", "the request was given up before it started");
    hand_over(&inference);
  }
  return true;
}

void Server::cancel_all() {
  for (const auto& [id, inference] : in_flight_) cancel(id);
}

std::vector<std::unique_ptr<Inference>> Server::take_completed() {
  std::vector<Inference*> done;
  {
    std::lock_guard lock(completed_mutex_);
    done.swap(completed_);
  }
  std::vector<std::unique_ptr<Inference>> owned;
  owned.reserve(done.size());
  for (Inference* inference : done) {
    const auto found = in_flight_.find(inference->id);
    if (found == in_flight_.end()) continue;
    delete_request(*inference);
    owned.push_back(std::move(found->second));
    in_flight_.erase(found);
  }
  return owned;
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

void Server::complete(Inference* inference) noexcept {
  if (inference->open_callbacks.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  open_requests_.fetch_sub(1, std::memory_order_acq_rel);
  const bool others_wait = admission_.release(*inference, inference->error_code.empty());
  hand_over(inference);
  if (others_wait) start_waiting();
}

void Server::hand_over(Inference* inference) noexcept {
  if (inference->sink != nullptr) return inference->sink->on_complete(inference);
  bool was_empty = false;
  {
    std::lock_guard lock(completed_mutex_);
    was_empty = completed_.empty();
    completed_.push_back(inference);
  }
  if (was_empty) wake_();
}

TRITONSERVER_Error* Server::allocate(TRITONSERVER_ResponseAllocator*, const char*, std::size_t size,
                                     TRITONSERVER_MemoryType, std::int64_t, void* userp, void** buffer,
                                     void** buffer_userp, TRITONSERVER_MemoryType* memory, std::int64_t* memory_id) {
  auto* inference = static_cast<Inference*>(userp);
  *memory = TRITONSERVER_MEMORY_CPU;
  *memory_id = 0;
  *buffer_userp = nullptr;
  try {
    *buffer = size == 0 ? nullptr : inference->place(size);
    return nullptr;
  } catch (const std::exception& error) {
    return inference->server->api_.ErrorNew(TRITONSERVER_ERROR_UNAVAILABLE, "no memory for an output");
  }
}

// The arena is the caller's and the overflow the inference's: nothing to free here.
TRITONSERVER_Error* Server::release(TRITONSERVER_ResponseAllocator*, void*, void*, std::size_t, TRITONSERVER_MemoryType,
                                    std::int64_t) {
  return nullptr;
}

void Server::on_response(TRITONSERVER_InferenceResponse* response, std::uint32_t flags, void* userp) {
  auto* inference = static_cast<Inference*>(userp);
  Server* server = inference->server;
  if (response != nullptr) inference->read_response(server->api_, response);
  if ((flags & TRITONSERVER_RESPONSE_COMPLETE_FINAL) != 0) server->complete(inference);
}

void Server::on_release(TRITONSERVER_InferenceRequest*, std::uint32_t, void* userp) {
  auto* inference = static_cast<Inference*>(userp);
  inference->server->complete(inference);
}

}  // namespace roundhouse
