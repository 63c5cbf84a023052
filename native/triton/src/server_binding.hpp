// What a handle of JavaScript stands for: a server, its channel and the buffers of the requests in flight.
#pragma once

#include <napi.h>

#include <memory>
#include <unordered_map>

#include "completion_channel.hpp"
#include "data_plane.hpp"
#include "server.hpp"

namespace roundhouse {

class ServerBinding : public std::enable_shared_from_this<ServerBinding> {
 public:
  ServerBinding(Napi::Env env, Napi::Function on_completions);

  // Any thread. The binding must be `adopted` on the JS thread afterwards, or `abandoned` where this threw.
  void start(const ServerSettings& settings);
  // From then on the end of the environment or of the process stops the server.
  void adopt();
  void abandon();

  Server& server() { return *server_; }
  // Keeps `buffers` from the garbage collector until both callbacks of the request came.
  std::uint32_t submit(std::unique_ptr<Inference> inference, const RequestSpec& spec, Napi::Array buffers);

  // Listens for peers of the data plane; a server has one at most. Throws ShmFailure.
  void open_data_plane(const std::string& socket_path, bool pins);
  DataPlane* data_plane() { return data_plane_.get(); }

  // Any thread but the JS thread, which must go on delivering.
  std::string stop();
  // JS thread, after stop.
  void retire();

 private:
  static void deliver(napi_env env, napi_value callback, void* context, void* data);
  static void on_environment_end(void* self);
  static void on_process_exit(int status, void*);
  Napi::Array to_js(Napi::Env env, std::vector<std::unique_ptr<Inference>>& done);
  void stop_without_javascript();
  void keep_if_used() const;

  Napi::Env env_;
  CompletionChannel channel_;
  std::shared_ptr<Server> server_;
  std::unique_ptr<DataPlane> data_plane_;
  std::shared_ptr<ServerBinding> alive_;
  std::unordered_map<std::uint32_t, Napi::Reference<Napi::Array>> buffers_;
};

}  // namespace roundhouse
