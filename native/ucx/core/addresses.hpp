// Numeric addresses of IP, version 4 and 6.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

namespace roundhouse::ucx {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// Throws INVALID_ARG for what is no numeric address.
SocketAddress address_of(const std::string& host, std::uint16_t port);

// Without the port; empty for one that is no address of IP.
std::string host_of(const sockaddr_storage& address);
std::uint16_t port_of(const sockaddr_storage& address);

}  // namespace roundhouse::ucx
