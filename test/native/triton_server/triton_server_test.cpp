// The server of the addon on the real core: answers, refusals, cancellation, and a stop with work in flight.
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "check.hpp"
#include "failure_code.hpp"
#include "finish_and_exit.hpp"
#include "server.hpp"

namespace {

using namespace roundhouse;
using test::code_of;
namespace fs = std::filesystem;

constexpr const char* kConfig = R"(backend: "echo" max_batch_size: 8
input [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] allow_ragged_batch: true },
        { name: "control" data_type: TYPE_INT32 dims: [ 2 ] } ]
output [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "sum" data_type: TYPE_INT64 dims: [ 1 ] } ]
instance_group [ { kind: KIND_CPU count: 2 } ] dynamic_batching { })";

fs::path make_repository() {
  const fs::path folder = fs::temp_directory_path() / ("roundhouse-native-" + std::to_string(getpid()));
  fs::create_directories(folder / "echo" / "1");
  fs::create_directories(folder / "broken" / "1");
  std::ofstream(folder / "echo" / "config.pbtxt") << kConfig;
  std::ofstream(folder / "broken" / "config.pbtxt") << "backend: \"echo\"\nmax_batch_sise: 8\n";
  return folder;
}

std::shared_ptr<Server> start(const fs::path& repository) {
  ServerSettings settings;
  settings.core_library = TRITON_LIBRARY;
  settings.server_id = "test";
  settings.model_repository = repository.string();
  settings.backend_directory = BACKENDS;
  settings.repo_agent_directory = BACKENDS;
  settings.cache_directory = BACKENDS;
  return Server::start(settings, [] {});
}

// Keeps what a request reads until its completion was taken.
struct Payload {
  std::vector<std::int32_t> data;
  std::vector<std::int32_t> control;
};

std::uint32_t submit(Server& server, const Payload& payload, const std::string& model = "echo") {
  const auto count = static_cast<std::int64_t>(payload.data.size());
  RequestSpec spec{model, -1, "id", {}, {}};
  spec.inputs.push_back({"data", "INT32", {1, count}, payload.data.data(), payload.data.size() * 4});
  spec.inputs.push_back({"control", "INT32", {1, 2}, payload.control.data(), payload.control.size() * 4});
  return server.submit(std::make_unique<Inference>(), spec);
}

std::vector<std::unique_ptr<Inference>> take(Server& server, std::size_t count) {
  std::vector<std::unique_ptr<Inference>> all;
  while (all.size() < count) {
    for (auto& inference : server.take_completed()) all.push_back(std::move(inference));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return all;
}

void check_answers(Server& server) {
  std::vector<Payload> payloads;
  for (std::int32_t n = 1; n <= 200; ++n) payloads.push_back({std::vector<std::int32_t>(n, n), {0, 0}});
  for (const Payload& payload : payloads) submit(server, payload);
  for (const auto& inference : take(server, payloads.size())) {
    CHECK_EQUAL(inference->error_code, "");
    CHECK_EQUAL(inference->outputs.size(), 2U);
    std::int64_t sum = 0;
    std::memcpy(&sum, inference->outputs[1].data, sizeof(sum));
    const std::int64_t n = inference->outputs[0].shape[1];
    CHECK_EQUAL(sum, n * n);  // n values of n
  }
  CHECK_EQUAL(server.in_flight(), 0U);
}

void check_refusals(Server& server) {
  CHECK_EQUAL(code_of([&] { submit(server, {{1}, {0, 0}}, "nobody"); }), "NOT_FOUND");
  CHECK_EQUAL(code_of([&] { submit(server, {{1}, {0}}); }), "INVALID_ARG");
  CHECK_EQUAL(server.in_flight(), 0U);
  try {
    server.load_model("broken");
    CHECK_THAT(false, "a broken model loaded");
  } catch (const TritonFailure& failure) {
    CHECK_THAT(failure.log.find(": 2:1") != std::string::npos, "line 2 in the log: " + failure.log);
  }
}

void check_cancel(Server& server) {
  const Payload sleeper{{1}, {1, 600'000}};
  const std::uint32_t id = submit(server, sleeper);
  CHECK(server.cancel(id));
  CHECK_EQUAL(take(server, 1)[0]->error_code, "CANCELLED");
  CHECK(!server.cancel(id));
}

void check_stop(Server& server) {
  const Payload sleeper{{1}, {1, 600'000}};
  submit(server, sleeper);
  server.refuse_new_work();
  CHECK_EQUAL(code_of([&] { submit(server, sleeper); }), "STOPPED");
  server.cancel_all();
  CHECK_EQUAL(server.stop([&] { (void)server.take_completed(); }), "");
  CHECK_EQUAL(server.stop([] {}), "");
  CHECK_EQUAL(code_of([&] { server.load_model("echo"); }), "STOPPED");
}

}  // namespace

int main() {
  if (!fs::exists(TRITON_LIBRARY)) {
    test::skip("no TritonCore in the toolchain");
    return test::finish();
  }
  const fs::path repository = make_repository();
  for (int round = 0; round < 2; ++round) {
    const std::shared_ptr<Server> server = start(repository);
    server->load_model("echo");
    check_answers(*server);
    check_refusals(*server);
    check_cancel(*server);
    check_stop(*server);
  }
  fs::remove_all(repository);
  test::finish_and_exit();
}
