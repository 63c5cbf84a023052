// Many threads at once: bounds hold, everyone who was admitted is started once or taken back, nobody is forgotten.
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "admission.hpp"
#include "check.hpp"

namespace {

using namespace roundhouse;

constexpr int kThreads = 4;
constexpr int kEach = 20'000;
constexpr std::int64_t kRunning = 3;
constexpr std::int64_t kInCore = 5;

struct Job {
  Ticket ticket;
  int model = 0;
};

// Threads play both the callers and the core: whatever runs is in `running`, and any thread ends it.
class Crowd {
 public:
  Crowd() : admission_({.in_core = kInCore, .queued = 40}) {
    for (const char* model : {"0", "1"}) admission_.open(model, 1, kRunning);
  }

  void run(std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::unique_ptr<Job>> jobs;
    for (int i = 0; i < kEach; ++i) {
      jobs.push_back(std::make_unique<Job>());
      Job& job = *jobs.back();
      job.model = static_cast<int>(random() % 2);
      job.ticket.priority = 1 + random() % 9;
      admit(job);
      if (random() % 4 == 0) withdraw(*jobs[random() % jobs.size()]);
      if (random() % 500 == 0) change_models();
      if (random() % 2 == 0) end_one();
    }
    const std::lock_guard lock(mutex_);
    for (auto& job : jobs) kept_.push_back(std::move(job));
  }

  void finish() {
    while (end_one()) {
    }
    const AdmissionStatistics statistics = admission_.statistics();
    CHECK_EQUAL(statistics.queued, 0);
    CHECK_EQUAL(statistics.in_core, 0);
    CHECK_EQUAL(admitted_.load(), started_.load() + taken_back_.load() + displaced_.load());
    CHECK_EQUAL(started_.load(), ended_);
    CHECK_EQUAL(broken_.load(), 0);
    CHECK(admitted_.load() > 0 && taken_back_.load() > 0 && displaced_.load() > 0);
  }

 private:
  void admit(Job& job) {
    const std::int64_t version = job.ticket.priority % 2 == 0 ? 1 : -1;
    std::optional<Admitted> admitted;
    while (!(admitted = admission_.admit(std::to_string(job.model), version, job.ticket))) {
      admission_.open(std::to_string(job.model), version, 1, kRunning);
    }
    if (admitted->verdict == Verdict::full) return;
    ++admitted_;
    for (const Ticket* one = admitted->displaced; one != nullptr; one = one->newer) ++displaced_;
    if (admitted->verdict == Verdict::start) launch(job.ticket);
  }
  void withdraw(Job& job) {
    if (job.ticket.line == nullptr) return;
    if (admission_.withdraw(job.ticket, Withdrawal::cancelled)) ++taken_back_;
  }
  void change_models() { admission_.close("0"); }

  void launch(Ticket& ticket) {
    ++started_;
    if (++in_core_ > kInCore) ++broken_;
    (void)ticket.launched();
    const std::lock_guard lock(mutex_);
    running_.push_back(&ticket);
  }
  bool end_one() {
    Ticket* ticket = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (running_.empty()) return false;
      ticket = running_.back();
      running_.pop_back();
      ++ended_;
    }
    --in_core_;
    if (!admission_.release(*ticket, Ended::answered)) return true;
    while (Ticket* next = admission_.next().ticket) launch(*next);
    return true;
  }

  Admission admission_;
  std::mutex mutex_;
  std::vector<Ticket*> running_;
  std::vector<std::unique_ptr<Job>> kept_;
  std::atomic<std::int64_t> admitted_{0};
  std::atomic<std::int64_t> started_{0};
  std::atomic<std::int64_t> taken_back_{0};
  std::atomic<std::int64_t> displaced_{0};
  std::atomic<std::int64_t> in_core_{0};
  std::atomic<std::int64_t> broken_{0};
  std::int64_t ended_ = 0;
};

}  // namespace

int main() {
  Crowd crowd;
  std::vector<std::thread> threads;
  for (std::uint32_t seed = 0; seed < kThreads; ++seed) threads.emplace_back([&, seed] { crowd.run(seed); });
  for (std::thread& thread : threads) thread.join();
  crowd.finish();
  return roundhouse::test::finish();
}
