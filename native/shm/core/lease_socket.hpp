// The Unix socket (seqpacket) that hands a session's descriptors over. It stays open as the lease: when either
// process ends, however it ends, the other one sees it hang up.
#pragma once

#include <string>

#include "owned_fd.hpp"

namespace roundhouse::shm {

struct SessionFds {
  OwnedFd segment;
  OwnedFd request_event;
  OwnedFd answer_event;
};

// Mode 0600. Throws SOCKET_FAILED.
OwnedFd listen_on(const std::string& path);
OwnedFd connect_to(const std::string& path);
// An empty one where nobody waits. Refuses other users; NO_DESCRIPTOR where somebody waits that none is left for.
OwnedFd accept_from(int listener);

void send_offer(int socket, int segment, int request_event, int answer_event);
// False where nothing came yet. Throws PEER_INVALID for anything but one offer.
bool receive_offer(int socket, SessionFds& fds);
// Empty text: taken.
void send_reply(int socket, const std::string& refusal);
// False where nothing came yet. Throws PEER_INVALID with the peer's words, or where it hung up.
bool receive_reply(int socket);

OwnedFd make_event();

}  // namespace roundhouse::shm
