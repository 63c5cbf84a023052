// The hot path into the core: a thread of its own that reads the rings of all peers, so that a request passes
// through no JavaScript. Answers are written by the threads of the core.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "engine_session.hpp"

namespace roundhouse {

class DataPlane {
 public:
  // Listens on a Unix socket. `pins`: the memory of sessions is locked for the GPUs. Throws ShmFailure.
  DataPlane(std::shared_ptr<Server> server, std::string socket_path, bool pins = false);
  ~DataPlane() { close(); }
  DataPlane(const DataPlane&) = delete;
  DataPlane& operator=(const DataPlane&) = delete;

  // Ends all sessions, cancels their requests and waits until the core has let go of them, 5 s at most.
  void close();
  const DataPlaneCounts& counts() const { return *counts_; }
  std::size_t sessions() const { return session_count_.load(); }

 private:
  struct Peer {
    shm::OwnedFd socket;
    std::chrono::steady_clock::time_point since{};
    std::shared_ptr<EngineSession> session;  // none before the offer came
    bool has_more = false;                   // its turn was over before its requests were
  };
  using Peers = std::map<int, Peer>;

  void serve();
  void serve_once();
  int wait_ms();
  void accept_peer();
  void on_socket(Peers::iterator peer);
  void on_requests(int socket);
  bool read_in_turn(EngineSession& session);
  bool rests_accepting() const { return accept_again_ != std::chrono::steady_clock::time_point(); }
  void accept_again_later();
  void look_after(int socket);
  bool spin_until_request(const EngineSession& session);
  void guard(int socket, const std::function<void(Peer&)>& work);
  void take_offer(Peer& peer, shm::SessionFds fds);
  void end(Peers::iterator peer);
  void watch(int fd, std::uint64_t tag);

  std::shared_ptr<Server> server_;
  std::string socket_path_;
  bool pins_;
  std::shared_ptr<DataPlaneCounts> counts_ = std::make_shared<DataPlaneCounts>();
  // Outlives this object in the hands of sessions.
  std::shared_ptr<shm::OwnedFd> poke_;
  shm::OwnedFd listener_;
  shm::OwnedFd epoll_;
  Peers peers_;
  // No descriptor was left for a peer; epoch: accepting.
  std::chrono::steady_clock::time_point accept_again_{};
  // When the last request had been handed over, and how long after it the next one came.
  std::chrono::steady_clock::time_point last_request_{};
  std::chrono::nanoseconds last_gap_{std::chrono::hours(1)};
  std::atomic<std::size_t> session_count_{0};
  std::atomic<bool> closing_{false};
  std::thread thread_;
};

}  // namespace roundhouse
