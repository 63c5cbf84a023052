// The progress thread: commands of the owner, progress of UCX, events, sleep.
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "failure.hpp"
#include "host_records.hpp"

namespace roundhouse::ucx {
namespace {

using Clock = std::chrono::steady_clock;

// A peer that is stopped may hold an endpoint's end back.
constexpr auto kMostStopping = std::chrono::milliseconds(500);
constexpr int kStoppingPollMs = 5;
constexpr unsigned kMessages = 1;

}  // namespace

Host::Host(const HostSettings& settings, std::function<void()> notify)
    : settings_(settings),
      events_(std::move(notify)),
      context_(std::make_unique<EndpointContext>(settings.context)),
      api_(context_->api()) {
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                       UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = kMessages;
  handler.flags = UCP_AM_FLAG_WHOLE_MSG | UCP_AM_FLAG_PERSISTENT_DATA;
  handler.cb = [](void* host, const void* header, std::size_t header_bytes, void* data, std::size_t bytes,
                  const ucp_am_recv_param_t* param) {
    return static_cast<Host*>(host)->on_message(header, header_bytes, data, bytes, *param);
  };
  handler.arg = this;
  const ucs_status_t status = api_.worker_set_am_recv_handler(context_->worker(), &handler);
  if (status != UCS_OK) throw UcxFailure("UNAVAILABLE", "no active messages: " + api_.text_of(status));
  if (settings_.listen) listen(*settings_.listen);
  wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_fd_ < 0) throw UcxFailure("UNAVAILABLE", "no eventfd");
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "rh-ucx");
}

Host::~Host() {
  stop();
  if (wake_fd_ >= 0) ::close(wake_fd_);
}

void Host::listen(const SocketAddress& at) {
  ucp_listener_params_t params{};
  params.field_mask = UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_CONN_HANDLER;
  params.sockaddr = {at.get(), at.length};
  params.conn_handler.cb = [](ucp_conn_request_h request, void* host) { static_cast<Host*>(host)->on_request(request); };
  params.conn_handler.arg = this;
  ucs_status_t status = api_.listener_create(context_->worker(), &params, &listener_);
  if (status == UCS_OK) {
    ucp_listener_attr_t attributes{};
    attributes.field_mask = UCP_LISTENER_ATTR_FIELD_SOCKADDR;
    status = api_.listener_query(listener_, &attributes);
    port_ = port_of(attributes.sockaddr);
  }
  if (status == UCS_OK) return;
  if (listener_ != nullptr) api_.listener_destroy(listener_);
  throw UcxFailure(status == UCS_ERR_BUSY ? "ADDRESS_IN_USE" : "UNAVAILABLE",
                   "UCX can't listen on " + host_of(at.storage) + ": " + api_.text_of(status));
}

void Host::post(Command command) {
  {
    const std::lock_guard lock(commands_mutex_);
    commands_.push_back(std::move(command));
    has_commands_.store(true);
  }
  const std::uint64_t one = 1;
  if (asleep_.load() && ::write(wake_fd_, &one, sizeof one) < 0) return;  // full: it is awake
}

bool Host::run_commands() {
  if (!has_commands_.load()) return false;
  std::vector<Command> commands;
  {
    const std::lock_guard lock(commands_mutex_);
    commands.swap(commands_);
    has_commands_.store(false);
  }
  for (const Command& command : commands) command();
  return true;
}

void Host::run() {
  auto last = Clock::now();
  auto give_up = Clock::time_point::max();
  for (;;) {
    bool worked = run_commands();
    worked |= api_.worker_progress(context_->worker()) > 0;
    for (const std::uint64_t id : std::exchange(failed_, {})) {
      if (Connection* connection = find(id)) fail(*connection, connection->fault);
    }
    events_.publish();
    if (stopping_ && give_up == Clock::time_point::max()) give_up = Clock::now() + kMostStopping;
    if (stopping_ && (is_idle() || Clock::now() > give_up)) break;
    if (worked) last = Clock::now();
    else if (Clock::now() - last < settings_.most_spin) sched_yield();
    else sleep();
  }
  context_.reset();
}

void Host::sleep() {
  asleep_.store(true);
  if (!has_commands_.load() && api_.worker_arm(context_->worker()) == UCS_OK) {
    pollfd descriptors[] = {{context_->event_fd(), POLLIN, 0}, {wake_fd_, POLLIN, 0}};
    poll(descriptors, 2, stopping_ ? kStoppingPollMs : -1);
    std::uint64_t count = 0;
    if (descriptors[1].revents != 0 && ::read(wake_fd_, &count, sizeof count) < 0) count = 0;
  }
  asleep_.store(false);
}

void Host::stop() {
  if (!thread_.joinable()) return;
  post([this] { end_all(); });
  thread_.join();
}

void Host::end_all() {
  stopping_ = true;
  for (const auto& [id, request] : requests_) api_.listener_reject(listener_, request);
  requests_.clear();
  if (listener_ != nullptr) api_.listener_destroy(listener_);
  listener_ = nullptr;
  std::vector<Connection*> open;
  for (const auto& [id, connection] : connections_) open.push_back(connection.get());
  for (Connection* connection : open) end(*connection);
}

}  // namespace roundhouse::ucx
