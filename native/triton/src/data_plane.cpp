#include "data_plane.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "failure.hpp"

namespace roundhouse {
namespace {

using shm::ShmFailure;

// What an event is about: the socket of a peer, its requests, or one of ours.
constexpr std::uint64_t kRequests = 1ULL << 32;
constexpr std::uint64_t kListener = 2ULL << 32;
constexpr std::uint64_t kPoke = 3ULL << 32;
constexpr std::uint64_t kKind = 3ULL << 32;
constexpr std::size_t kMostPeers = 64;
constexpr auto kMostSpin = std::chrono::microseconds(100);
// Frames that a peer may have read before the others, the listener and the deadlines have their turn.
constexpr int kMostInTurn = 64;
constexpr auto kOfferTimeout = std::chrono::seconds(2);
constexpr auto kAcceptRest = std::chrono::milliseconds(100);

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

DataPlane::DataPlane(std::shared_ptr<Server> server, std::string socket_path, bool pins)
    : server_(std::move(server)),
      socket_path_(std::move(socket_path)),
      pins_(pins),
      poke_(std::make_shared<shm::OwnedFd>(shm::make_event())),
      listener_(shm::listen_on(socket_path_)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  watch(listener_.get(), kListener);
  watch(poke_->get(), kPoke);
  thread_ = std::thread([this] { serve(); });
}

void DataPlane::watch(int fd, std::uint64_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) throw ShmFailure("SOCKET_FAILED", "epoll_ctl");
}

void DataPlane::serve() {
  block_signals();
  pthread_setname_np(pthread_self(), "data-plane");
  while (!closing_) serve_once();
  while (!peers_.empty()) end(peers_.begin());
}

int DataPlane::wait_ms() {
  int wait = rests_accepting() ? static_cast<int>(kAcceptRest.count()) : -1;
  for (const auto& [socket, peer] : peers_) {
    if (peer.has_more) return 0;
    const int next = peer.session ? peer.session->next_wait_ms() : static_cast<int>(kAcceptRest.count());
    if (next >= 0) wait = wait < 0 ? next : std::min(wait, next);
  }
  return wait;
}

void DataPlane::serve_once() {
  epoll_event events[16];
  const int count = epoll_wait(epoll_.get(), events, 16, wait_ms());
  for (int i = 0; i < count; ++i) {
    const std::uint64_t tag = events[i].data.u64;
    const int socket = static_cast<int>(tag & 0xffffffff);
    if (tag == kListener) accept_peer();
    else if (tag == kPoke) (void)!::read(poke_->get(), &events[i].data, sizeof(std::uint64_t));
    else if ((tag & kKind) == kRequests) on_requests(socket);
    else if (const auto peer = peers_.find(socket); peer != peers_.end()) on_socket(peer);
  }
  for (auto next = peers_.begin(); next != peers_.end();) look_after((next++)->first);
  if (rests_accepting() && std::chrono::steady_clock::now() >= accept_again_) {
    accept_again_ = {};
    watch(listener_.get(), kListener);
  }
}

// What no event says.
void DataPlane::look_after(int socket) {
  guard(socket, [this](Peer& peer) {
    if (!peer.session) {
      const bool late = std::chrono::steady_clock::now() - peer.since > kOfferTimeout;
      if (late) throw ShmFailure("PEER_INVALID", "no offer came");
      return;
    }
    if (peer.session->is_broken()) throw ShmFailure("PEER_INVALID", "answers were not read or can't be written");
    if (peer.has_more) peer.has_more = !read_in_turn(*peer.session);
    peer.session->flush();
    peer.session->expire();
  });
}

void DataPlane::accept_peer() {
  try {
    shm::OwnedFd socket = shm::accept_from(listener_.get());
    if (!socket || peers_.size() >= kMostPeers) return;
    const int fd = socket.get();
    watch(fd, static_cast<std::uint64_t>(fd));
    peers_.emplace(fd, Peer{std::move(socket), std::chrono::steady_clock::now(), nullptr});
  } catch (const ShmFailure& failure) {
    if (failure.code == "NO_DESCRIPTOR") return accept_again_later();
    counts_->broken_sessions.fetch_add(1);
  }
}

// A listener whose peers can't be accepted stays ready: it would keep us awake.
void DataPlane::accept_again_later() {
  accept_again_ = std::chrono::steady_clock::now() + kAcceptRest;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener_.get(), nullptr);
}

// The first message is the offer; after it the socket is only the lease.
void DataPlane::on_socket(Peers::iterator peer) {
  if (peer->second.session) return end(peer);
  guard(peer->first, [this](Peer& fresh) {
    shm::SessionFds fds;
    if (shm::receive_offer(fresh.socket.get(), fds)) take_offer(fresh, std::move(fds));
  });
}

void DataPlane::take_offer(Peer& peer, shm::SessionFds fds) {
  const auto poke = [fd = poke_] {
    const std::uint64_t one = 1;
    (void)!::write(fd->get(), &one, sizeof one);
  };
  auto session = std::make_shared<EngineSession>(std::move(fds), SessionLinks{server_, counts_, poke, pins_});
  watch(session->request_event(), kRequests | static_cast<std::uint64_t>(peer.socket.get()));
  peer.session = std::move(session);
  session_count_.fetch_add(1);
  shm::send_reply(peer.socket.get(), "");
  on_requests(peer.socket.get());
}

void DataPlane::on_requests(int socket) {
  guard(socket, [this](Peer& peer) {
    if (!peer.session) return;
    peer.session->wake_up();
    peer.has_more = !read_in_turn(*peer.session);
  });
}

// Until there is no request, and an event will announce the next one: true. False: its turn is over.
bool DataPlane::read_in_turn(EngineSession& session) {
  int left = kMostInTurn;
  do {
    do {
      last_gap_ = std::chrono::steady_clock::now() - last_request_;
      left -= std::max(1, session.read_requests(left));
      last_request_ = std::chrono::steady_clock::now();
      if (left == 0) return false;
    } while (spin_until_request(session));
  } while (!session.fall_asleep());
  return true;
}

// A caller that waits for each answer sends its next request within microseconds: to sleep and be woken would cost
// more than the rest of a small request. So it waits awake, but only where the last request came that soon.
bool DataPlane::spin_until_request(const EngineSession& session) {
  if (last_gap_ > kMostSpin || session_count_ != 1) return false;
  const auto end = last_request_ + kMostSpin;
  do {
    if (session.has_request()) return true;
    sched_yield();
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// A peer that breaks the protocol loses its session, nobody else notices.
void DataPlane::guard(int socket, const std::function<void(Peer&)>& work) {
  const auto peer = peers_.find(socket);
  if (peer == peers_.end()) return;
  try {
    work(peer->second);
  } catch (const std::exception& error) {
    counts_->broken_sessions.fetch_add(1);
    shm::send_reply(socket, error.what());
    // The work may have ended it already.
    if (const auto still = peers_.find(socket); still != peers_.end()) end(still);
  }
}

void DataPlane::end(Peers::iterator peer) {
  if (peer->second.session) {
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, peer->second.session->request_event(), nullptr);
    peer->second.session->end();
    session_count_.fetch_sub(1);
  }
  peers_.erase(peer);
}

void DataPlane::close() {
  if (closing_.exchange(true)) return;
  const std::uint64_t one = 1;
  (void)!::write(poke_->get(), &one, sizeof one);
  thread_.join();
  (void)::unlink(socket_path_.c_str());
  listener_.reset();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (counts_->in_core.load() > 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace roundhouse
