// The functions of libucp that are used, found in a library that is opened at run time: nothing is linked, so that
// the addon loads where there is no UCX.
#pragma once

#include <ucp/api/ucp.h>

#include <string>

namespace roundhouse::ucx {

struct UcpApi {
  // Opens it once for the process and never closes it. Throws LOAD_FAILED.
  static const UcpApi& open(const std::string& path);

  std::string version_text() const;
  std::string text_of(ucs_status_t status) const { return status_string(status); }
  // As far as both the headers and the library go.
  unsigned minor_version() const;

  decltype(&::ucp_get_version) get_version;
  decltype(&::ucp_config_read) config_read;
  decltype(&::ucp_config_modify) config_modify;
  decltype(&::ucp_config_release) config_release;
  decltype(&::ucp_init_version) init_version;
  decltype(&::ucp_cleanup) cleanup;
  decltype(&::ucp_context_print_info) context_print_info;
  decltype(&::ucp_worker_create) worker_create;
  decltype(&::ucp_worker_destroy) worker_destroy;
  decltype(&::ucp_worker_query) worker_query;
  decltype(&::ucp_worker_get_efd) worker_get_efd;
  decltype(&::ucp_worker_arm) worker_arm;
  decltype(&::ucp_worker_progress) worker_progress;
  decltype(&::ucp_worker_set_am_recv_handler) worker_set_am_recv_handler;
  decltype(&::ucp_listener_create) listener_create;
  decltype(&::ucp_listener_destroy) listener_destroy;
  decltype(&::ucp_listener_query) listener_query;
  decltype(&::ucp_listener_reject) listener_reject;
  decltype(&::ucp_conn_request_query) conn_request_query;
  decltype(&::ucp_ep_create) ep_create;
  decltype(&::ucp_ep_close_nbx) ep_close_nbx;
  decltype(&::ucp_am_send_nbx) am_send_nbx;
  decltype(&::ucp_am_recv_data_nbx) am_recv_data_nbx;
  decltype(&::ucp_am_data_release) am_data_release;
  decltype(&::ucp_request_free) request_free;
  decltype(&::ucs_status_string) status_string;
};

}  // namespace roundhouse::ucx
