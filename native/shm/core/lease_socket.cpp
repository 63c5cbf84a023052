#include "lease_socket.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "failure.hpp"

namespace roundhouse::shm {
namespace {

constexpr std::uint64_t kOffer = 0x32306d68732d6872ULL;
constexpr std::size_t kFds = 3;

[[noreturn]] void fail(const char* what) {
  throw ShmFailure("SOCKET_FAILED", std::string(what) + ": " + std::strerror(errno));
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    throw ShmFailure("SOCKET_FAILED", "the path of a socket has 1 to 107 bytes");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

OwnedFd new_socket() {
  OwnedFd fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) fail("socket");
  return fd;
}

void check_same_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) fail("SO_PEERCRED");
  if (peer.uid != geteuid()) throw ShmFailure("PEER_INVALID", "the peer is another user");
}

// Whatever descriptors came with a message, owned at once.
struct Received {
  OwnedFd fds[kFds];
  std::size_t count = 0;
  bool more = false;
};

Received take_fds(msghdr& message) {
  Received received;
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr; control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(control) + i * sizeof(int), sizeof fd);
      OwnedFd owned(fd);
      if (received.count < kFds) received.fds[received.count++] = std::move(owned);
      else received.more = true;
    }
  }
  return received;
}

// One that is always ready, as a file is, would keep us awake.
void check_event(const OwnedFd& fd) {
  char kind[64] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(fd.get());
  if (readlink(link.c_str(), kind, sizeof kind - 1) < 0) fail("readlink");
  if (std::string(kind) != "anon_inode:[eventfd]") throw ShmFailure("PEER_INVALID", "a descriptor is no eventfd");
}

// A descriptor of a peer must not make us wait.
void unblock(const OwnedFd& fd) {
  check_event(fd);
  const int flags = fcntl(fd.get(), F_GETFL);
  if (flags < 0 || fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0) fail("F_SETFL");
}

}  // namespace

OwnedFd make_event() {
  OwnedFd fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!fd) fail("eventfd");
  return fd;
}

OwnedFd listen_on(const std::string& path) {
  OwnedFd fd = new_socket();
  const sockaddr_un address = address_of(path);
  const mode_t before = umask(0177);
  const int bound = bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  umask(before);
  if (bound != 0) fail("bind");
  if (listen(fd.get(), 16) != 0) fail("listen");
  return fd;
}

OwnedFd connect_to(const std::string& path) {
  OwnedFd fd = new_socket();
  const sockaddr_un address = address_of(path);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("connect");
  check_same_user(fd.get());
  return fd;
}

OwnedFd accept_from(int listener) {
  OwnedFd fd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
    throw ShmFailure("NO_DESCRIPTOR", std::strerror(errno));
  }
  if (fd) check_same_user(fd.get());
  return fd;
}

void send_offer(int socket, int segment, int request_event, int answer_event) {
  const int fds[kFds] = {segment, request_event, answer_event};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fds)] = {};
  std::uint64_t offer = kOffer;
  iovec part{&offer, sizeof offer};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof fds);
  std::memcpy(CMSG_DATA(rights), fds, sizeof fds);
  if (sendmsg(socket, &message, MSG_NOSIGNAL) != sizeof offer) fail("sendmsg");
}

bool receive_offer(int socket, SessionFds& fds) {
  std::uint64_t offer = 0;
  alignas(cmsghdr) char control[CMSG_SPACE(16 * sizeof(int))] = {};
  iovec part{&offer, sizeof offer};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  Received received = take_fds(message);
  if (size != sizeof offer || offer != kOffer) throw ShmFailure("PEER_INVALID", "no offer of this version");
  if (received.count != kFds || received.more) throw ShmFailure("PEER_INVALID", "an offer has three descriptors");
  fds = {std::move(received.fds[0]), std::move(received.fds[1]), std::move(received.fds[2])};
  unblock(fds.request_event);
  unblock(fds.answer_event);
  return true;
}

void send_reply(int socket, const std::string& refusal) {
  const std::string text = refusal.empty() ? "taken" : "refused: " + refusal;
  (void)send(socket, text.data(), text.size(), MSG_NOSIGNAL);
}

bool receive_reply(int socket) {
  char text[512];
  const ssize_t size = recv(socket, text, sizeof text, 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (size <= 0) throw ShmFailure("PEER_INVALID", "the engine hung up");
  const std::string reply(text, static_cast<std::size_t>(size));
  if (reply != "taken") throw ShmFailure("PEER_INVALID", reply);
  return true;
}

}  // namespace roundhouse::shm
