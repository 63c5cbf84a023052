// The server of the addon on the real core: answers, refusals, cancellation, and a stop with work in flight.
#include <cstring>

#include "check.hpp"
#include "echo_server.hpp"
#include "failure_code.hpp"
#include "finish_and_exit.hpp"

namespace {

using namespace roundhouse;
using test::code_of;
using test::take;
namespace fs = std::filesystem;

fs::path make_repository() {
  const fs::path folder = test::make_echo_repository("roundhouse-native-", 2);
  fs::create_directories(folder / "broken" / "1");
  std::ofstream(folder / "broken" / "config.pbtxt") << "backend: \"echo\"\nmax_batch_sise: 8\n";
  return folder;
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
    const std::shared_ptr<Server> server = test::start_echo(repository);
    check_answers(*server);
    check_refusals(*server);
    check_cancel(*server);
    check_stop(*server);
  }
  fs::remove_all(repository);
  test::finish_and_exit();
}
