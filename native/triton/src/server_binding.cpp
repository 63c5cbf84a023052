#include "server_binding.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include "device_fault.hpp"

namespace roundhouse {
namespace {

// Servers whose requests must be over before the process ends.
std::mutex registry_mutex;
std::set<ServerBinding*>& registry() {
  static auto* bindings = new std::set<ServerBinding*>();
  return *bindings;
}

void forget(ServerBinding* binding) {
  std::lock_guard lock(registry_mutex);
  registry().erase(binding);
}

Napi::Object output_to_js(Napi::Env env, const Inference& inference, const OutputTensor& output) {
  Napi::Object object = Napi::Object::New(env);
  Napi::Array shape = Napi::Array::New(env, output.shape.size());
  for (std::uint32_t i = 0; i < output.shape.size(); ++i) shape.Set(i, static_cast<double>(output.shape[i]));
  object.Set("name", output.name);
  object.Set("datatype", output.datatype);
  object.Set("shape", shape);
  object.Set("byteLength", static_cast<double>(output.size));
  if (output.size == 0 || inference.in_arena(output.data)) {
    object.Set("offset", output.size == 0 ? 0.0 : static_cast<double>(output.data - inference.arena));
  } else {
    object.Set("copy", Napi::Buffer<std::byte>::Copy(env, output.data, output.size));
  }
  return object;
}

Napi::Object inference_to_js(Napi::Env env, const Inference& inference) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("id", inference.id);
  if (!inference.error_code.empty()) {
    object.Set("errorCode", inference.error_code);
    object.Set("errorMessage", inference.error_message);
    if (inference.remaining_ms >= 0) object.Set("remainingMs", static_cast<double>(inference.remaining_ms));
    return object;
  }
  Napi::Array outputs = Napi::Array::New(env, inference.outputs.size());
  for (std::uint32_t i = 0; i < inference.outputs.size(); ++i) {
    outputs.Set(i, output_to_js(env, inference, inference.outputs[i]));
  }
  object.Set("version", inference.model_version);
  object.Set("outputs", outputs);
  return object;
}

}  // namespace

ServerBinding::ServerBinding(Napi::Env env, Napi::Function on_completions)
    : env_(env), channel_(env, on_completions, deliver, this) {}

void ServerBinding::start(const ServerSettings& settings) {
  server_ = Server::start(settings, [this] { channel_.knock(); });
}

// The hook is younger than the thread-safe function's own, so it runs before that one closes.
void ServerBinding::adopt() {
  alive_ = shared_from_this();
  napi_add_env_cleanup_hook(env_, on_environment_end, this);
  std::lock_guard lock(registry_mutex);
  static const int registered = on_exit(on_process_exit, nullptr);
  (void)registered;
  registry().insert(this);
}

void ServerBinding::abandon() { channel_.close(); }

std::uint32_t ServerBinding::submit(std::unique_ptr<Inference> inference, const RequestSpec& spec,
                                    Napi::Array buffers) {
  Napi::Reference<Napi::Array> reference = Napi::Persistent(buffers);
  const std::uint32_t id = server_->submit(std::move(inference), spec);
  buffers_.emplace(id, std::move(reference));
  channel_.hold_process(env_, true);
  return id;
}

void ServerBinding::open_data_plane(const std::string& socket_path, bool pins) {
  if (data_plane_) throw TritonFailure("ALREADY_EXISTS", "the server has a data plane already");
  data_plane_ = std::make_unique<DataPlane>(server_, socket_path, pins);
}

std::string ServerBinding::stop() {
  if (data_plane_) data_plane_->close();
  const std::string failure = server_->stop([] {});
  keep_if_used();
  return failure;
}

// A core that isn't deleted may have threads that use the server: its memory stays.
void ServerBinding::keep_if_used() const {
  if (!server_->is_deleted()) new std::shared_ptr<Server>(server_);
}

void ServerBinding::retire() {
  if (!alive_) return;
  forget(this);
  napi_remove_env_cleanup_hook(env_, on_environment_end, this);
  channel_.close();
  alive_.reset();
}

Napi::Array ServerBinding::to_js(Napi::Env env, std::vector<std::unique_ptr<Inference>>& done) {
  Napi::Array batch = Napi::Array::New(env, done.size());
  for (std::uint32_t i = 0; i < done.size(); ++i) {
    Napi::HandleScope scope(env);
    batch.Set(i, inference_to_js(env, *done[i]));
    buffers_.erase(done[i]->id);
  }
  return batch;
}

void ServerBinding::deliver(napi_env env, napi_value callback, void* context, void*) {
  if (env == nullptr) return;
  auto* self = static_cast<ServerBinding*>(context);
  std::vector<std::unique_ptr<Inference>> done = self->server_->take_completed();
  if (done.empty()) return;
  try {
    Napi::HandleScope scope(env);
    const Napi::Array batch = self->to_js(env, done);
    if (self->server_->in_flight() == 0) self->channel_.hold_process(env, false);
    Napi::Function(env, callback).Call({batch});
  } catch (const Napi::Error& error) {
    napi_fatal_exception(env, error.Value());
  } catch (const std::exception& error) {
    napi_fatal_exception(env, Napi::Error::New(env, error.what()).Value());
  }
}

// The end of a worker thread stops its server. The end of the main thread is that of the process: there it
// is enough that no request touches a buffer any more.
void ServerBinding::stop_without_javascript() {
  const auto pump = [this] { (void)server_->take_completed(); };
  server_->refuse_new_work();
  server_->cancel_all();
  if (data_plane_) data_plane_->close();
  if (gettid() == getpid()) return server_->drain(pump);
  (void)server_->stop(pump);
  keep_if_used();
}

void ServerBinding::on_environment_end(void* pointer) {
  auto* self = static_cast<ServerBinding*>(pointer);
  self->channel_.close();
  self->stop_without_javascript();
  self->buffers_.clear();
  if (gettid() == getpid()) return;
  forget(self);
  self->alive_.reset();
}

// Threads of the core run on, also after a stop: it deletes models in detached ones. Its static objects must
// not be torn down under them, so the process ends here. Registered after the core was loaded, this comes
// before their destructors.
void ServerBinding::on_process_exit(int status, void*) {
  std::unique_lock lock(registry_mutex, std::try_to_lock);
  if (lock.owns_lock()) {
    for (ServerBinding* binding : registry()) {
      Server& server = *binding->server_;
      binding->channel_.silence();
      server.refuse_new_work();
      server.cancel_all();
      // A lost GPU may never let go of a request.
      if (!device_is_broken) server.drain([&server] { (void)server.take_completed(); });
    }
  }
  std::fflush(nullptr);
  _exit(status);
}

}  // namespace roundhouse
