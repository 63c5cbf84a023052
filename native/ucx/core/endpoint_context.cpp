#include "endpoint_context.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <regex>
#include <sstream>

#include "failure.hpp"

namespace roundhouse::ucx {
namespace {

struct Config {
  explicit Config(const UcpApi& ucp) : api(ucp) {
    if (api.config_read(nullptr, nullptr, &config) != UCS_OK) {
      throw UcxFailure("SETTINGS_INVALID", "the settings of UCX (UCX_…) can't be read");
    }
  }
  ~Config() { api.config_release(config); }
  void set(const char* name, const std::string& value) {
    if (value.empty()) return;
    const ucs_status_t status = api.config_modify(config, name, value.c_str());
    if (status == UCS_OK) return;
    throw UcxFailure("SETTINGS_INVALID", std::string(name) + "=" + value + ": " + api.text_of(status));
  }
  const UcpApi& api;
  ucp_config_t* config = nullptr;
};

}  // namespace

EndpointContext::EndpointContext(const ContextSettings& settings) : api_(UcpApi::open(settings.library)) {
  try {
    create_context(settings);
    create_worker();
    read_transports();
  } catch (...) {
    release();
    throw;
  }
}

EndpointContext::~EndpointContext() { release(); }

void EndpointContext::release() {
  if (worker_ != nullptr) api_.worker_destroy(worker_);
  if (context_ != nullptr) api_.cleanup(context_);
  worker_ = nullptr;
  context_ = nullptr;
}

void EndpointContext::create_context(const ContextSettings& settings) {
  Config config(api_);
  config.set("TLS", settings.transports);
  config.set("NET_DEVICES", settings.devices);
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  const ucs_status_t status = api_.init_version(1, api_.minor_version(), &params, config.config, &context_);
  if (status != UCS_OK) throw UcxFailure("UNAVAILABLE", "no context of UCX: " + api_.text_of(status));
}

void EndpointContext::create_worker() {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  ucs_status_t status = api_.worker_create(context_, &params, &worker_);
  if (status != UCS_OK) throw UcxFailure("UNAVAILABLE", "no worker of UCX: " + api_.text_of(status));
  status = api_.worker_get_efd(worker_, &event_fd_);
  if (status != UCS_OK) throw UcxFailure("UNAVAILABLE", "no events of UCX: " + api_.text_of(status));
  ucp_worker_attr_t attributes{};
  attributes.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  status = api_.worker_query(worker_, &attributes);
  if (status != UCS_OK) throw UcxFailure("UNAVAILABLE", "no active messages: " + api_.text_of(status));
  most_header_bytes_ = std::min<std::uint64_t>(attributes.max_am_header, kMostHeaderBytes);
}

// The only list that there is, is meant for people: "# resource 2 : md 1 dev 2 flags -- tcp/eth0".
void EndpointContext::read_transports() {
  char* text = nullptr;
  std::size_t bytes = 0;
  FILE* stream = open_memstream(&text, &bytes);
  if (stream == nullptr) return;
  api_.context_print_info(context_, stream);
  std::fclose(stream);
  const std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
  std::istringstream lines(std::string(text, bytes));
  const std::regex resource(R"(^#\s+resource\s+\d+\s*:.*\s([a-z0-9_]+/\S+)\s*$)");
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, resource)) transports_.push_back(found[1]);
  }
}

}  // namespace roundhouse::ucx
