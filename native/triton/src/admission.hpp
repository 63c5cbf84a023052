// Who may go into the core now, who waits, and who is next: one bounded queue for both ways in. It knows nothing of
// the core and starts nothing itself.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace roundhouse {

constexpr std::int64_t kUnbounded = INT64_MAX;
constexpr std::int64_t kNoDeadline = INT64_MAX;
// What priority 0 stands for: 1 is the highest, larger is lower.
constexpr std::uint32_t kDefaultPriority = 5;
// The request that has waited longest is passed over so often in a row, then it has its turn.
constexpr int kMostPassedOver = 7;

struct AdmissionLimits {
  // In the core at once, over all models; also requests whose caller is gone.
  std::int64_t in_core = kUnbounded;
  // In the core at once for a model, whatever its instances could take.
  std::int64_t running = kUnbounded;
  std::int64_t queued = kUnbounded;
  std::int64_t queued_bytes = kUnbounded;
};

class ModelLine;

// A request's place. The caller fills the first part before `admit`; the rest is Admission's, but for `phase`.
struct Ticket {
  std::uint32_t priority = kDefaultPriority;
  std::int64_t deadline_ms = kNoDeadline;  // Unix
  std::int64_t bytes = 0;

  ModelLine* line = nullptr;
  std::uint64_t arrival = 0;
  std::int64_t since_ns = 0;  // in the queue, then in the core
  std::size_t heap_place = 0;
  Ticket* older = nullptr;
  Ticket* newer = nullptr;

  enum class Phase : std::uint8_t { idle, queued, launching, cancel_wanted, running };
  std::atomic<Phase> phase{Phase::idle};

  // By the thread that starts it, when the core has it: true where a cancellation came meanwhile.
  bool launched() { return phase.exchange(Phase::running) == Phase::cancel_wanted; }
  // By who cancels: true where `launched` will say so; otherwise the core has it already.
  bool defer_cancel() {
    Phase expected = Phase::launching;
    return phase.compare_exchange_strong(expected, Phase::cancel_wanted) || expected == Phase::cancel_wanted;
  }
};

// Triton's parameter of that name, 0 where it was not given.
std::uint32_t priority_of(std::uint64_t parameter);

// Higher than the default, the default, lower.
constexpr std::size_t kPriorityClasses = 3;
std::size_t priority_class(std::uint32_t priority);

// Upper ends in milliseconds of all but the last bucket.
constexpr std::array<std::int64_t, 9> kWaitBucketsMs = {1, 2, 5, 10, 50, 100, 500, 1'000, 10'000};

struct AdmissionCounts {
  std::uint64_t started_at_once = 0;
  std::uint64_t queued = 0;
  std::uint64_t started_later = 0;
  std::uint64_t refused_full = 0;
  std::uint64_t refused_hopeless = 0;
  // The deadline passed before it came, while it waited, while it ran.
  std::uint64_t late = 0;
  std::uint64_t expired_queued = 0;
  std::uint64_t expired_running = 0;
  std::uint64_t cancelled_queued = 0;
  std::uint64_t cancelled_running = 0;
  // Of those that started later.
  std::array<std::uint64_t, kWaitBucketsMs.size() + 1> wait_buckets{};
  std::uint64_t wait_ns = 0;
};

struct AdmissionStatistics {
  std::array<AdmissionCounts, kPriorityClasses> counts;
  std::int64_t queued = 0;
  std::int64_t queued_bytes = 0;
  std::int64_t in_core = 0;
  std::array<std::int64_t, kPriorityClasses> queued_of{};
};

enum class Verdict {
  start,
  wait,
  // The queue has no room.
  full,
  // The model is busy, and none of its last requests took as little as the time that is left.
  hopeless,
  // The deadline has passed.
  late,
};

// Why a request is taken back.
enum class Withdrawal { deadline, cancelled };

// The monotonic clock and that of deadlines.
struct AdmissionClock {
  std::int64_t (*ns)();
  std::int64_t (*unix_ms)();
  static AdmissionClock real();
};

// Every call but the constructor may come from any thread; each takes one short mutex.
class Admission {
 public:
  explicit Admission(AdmissionLimits limits, AdmissionClock clock = AdmissionClock::real());
  ~Admission();
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // Nothing for a model without a line: `open` one and ask again. After `start` the caller starts the request, after
  // `wait` it no longer touches it.
  std::optional<Verdict> admit(std::string_view model, std::int64_t version, Ticket& ticket);
  // `running`: as many as the model's instances take in their next batches. A second call changes nothing.
  void open(std::string_view model, std::int64_t version, std::int64_t running);
  // The model changed: its lines empty, and the next request opens another.
  void close(std::string_view model);

  // The core has let go of a request that was started (or refused it, then it says nothing of the model). True where
  // others wait: ask `next`.
  bool release(Ticket& ticket, bool answered);

  struct Turn {
    Ticket* ticket = nullptr;
    // Its deadline passed while it waited: it isn't to be started, and has taken no place in the core.
    bool late = false;
  };
  // The next to start, until there is none or no room; it is launching.
  Turn next();

  // True: it waited, and now it is the caller's again, never started. False: it is in the core, or just on its way.
  bool withdraw(Ticket& ticket, Withdrawal why);

  AdmissionStatistics statistics() const;
  std::int64_t queued() const { return queued_.load(std::memory_order_relaxed); }
  const AdmissionLimits& limits() const { return limits_; }

 private:
  struct Key {
    std::string_view model;
    std::int64_t version;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(key.model) ^ static_cast<std::size_t>(key.version) * 0x9e3779b97f4a7c15ULL;
    }
  };

  Verdict judge(ModelLine& line, Ticket& ticket);
  ModelLine* line_to_serve();
  void leave_queue(Ticket& ticket);
  void drop_retired();
  AdmissionCounts& counts_of(const Ticket& ticket) { return counts_[priority_class(ticket.priority)]; }

  const AdmissionLimits limits_;
  const AdmissionClock clock_;
  mutable std::mutex mutex_;
  std::unordered_map<Key, std::unique_ptr<ModelLine>, KeyHash> lines_;
  std::list<std::unique_ptr<ModelLine>> retired_;
  std::uint64_t arrivals_ = 0;
  int passed_over_ = 0;
  std::int64_t in_core_ = 0;
  std::atomic<std::int64_t> queued_{0};
  std::int64_t queued_bytes_ = 0;
  std::array<std::int64_t, kPriorityClasses> queued_of_{};
  std::array<AdmissionCounts, kPriorityClasses> counts_;
};

}  // namespace roundhouse
