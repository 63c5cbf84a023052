#include "ucp_api.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "failure.hpp"

namespace roundhouse::ucx {
namespace {

// Read once, while the library is loaded: it is to leave the signals and the memory functions of Node alone, and to
// say nothing. Segments of TCP as long as a receiver takes by default: at a megabyte that halves the time. What a user
// has set stays.
constexpr const char* kEnvironment[][2] = {
    {"UCX_HANDLE_ERRORS", "none"}, {"UCX_DEBUG_SIGNO", "0"},          {"UCX_MEM_EVENTS", "n"},
    {"UCX_VFS_ENABLE", "n"},       {"UCX_WARN_UNUSED_ENV_VARS", "n"}, {"UCX_LOG_LEVEL", "fatal"},
    {"UCX_TCP_TX_SEG_SIZE", "64k"},
};

template <typename Function>
void find(void* library, const std::string& path, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw UcxFailure("LOAD_FAILED", path + " has no " + name);
}

std::unique_ptr<UcpApi> load(const std::string& path) {
  for (const auto& [name, value] : kEnvironment) setenv(name, value, 0);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) throw UcxFailure("LOAD_FAILED", dlerror());
  auto api = std::make_unique<UcpApi>();
  find(library, path, "ucp_get_version", api->get_version);
  find(library, path, "ucp_config_read", api->config_read);
  find(library, path, "ucp_config_modify", api->config_modify);
  find(library, path, "ucp_config_release", api->config_release);
  find(library, path, "ucp_init_version", api->init_version);
  find(library, path, "ucp_cleanup", api->cleanup);
  find(library, path, "ucp_context_print_info", api->context_print_info);
  find(library, path, "ucp_worker_create", api->worker_create);
  find(library, path, "ucp_worker_destroy", api->worker_destroy);
  find(library, path, "ucp_worker_query", api->worker_query);
  find(library, path, "ucp_worker_get_efd", api->worker_get_efd);
  find(library, path, "ucp_worker_arm", api->worker_arm);
  find(library, path, "ucp_worker_progress", api->worker_progress);
  find(library, path, "ucp_worker_set_am_recv_handler", api->worker_set_am_recv_handler);
  find(library, path, "ucp_listener_create", api->listener_create);
  find(library, path, "ucp_listener_destroy", api->listener_destroy);
  find(library, path, "ucp_listener_query", api->listener_query);
  find(library, path, "ucp_listener_reject", api->listener_reject);
  find(library, path, "ucp_conn_request_query", api->conn_request_query);
  find(library, path, "ucp_ep_create", api->ep_create);
  find(library, path, "ucp_ep_close_nbx", api->ep_close_nbx);
  find(library, path, "ucp_am_send_nbx", api->am_send_nbx);
  find(library, path, "ucp_am_recv_data_nbx", api->am_recv_data_nbx);
  find(library, path, "ucp_am_data_release", api->am_data_release);
  find(library, path, "ucp_request_free", api->request_free);
  find(library, path, "ucs_status_string", api->status_string);
  return api;
}

}  // namespace

const UcpApi& UcpApi::open(const std::string& path) {
  static std::mutex mutex;
  static std::string opened;
  static std::unique_ptr<UcpApi> api;
  const std::lock_guard lock(mutex);
  if (api && opened != path) throw UcxFailure("LOAD_FAILED", "another UCX is open already: " + opened);
  if (!api) api = load(path);
  opened = path;
  return *api;
}

std::string UcpApi::version_text() const {
  unsigned major = 0, minor = 0, release = 0;
  get_version(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

unsigned UcpApi::minor_version() const {
  unsigned major = 0, minor = 0, release = 0;
  get_version(&major, &minor, &release);
  if (major != UCP_API_MAJOR) throw UcxFailure("LOAD_FAILED", "UCX " + version_text() + " has another interface");
  return std::min<unsigned>(minor, UCP_API_MINOR);
}

}  // namespace roundhouse::ucx
