#include "addresses.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

#include "failure.hpp"

namespace roundhouse::ucx {

SocketAddress address_of(const std::string& host, std::uint16_t port) {
  SocketAddress address;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    address.length = sizeof v4;
    std::memcpy(&address.storage, &v4, sizeof v4);
  } else if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    address.length = sizeof v6;
    std::memcpy(&address.storage, &v6, sizeof v6);
  } else {
    throw UcxFailure("INVALID_ARG", "no numeric address: " + host);
  }
  return address;
}

std::string host_of(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  const void* from = address.ss_family == AF_INET    ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(address).sin_addr)
                     : address.ss_family == AF_INET6 ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr)
                                                     : nullptr;
  if (from == nullptr || inet_ntop(address.ss_family, from, text, sizeof text) == nullptr) return "";
  return text;
}

std::uint16_t port_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return 0;
}

}  // namespace roundhouse::ucx
