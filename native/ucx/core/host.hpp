// Both ends of the remote data plane: connections to peers and from them, over one worker of UCX with a thread that
// makes progress. Functions are called by one thread, the owner's; what comes of them are events.
//
// A message is a header and data. Its header begins with the key of its connection: whoever doesn't know it can't
// speak on the connection, whatever it writes into UCX's own frames. Before the owner has set a key, a connection
// carries one message without data: the peer's greeting, or nothing.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "addresses.hpp"
#include "endpoint_context.hpp"
#include "events.hpp"

namespace roundhouse::ucx {

constexpr std::size_t kKeyBytes = 16;
using Key = std::array<std::byte, kKeyBytes>;

struct HostSettings {
  ContextSettings context;
  // Where peers connect to; none: it only connects to others.
  std::optional<SocketAddress> listen;
  // Data up to this size come with their event.
  std::uint64_t inline_bytes = 0;
  // Data above this size are sent by rendezvous: they travel when the receiver has said where to.
  std::uint64_t eager_bytes = 0;
  // How long the thread waits awake after the last thing that happened.
  std::chrono::microseconds most_spin{0};
};

// Memory of the owner, which keeps it until the event of its operation.
struct Part {
  const std::byte* data;
  std::size_t size;
};

class Host {
 public:
  // `notify` is called on the progress thread.
  Host(const HostSettings& settings, std::function<void()> notify);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  const EndpointContext& context() const { return *context_; }
  // 0: it doesn't listen.
  std::uint16_t port() const { return port_; }

  // Their results are the connection's id.
  std::uint64_t connect(const SocketAddress& to);
  std::uint64_t accept(std::uint64_t request);
  void refuse(std::uint64_t request);
  void set_key(std::uint64_t connection, const Key& key);
  // Its id comes back with `sent`.
  std::uint64_t send(std::uint64_t connection, Bytes header, std::vector<Part> parts);
  // Its end is `received` with the message's id.
  void receive(std::uint64_t message, std::byte* into, std::size_t size);
  void drop(std::uint64_t message);
  // No event follows but those of its operations.
  void close(std::uint64_t connection);
  std::vector<Event> take_events() { return events_.take(); }
  // Ends every connection and the thread. Operations whose event didn't come are over, too.
  void stop();

 private:
  struct Connection;
  struct Operation;
  struct Message {
    std::uint64_t connection;
    void* data;
    std::size_t size;
  };
  using Command = std::function<void()>;

  void post(Command command);
  void listen(const SocketAddress& at);
  void run();
  bool run_commands();
  void sleep();
  void end_all();
  bool is_idle() const { return connections_.empty() && operations_ == 0; }

  void open(std::uint64_t id, ucp_ep_params_t& params);
  void start(Operation* operation);
  void start_receive(std::uint64_t message, std::byte* into, std::size_t size);
  void finish(Operation* operation, ucs_status_t status);
  void settle(Operation* operation, ucs_status_ptr_t result);
  void fail(Connection& connection, const std::string& reason);
  void end(Connection& connection);
  void release(std::uint64_t message);
  Connection* find(std::uint64_t id);
  ucs_status_t on_message(const void* header, std::size_t header_bytes, void* data, std::size_t bytes,
                          const ucp_am_recv_param_t& param);
  const char* fault_of(Connection& connection, const void* header, std::size_t header_bytes, std::size_t bytes) const;
  void on_request(ucp_conn_request_h request);

  static void operation_ended(void* request, ucs_status_t status, void* operation);
  static void receive_ended(void* request, ucs_status_t status, std::size_t, void* operation);
  static void close_ended(void* request, ucs_status_t, void* connection);
  static void endpoint_failed(void* connection, ucp_ep_h, ucs_status_t status);

  const HostSettings settings_;
  EventQueue events_;
  std::unique_ptr<EndpointContext> context_;
  const UcpApi& api_;
  int wake_fd_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> last_id_{0};

  std::mutex commands_mutex_;
  std::vector<Command> commands_;
  std::atomic<bool> has_commands_{false};
  std::atomic<bool> asleep_{false};
  std::thread thread_;

  // Of the progress thread.
  ucp_listener_h listener_ = nullptr;
  bool stopping_ = false;
  std::size_t operations_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::unordered_map<ucp_ep_h, Connection*> by_endpoint_;
  std::unordered_map<std::uint64_t, ucp_conn_request_h> requests_;
  std::unordered_map<std::uint64_t, Message> messages_;
  std::vector<std::uint64_t> failed_;
};

}  // namespace roundhouse::ucx
