// Against a model that keeps everything in one list and looks through it: the same verdicts, the same turns.
#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "admission.hpp"
#include "check.hpp"
#include "fake_clock.hpp"

namespace {

using namespace roundhouse;

constexpr int kModels = 3;
constexpr std::int64_t kRunning[kModels] = {1, 2, 4};

struct Job {
  int model = 0;
  std::uint64_t arrival = 0;
  Ticket ticket;
};

// The rules as docs/engine.md has them, by brute force.
class Naive {
 public:
  explicit Naive(AdmissionLimits limits) : limits_(limits) {}

  Verdict admit(Job& job, std::vector<Job*>& displaced) {
    if (job.ticket.deadline_ms <= test::fake_now_ms) return Verdict::late;
    const bool others = std::any_of(waiting_.begin(), waiting_.end(), [&](Job* w) { return w->model == job.model; });
    if (!others && has_room(job.model)) {
      start(job);
      return Verdict::start;
    }
    // The worst leave one after the other, until there is room or none is worse; then all of them stay.
    std::vector<Job*> left = waiting_;
    while (!fits(job, left)) {
      Job* worst = worst_of(left);
      if (worst == nullptr || !more_urgent(job, *worst)) return Verdict::full;
      std::erase(left, worst);
    }
    for (Job* w : waiting_) {
      if (std::find(left.begin(), left.end(), w) == left.end()) displaced.push_back(w);
    }
    waiting_ = left;
    job.arrival = ++arrivals_;
    waiting_.push_back(&job);
    return Verdict::wait;
  }

  // `late` says whether it isn't started.
  Job* next(bool& late) {
    late = false;
    if (in_core_ >= limits_.in_core) return nullptr;
    Job* best = nullptr;
    Job* oldest_of_line = nullptr;
    for (int model = 0; model < kModels; ++model) {
      if (!has_room(model)) continue;
      Job* oldest = oldest_of(model);
      if (oldest == nullptr) continue;
      Job* turn = turn_of(model);
      if (best == nullptr || before(*turn, *best)) best = turn;
      if (oldest_of_line == nullptr || oldest->arrival < oldest_of_line->arrival) oldest_of_line = oldest;
    }
    if (best == nullptr) return nullptr;
    if (best->model != oldest_of_line->model && passed_lines_ < kMostPassedOver) {
      ++passed_lines_;
    } else {
      passed_lines_ = 0;
      best = turn_of(oldest_of_line->model);
    }
    passed_[best->model] = best == oldest_of(best->model) ? 0 : passed_[best->model] + 1;
    take_out(*best);
    late = best->ticket.deadline_ms <= test::fake_now_ms;
    if (!late) start(*best);
    return best;
  }

  void release(const Job& job) {
    --running_[job.model];
    --in_core_;
  }
  void take_out(Job& job) { std::erase(waiting_, &job); }
  bool waits(const Job& job) const { return std::find(waiting_.begin(), waiting_.end(), &job) != waiting_.end(); }
  const std::vector<Job*>& waiting() const { return waiting_; }

 private:
  bool has_room(int model) const { return running_[model] < kRunning[model] && in_core_ < limits_.in_core; }
  void start(const Job& job) {
    ++running_[job.model];
    ++in_core_;
  }
  bool fits(const Job& job, const std::vector<Job*>& others) const {
    std::int64_t bytes = job.ticket.bytes;
    for (Job* w : others) bytes += w->ticket.bytes;
    return static_cast<std::int64_t>(others.size()) < limits_.queued && bytes <= limits_.queued_bytes;
  }
  // But for the oldest of each model, which keeps its place.
  Job* worst_of(const std::vector<Job*>& others) const {
    Job* worst = nullptr;
    for (Job* job : others) {
      if (job != oldest_of(job->model) && (worst == nullptr || before(*worst, *job))) worst = job;
    }
    return worst;
  }
  static bool more_urgent(const Job& a, const Job& b) {
    if (a.ticket.priority != b.ticket.priority) return a.ticket.priority < b.ticket.priority;
    return a.ticket.deadline_ms < b.ticket.deadline_ms;
  }
  static bool before(const Job& a, const Job& b) {
    if (a.ticket.priority != b.ticket.priority) return a.ticket.priority < b.ticket.priority;
    if (a.ticket.deadline_ms != b.ticket.deadline_ms) return a.ticket.deadline_ms < b.ticket.deadline_ms;
    return a.arrival < b.arrival;
  }
  Job* oldest_of(int model) const {
    for (Job* job : waiting_) {
      if (job->model == model) return job;
    }
    return nullptr;
  }
  Job* turn_of(int model) const {
    if (passed_[model] >= kMostPassedOver) return oldest_of(model);
    Job* best = nullptr;
    for (Job* job : waiting_) {
      if (job->model == model && (best == nullptr || before(*job, *best))) best = job;
    }
    return best;
  }

  AdmissionLimits limits_;
  std::vector<Job*> waiting_;
  std::uint64_t arrivals_ = 0;
  std::int64_t running_[kModels] = {};
  std::int64_t in_core_ = 0;
  int passed_[kModels] = {};
  int passed_lines_ = 0;
};

class Comparison {
 public:
  Comparison(std::uint32_t seed, AdmissionLimits limits)
      : random_(seed), limits_(limits), admission_(limits, test::fake_clock()), naive_(limits) {
    for (int model = 0; model < kModels; ++model) admission_.open(std::to_string(model), -1, 1, kRunning[model]);
  }

  bool run(int steps) {
    bool same = true;
    for (int step = 0; step < steps && same; ++step) {
      test::pass(below(3));
      const int what = below(10);
      if (what < 5) same = admit();
      else if (what < 9) same = release();
      else same = withdraw();
      same = same && admission_.queued() == static_cast<std::int64_t>(naive_.waiting().size());
    }
    return same && drain();
  }

  std::size_t displaced() const { return displaced_; }

 private:
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  bool admit() {
    Job& job = jobs_.emplace_back();
    job.model = below(kModels);
    job.ticket.priority = static_cast<std::uint32_t>(4 + below(3));
    // A few deadlines, so that many are the same; 0 ms is late.
    job.ticket.deadline_ms = below(3) == 0 ? kNoDeadline : test::fake_now_ms + 20 * below(8);
    job.ticket.bytes = below(50);
    // -1 stands for the version 1.
    const Admitted admitted = *admission_.admit(std::to_string(job.model), below(2) == 0 ? 1 : -1, job.ticket);
    if (admitted.verdict == Verdict::start) running_.push_back(&job);
    std::vector<Job*> expected;
    if (naive_.admit(job, expected) != admitted.verdict) return false;
    std::size_t count = 0;
    for (const Ticket* one = admitted.displaced; one != nullptr; one = one->newer, ++count) {
      const auto is_it = [one](Job* other) { return &other->ticket == one; };
      if (std::none_of(expected.begin(), expected.end(), is_it)) return false;
    }
    displaced_ += count;
    return count == expected.size();
  }

  bool release() {
    if (running_.empty()) return true;
    const std::size_t at = static_cast<std::size_t>(below(static_cast<int>(running_.size())));
    Job& job = *running_[at];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(at));
    admission_.release(job.ticket, Ended::failed);
    naive_.release(job);
    for (;;) {
      bool late = false;
      Job* expected = naive_.next(late);
      const Admission::Turn turn = admission_.next();
      if (turn.ticket != (expected == nullptr ? nullptr : &expected->ticket) || turn.late != late) return false;
      if (expected == nullptr) return true;
      if (!late) running_.push_back(expected);
    }
  }

  bool withdraw() {
    if (jobs_.empty()) return true;
    Job& job = jobs_[static_cast<std::size_t>(below(static_cast<int>(jobs_.size())))];
    const bool waited = naive_.waits(job);
    naive_.take_out(job);
    return admission_.withdraw(job.ticket, Withdrawal::cancelled) == waited;
  }

  // In the end everyone who waited has had a turn.
  bool drain() {
    while (!running_.empty()) {
      if (!release()) return false;
    }
    return admission_.queued() == 0 && admission_.statistics().in_core == 0;
  }

  std::mt19937 random_;
  AdmissionLimits limits_;
  Admission admission_;
  Naive naive_;
  std::deque<Job> jobs_;
  std::vector<Job*> running_;
  std::size_t displaced_ = 0;
};

}  // namespace

int main() {
  std::size_t displaced = 0;
  const AdmissionLimits limits[] = {
      {.in_core = 4, .queued = 20, .queued_bytes = 300},
      {.in_core = kUnbounded, .queued = 50, .queued_bytes = kUnbounded},
      {.in_core = 1, .queued = 200, .queued_bytes = 4'000},
      {.in_core = 7, .queued = 0, .queued_bytes = 0},
  };
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    const std::string what = "seed " + std::to_string(seed);
    Comparison comparison(seed, limits[seed % 4]);
    CHECK_THAT(comparison.run(2'000), what);
    displaced += comparison.displaced();
  }
  // 100 of the seeds have a queue of 20 or 50 places, and half of all steps add one to it.
  CHECK(displaced > 1'000);
  return roundhouse::test::finish();
}
