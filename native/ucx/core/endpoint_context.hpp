// A context of UCX and its one worker, which sends and receives active messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ucp_api.hpp"

namespace roundhouse::ucx {

// Of an active message; none of ours is longer, whatever the transport takes.
constexpr std::uint64_t kMostHeaderBytes = 8'192;

struct ContextSettings {
  std::string library;
  // As UCX_TLS and UCX_NET_DEVICES have them; empty: what the environment says.
  std::string transports;
  std::string devices;
};

// One thread at a time. Throws LOAD_FAILED, SETTINGS_INVALID, or UNAVAILABLE where no transport can be had.
class EndpointContext {
 public:
  explicit EndpointContext(const ContextSettings& settings);
  ~EndpointContext();
  EndpointContext(const EndpointContext&) = delete;
  EndpointContext& operator=(const EndpointContext&) = delete;

  const UcpApi& api() const { return api_; }
  ucp_worker_h worker() const { return worker_; }
  int event_fd() const { return event_fd_; }
  // Of the headers that may be sent.
  std::uint64_t most_header_bytes() const { return most_header_bytes_; }
  // "tcp/eth0", as UCX names them.
  const std::vector<std::string>& transports() const { return transports_; }

 private:
  void create_context(const ContextSettings& settings);
  void create_worker();
  void read_transports();
  void release();

  const UcpApi& api_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int event_fd_ = -1;
  std::uint64_t most_header_bytes_ = 0;
  std::vector<std::string> transports_;
};

}  // namespace roundhouse::ucx
