// What the progress thread keeps of connections and operations.
#pragma once

#include "host.hpp"

namespace roundhouse::ucx {

struct Host::Connection {
  Host* host;
  std::uint64_t id;
  ucp_ep_h endpoint = nullptr;
  std::optional<Key> key;
  bool greeted = false;
  // Forgotten as soon as UCX has let go of it.
  bool ending = false;
  std::string fault;
  std::unordered_set<std::uint64_t> messages;
  // Of its messages since events were taken last, at the `takes`th time.
  std::uint64_t takes = 0;
  std::size_t untaken_bytes = 0;
};

// A send or a receive; UCX has the header and the list of parts until its end.
struct Host::Operation {
  Host* host;
  EventKind kind;
  std::uint64_t id;
  std::uint64_t connection;
  Bytes header;
  std::vector<ucp_dt_iov_t> parts;
};

}  // namespace roundhouse::ucx
