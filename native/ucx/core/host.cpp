#include "host.hpp"

#include <cstring>

#include "failure.hpp"
#include "host_records.hpp"

namespace roundhouse::ucx {
namespace {

constexpr unsigned kMessages = 1;
constexpr std::size_t kMostGreetingBytes = 256;
// Connection requests that the owner hasn't answered, of all peers.
constexpr std::size_t kMostRequests = 64;
// Messages of a connection that wait for `receive` or `drop`.
constexpr std::size_t kMostWaiting = 4'096;
// Of messages of a connection that the owner hasn't taken.
constexpr std::size_t kMostUntakenBytes = std::size_t{64} << 20;
constexpr std::size_t kEventBytes = 256;

bool is_key(const Key& key, const void* bytes) {
  const auto* other = static_cast<const unsigned char*>(bytes);
  unsigned char difference = 0;
  for (std::size_t i = 0; i < kKeyBytes; ++i) difference |= other[i] ^ static_cast<unsigned char>(key[i]);
  return difference == 0;
}

}  // namespace

std::uint64_t Host::connect(const SocketAddress& to) {
  const std::uint64_t id = ++last_id_;
  post([this, id, to] {
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR;
    params.flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER;
    params.sockaddr = {to.get(), to.length};
    open(id, params);
  });
  return id;
}

std::uint64_t Host::accept(std::uint64_t request) {
  const std::uint64_t id = ++last_id_;
  post([this, id, request] {
    const auto found = requests_.find(request);
    if (found == requests_.end()) return;
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_CONN_REQUEST;
    params.conn_request = found->second;
    requests_.erase(found);
    open(id, params);
  });
  return id;
}

void Host::refuse(std::uint64_t request) {
  post([this, request] {
    const auto found = requests_.find(request);
    if (found == requests_.end()) return;
    api_.listener_reject(listener_, found->second);
    requests_.erase(found);
  });
}

void Host::set_key(std::uint64_t id, const Key& key) {
  post([this, id, key] {
    if (Connection* connection = find(id)) connection->key = key;
  });
}

std::uint64_t Host::send(std::uint64_t connection, Bytes header, std::vector<Part> parts) {
  auto* operation = new Operation{this, EventKind::sent, ++last_id_, connection, std::move(header), {}};
  for (const Part& part : parts) {
    if (part.size > 0) operation->parts.push_back({const_cast<std::byte*>(part.data), part.size});
  }
  const std::uint64_t id = operation->id;
  post([this, operation] { start(operation); });
  return id;
}

void Host::receive(std::uint64_t message, std::byte* into, std::size_t size) {
  post([this, message, into, size] { start_receive(message, into, size); });
}

void Host::drop(std::uint64_t message) {
  post([this, message] { release(message); });
}

void Host::close(std::uint64_t id) {
  post([this, id] {
    if (Connection* connection = find(id)) end(*connection);
  });
}

Host::Connection* Host::find(std::uint64_t id) {
  const auto found = connections_.find(id);
  return found == connections_.end() || found->second->ending ? nullptr : found->second.get();
}

void Host::open(std::uint64_t id, ucp_ep_params_t& params) {
  auto connection = std::make_unique<Connection>(Connection{.host = this, .id = id, .key = {}, .fault = "", .messages = {}});
  params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler = {endpoint_failed, connection.get()};
  const ucs_status_t status = stopping_ ? UCS_ERR_CANCELED
                                        : api_.ep_create(context_->worker(), &params, &connection->endpoint);
  if (status != UCS_OK) {
    return events_.push({.kind = EventKind::closed, .id = id, .text = api_.text_of(status), .header = {}, .data = {}});
  }
  by_endpoint_[connection->endpoint] = connection.get();
  connections_.emplace(id, std::move(connection));
}

// Also from inside of `send`: UCX calls back whenever it likes.
void Host::endpoint_failed(void* argument, ucp_ep_h, ucs_status_t status) {
  auto* connection = static_cast<Connection*>(argument);
  connection->fault = connection->host->api_.text_of(status);
  connection->host->failed_.push_back(connection->id);
}

void Host::fail(Connection& connection, const std::string& reason) {
  events_.push({.kind = EventKind::closed, .id = connection.id, .text = reason, .header = {}, .data = {}});
  end(connection);
}

void Host::end(Connection& connection) {
  if (connection.ending) return;
  connection.ending = true;
  for (const std::uint64_t message : std::unordered_set<std::uint64_t>(connection.messages)) release(message);
  by_endpoint_.erase(connection.endpoint);
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.flags = UCP_EP_CLOSE_FLAG_FORCE;
  param.cb.send = close_ended;
  param.user_data = &connection;
  const ucs_status_ptr_t result = api_.ep_close_nbx(connection.endpoint, &param);
  if (!UCS_PTR_IS_PTR(result)) connections_.erase(connection.id);
}

void Host::close_ended(void* request, ucs_status_t, void* argument) {
  auto* connection = static_cast<Connection*>(argument);
  Host* host = connection->host;
  host->connections_.erase(connection->id);
  host->api_.request_free(request);
}

void Host::start(Operation* operation) {
  ++operations_;
  Connection* connection = find(operation->connection);
  if (connection == nullptr) return finish(operation, UCS_ERR_NOT_CONNECTED);
  std::size_t bytes = 0;
  for (const ucp_dt_iov_t& part : operation->parts) bytes += part.length;
  const bool is_list = operation->parts.size() > 1;
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS |
                       UCP_OP_ATTR_FIELD_MEMORY_TYPE | UCP_OP_ATTR_FIELD_DATATYPE;
  param.flags = UCP_AM_SEND_FLAG_REPLY |
                static_cast<std::uint32_t>(bytes > settings_.eager_bytes ? UCP_AM_SEND_FLAG_RNDV : UCP_AM_SEND_FLAG_EAGER);
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  param.datatype = is_list ? static_cast<ucp_datatype_t>(UCP_DATATYPE_IOV) : ucp_dt_make_contig(1);
  param.cb.send = operation_ended;
  param.user_data = operation;
  const void* data = operation->parts.empty() ? nullptr : is_list ? operation->parts.data() : operation->parts[0].buffer;
  settle(operation, api_.am_send_nbx(connection->endpoint, kMessages, operation->header.data(), operation->header.size(),
                                     data, is_list ? operation->parts.size() : bytes, &param));
}

void Host::start_receive(std::uint64_t id, std::byte* into, std::size_t size) {
  const auto found = messages_.find(id);
  auto* operation = new Operation{this, EventKind::received, id, 0, {}, {}};
  ++operations_;
  if (found == messages_.end()) return finish(operation, UCS_ERR_CANCELED);
  if (found->second.size != size) {
    release(id);
    return finish(operation, UCS_ERR_MESSAGE_TRUNCATED);
  }
  const Message message = found->second;
  messages_.erase(found);
  if (Connection* connection = find(message.connection)) connection->messages.erase(id);
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  param.cb.recv_am = receive_ended;
  param.user_data = operation;
  settle(operation, api_.am_recv_data_nbx(context_->worker(), message.data, into, size, &param));
}

// What UCX did at once has no callback.
void Host::settle(Operation* operation, ucs_status_ptr_t result) {
  if (!UCS_PTR_IS_PTR(result)) finish(operation, UCS_PTR_STATUS(result));
}

void Host::operation_ended(void* request, ucs_status_t status, void* argument) {
  auto* operation = static_cast<Operation*>(argument);
  Host* host = operation->host;
  host->finish(operation, status);
  host->api_.request_free(request);
}

void Host::receive_ended(void* request, ucs_status_t status, std::size_t, void* operation) {
  operation_ended(request, status, operation);
}

void Host::finish(Operation* operation, ucs_status_t status) {
  const std::unique_ptr<Operation> owned(operation);
  --operations_;
  events_.push({.kind = operation->kind,
                .id = operation->id,
                .text = status == UCS_OK ? "" : api_.text_of(status),
                .header = {},
                .data = {}});
}

void Host::release(std::uint64_t id) {
  const auto found = messages_.find(id);
  if (found == messages_.end()) return;
  const Message message = found->second;
  messages_.erase(found);
  const auto connection = connections_.find(message.connection);
  if (connection != connections_.end()) connection->second->messages.erase(id);
  api_.am_data_release(context_->worker(), message.data);
}

// nullptr for a message that may pass.
const char* Host::fault_of(Connection& connection, const void* header, std::size_t header_bytes,
                           std::size_t bytes) const {
  if (header_bytes > kMostHeaderBytes) return "a header longer than any";
  if (connection.takes != events_.takes()) connection.untaken_bytes = 0;
  connection.takes = events_.takes();
  connection.untaken_bytes += kEventBytes + header_bytes + (bytes > settings_.inline_bytes ? 0 : bytes);
  const bool floods = connection.messages.size() >= kMostWaiting || connection.untaken_bytes > kMostUntakenBytes;
  if (floods) return "more messages than anybody reads";
  if (connection.key) {
    const bool knows = header_bytes >= kKeyBytes && is_key(*connection.key, header);
    return knows ? nullptr : "a message without the key of its connection";
  }
  if (connection.greeted || bytes > 0 || header_bytes > kMostGreetingBytes) return "more than a greeting before it is known";
  connection.greeted = true;
  return nullptr;
}

ucs_status_t Host::on_message(const void* header, std::size_t header_bytes, void* data, std::size_t bytes,
                              const ucp_am_recv_param_t& param) {
  const bool has_endpoint = (param.recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP) != 0;
  const auto found = has_endpoint ? by_endpoint_.find(param.reply_ep) : by_endpoint_.end();
  if (found == by_endpoint_.end() || found->second->ending) return UCS_OK;
  Connection& connection = *found->second;
  if (const char* fault = fault_of(connection, header, header_bytes, bytes)) {
    if (connection.fault.empty()) failed_.push_back(connection.id);
    connection.fault = fault;
    return UCS_OK;
  }
  const auto* first = static_cast<const std::byte*>(header);
  Event event{.kind = EventKind::message,
              .id = ++last_id_,
              .connection = connection.id,
              .bytes = bytes,
              .text = "",
              .header = Bytes(first, first + header_bytes),
              .data = {}};
  const bool is_rendezvous = (param.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
  const bool stays = is_rendezvous || (param.recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA) != 0;
  event.waits = bytes > 0 && (is_rendezvous || (stays && bytes > settings_.inline_bytes));
  if (event.waits) {
    messages_.emplace(event.id, Message{connection.id, data, bytes});
    connection.messages.insert(event.id);
  } else if (bytes > 0) {
    const auto* from = static_cast<const std::byte*>(data);
    event.data.assign(from, from + bytes);
  }
  const bool keeps = event.waits;
  events_.push(std::move(event));
  return keeps ? UCS_INPROGRESS : UCS_OK;
}

void Host::on_request(ucp_conn_request_h request) {
  ucp_conn_request_attr_t attributes{};
  attributes.field_mask = UCP_CONN_REQUEST_ATTR_FIELD_CLIENT_ADDR;
  const bool is_known = api_.conn_request_query(request, &attributes) == UCS_OK;
  if (!is_known || requests_.size() >= kMostRequests || stopping_) {
    api_.listener_reject(listener_, request);
    return;
  }
  const std::uint64_t id = ++last_id_;
  requests_.emplace(id, request);
  events_.push({.kind = EventKind::request,
                .id = id,
                .text = host_of(attributes.client_address),
                .header = {},
                .data = {}});
}

}  // namespace roundhouse::ucx
