// Admission on the real core: what waits starts when what runs ends, is taken back, refused and dropped at a stop; many
// threads at once.
#include <atomic>
#include <cstring>
#include <map>
#include <random>

#include "check.hpp"
#include "echo_server.hpp"
#include "failure_code.hpp"
#include "finish_and_exit.hpp"

namespace {

using namespace roundhouse;
using test::code_of;
namespace fs = std::filesystem;

constexpr std::int32_t kValue = 1;
constexpr std::int32_t kQuick[2] = {0, 0};
// Ten minutes: only a cancellation ends it.
constexpr std::int32_t kForEver[2] = {1, 600'000};
constexpr std::int32_t kShort[2] = {1, 1};

RequestSpec spec_of(const std::int32_t (&control)[2]) {
  RequestSpec spec{"echo", -1, "id", {}, {}};
  spec.inputs.push_back({"data", "INT32", {1, 1}, &kValue, 4});
  spec.inputs.push_back({"control", "INT32", {1, 2}, control, 8});
  return spec;
}

std::uint32_t submit(Server& server, const std::int32_t (&control)[2], std::int64_t deadline_ms = kNoDeadline) {
  RequestSpec spec = spec_of(control);
  spec.deadline_ms = deadline_ms;
  return server.submit(std::make_unique<Inference>(), spec);
}

std::map<std::uint32_t, std::string> codes_of(Server& server, std::size_t count) {
  std::map<std::uint32_t, std::string> codes;
  for (const auto& inference : test::take(server, count)) codes[inference->id] = inference->error_code;
  return codes;
}

std::int64_t in_ms(std::int64_t ms) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count() + ms;
}

void check_queue(const fs::path& repository) {
  const auto server = test::start_echo(repository, {.running = 1, .queued = 3});
  const std::uint32_t held = submit(*server, kForEver);
  const std::uint32_t first = submit(*server, kQuick);
  const std::uint32_t taken_back = submit(*server, kQuick);
  const std::uint32_t late = submit(*server, kQuick, in_ms(20));
  CHECK_EQUAL(server->admission().queued(), 3);
  CHECK_EQUAL(server->open_requests(), 1);
  CHECK_EQUAL(code_of([&] { submit(*server, kQuick); }), "ENGINE_BUSY");
  CHECK_EQUAL(code_of([&] { submit(*server, kQuick, in_ms(-1)); }), "DEADLINE_EXCEEDED");
  CHECK(server->cancel(taken_back) && server->cancel(taken_back));
  CHECK_EQUAL(codes_of(*server, 1)[taken_back], "CANCELLED");
  // Whose owner's timer is late is not started either.
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
  CHECK(server->cancel(held));
  auto codes = codes_of(*server, 3);
  CHECK_EQUAL(codes[held], "CANCELLED");
  CHECK_EQUAL(codes[first], "");
  CHECK_EQUAL(codes[late], "DEADLINE_EXCEEDED");
  CHECK_EQUAL(server->admission().statistics().in_core, 0);
  CHECK_EQUAL(server->stop([] {}), "");
}

// 1 instance with batches of 8: 8 are in the core, and what waits fills the next batches.
void check_batches(const fs::path& repository) {
  const auto server = test::start_echo(repository, {});
  const std::uint32_t held = submit(*server, kForEver);
  for (int i = 0; i < 32; ++i) submit(*server, kShort);
  CHECK_EQUAL(server->admission().statistics().in_core, 8);
  CHECK_EQUAL(server->admission().queued(), 25);
  CHECK(server->cancel(held));
  CHECK_EQUAL(codes_of(*server, 33).size(), 33U);
  // Alone 33 calls. The first has one request, the others up to 8; a batch may begin before it is full.
  const std::string statistics = server->model_statistics("echo", -1);
  const std::size_t at = statistics.find("\"execution_count\":");
  const int executions = std::atoi(statistics.c_str() + at + std::strlen("\"execution_count\":"));
  CHECK_THAT(executions <= 12, std::to_string(executions) + " calls");
  CHECK_EQUAL(server->stop([] {}), "");
}

void check_stop(const fs::path& repository) {
  const auto server = test::start_echo(repository, {.running = 1});
  std::vector<std::uint32_t> ids = {submit(*server, kForEver)};
  for (int i = 0; i < 5; ++i) ids.push_back(submit(*server, i % 2 == 0 ? kForEver : kQuick));
  server->refuse_new_work();
  server->cancel_all();
  std::map<std::uint32_t, std::string> codes;
  CHECK_EQUAL(server->stop([&] {
                for (const auto& inference : server->take_completed()) codes[inference->id] = inference->error_code;
              }),
              "");
  for (const std::uint32_t id : ids) CHECK_EQUAL(codes[id], "CANCELLED");
  CHECK_EQUAL(server->in_flight(), 0U);
}

// What a session of the data plane does: its requests in a map, and one mutex over their ends.
class Caller : public CompletionSink {
 public:
  explicit Caller(Server& server) : server_(server) {}

  void send(const std::int32_t (&control)[2], std::uint64_t priority, std::int64_t deadline_ms) {
    auto inference = std::make_unique<Inference>();
    Inference& started = *inference;
    started.sink = this;
    started.id = ++last_;
    {
      const std::lock_guard lock(mutex_);
      open_.emplace(started.id, std::move(inference));
    }
    RequestSpec spec = spec_of(control);
    spec.priority = priority;
    spec.deadline_ms = deadline_ms;
    try {
      server_.start_request(started, spec);
    } catch (const TritonFailure&) {
      const std::lock_guard lock(mutex_);
      open_.erase(last_);
      ++refused;
    }
  }
  void give_up(std::uint32_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    if (found == open_.end()) return;
    if (!server_.take_back(*found->second, Withdrawal::cancelled)) return;
    open_.erase(found);
    ++taken_back;
  }
  void give_up_all() {
    for (std::uint32_t id = 1; id <= last_; ++id) give_up(id);
  }
  void on_complete(Inference* inference) noexcept override {
    const std::lock_guard lock(mutex_);
    server_.end_request(*inference);
    ++ended;
    open_.erase(inference->id);
  }
  std::size_t open() {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }
  std::uint32_t last() const { return last_; }

  std::atomic<int> refused{0};
  std::atomic<int> taken_back{0};
  std::atomic<int> ended{0};

 private:
  Server& server_;
  std::uint32_t last_ = 0;
  std::mutex mutex_;
  std::map<std::uint32_t, std::unique_ptr<Inference>> open_;
};

constexpr int kCallers = 3;
constexpr int kRequests = 4'000;

void call_a_lot(Caller& caller, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < kRequests; ++i) {
    const bool for_ever = random() % 100 == 0;
    caller.send(for_ever ? kForEver : kQuick, random() % 9, random() % 3 == 0 ? in_ms(random() % 20) : kNoDeadline);
    if (random() % 4 == 0 || for_ever) caller.give_up(1 + random() % caller.last());
    if (random() % 20 == 0) caller.give_up_all();
  }
}

void check_many_threads(const fs::path& repository) {
  const auto server = test::start_echo(repository, {.in_core = 5, .running = 4, .queued = 30});
  std::vector<std::unique_ptr<Caller>> callers;
  std::vector<std::thread> threads;
  for (std::uint32_t seed = 0; seed < kCallers; ++seed) {
    callers.push_back(std::make_unique<Caller>(*server));
    threads.emplace_back([&caller = *callers.back(), seed] { call_a_lot(caller, seed); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& caller : callers) {
    while (caller->open() > 0) {
      caller->give_up_all();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK_EQUAL(caller->refused + caller->taken_back + caller->ended, kRequests);
    CHECK(caller->taken_back > 0 && caller->ended > 0);
  }
  while (server->open_requests() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const AdmissionStatistics statistics = server->admission().statistics();
  CHECK_EQUAL(statistics.queued, 0);
  CHECK_EQUAL(statistics.in_core, 0);
  CHECK_EQUAL(statistics.queued_bytes, 0);
  std::uint64_t displaced = 0;
  for (const AdmissionCounts& counts : statistics.counts) displaced += counts.displaced;
  CHECK(displaced > 0);
  CHECK_EQUAL(server->stop([] {}), "");
}

}  // namespace

int main() {
  if (!fs::exists(TRITON_LIBRARY)) {
    test::skip("no TritonCore in the toolchain");
    return test::finish();
  }
  const fs::path repository = test::make_echo_repository("roundhouse-queue-", 1);
  check_queue(repository);
  check_batches(repository);
  check_stop(repository);
  check_many_threads(repository);
  fs::remove_all(repository);
  test::finish_and_exit();
}
