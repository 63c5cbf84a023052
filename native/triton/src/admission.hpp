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

#include "ticket.hpp"

namespace roundhouse {

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
  // Waited, and made room for a more urgent one.
  std::uint64_t displaced = 0;
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

// What the core has of a version of a model, and what it made of it, for whoever judges whether it is silent.
struct ModelWork {
  std::string model;
  std::int64_t version = 0;
  // Another one after a load or an unload of the model.
  std::uint64_t line = 0;
  std::int64_t waiting = 0;
  // In the core, also requests whose caller is gone.
  std::int64_t running = 0;
  // The number of the one that the core has had for longest; 0: none.
  std::uint64_t oldest = 0;
  // Ended by the model, well or not; of those, well.
  std::uint64_t worked_off = 0;
  std::uint64_t answered = 0;
  // Of inputs that the core has had since the model last made progress (or since the oldest came, if that was later).
  double kib = 0;
  // What a KiB cost, near the upper end of what was seen.
  double ns_per_kib = 0;
  // From now to the latest deadline of those; kNoDeadline where one has none.
  std::int64_t left_ms = kNoDeadline;
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

struct Admitted {
  Verdict verdict;
  // Waiting requests that made room, each the `newer` of the one before: the caller's, to be answered as refused.
  Ticket* displaced = nullptr;
};

// How the core let go of a request: the last two without outputs, the last one before it had taken it.
enum class Ended { answered, failed, refused };

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
  std::optional<Admitted> admit(std::string_view model, std::int64_t version, Ticket& ticket);
  // `version` was asked for and `served` is what the core takes for it: both have the line of `served`. `running`: as
  // many as its instances take in their next batches. A second call changes nothing.
  void open(std::string_view model, std::int64_t version, std::int64_t served, std::int64_t running);
  void open(std::string_view model, std::int64_t version, std::int64_t running) { open(model, version, version, running); }
  // The model changed: its lines empty, and the next request opens another.
  void close(std::string_view model);

  // The core has let go of a request that was started. True where others wait: ask `next`.
  bool release(Ticket& ticket, Ended how);

  struct Turn {
    Ticket* ticket = nullptr;
    // Its deadline passed while it waited: it isn't to be started, and has taken no place in the core.
    bool late = false;
  };
  // The next to start, until there is none or no room; it is launching.
  Turn next();

  // True: it waited, and now it is the caller's again, never started. False: it is in the core, or just on its way.
  bool withdraw(Ticket& ticket, Withdrawal why);

  // Whether a request that the core has is of the model as it is served now.
  bool is_current(const Ticket& ticket) const;

  AdmissionStatistics statistics() const;
  // Of every line, those too that are only emptying.
  std::vector<ModelWork> work() const;
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

  Admitted judge(ModelLine& line, Ticket& ticket);
  bool fits(const Ticket& ticket, std::int64_t fewer, std::int64_t fewer_bytes) const;
  Ticket* make_room(const Ticket& ticket);
  Ticket* displace(Ticket& ticket, Ticket* others);
  void join_queue(ModelLine& line, Ticket& ticket);
  ModelLine* line_to_serve();
  void leave_worst(Ticket& ticket);
  void uncount(Ticket& ticket);
  void drop_retired();
  AdmissionCounts& counts_of(const Ticket& ticket) { return counts_[priority_class(ticket.priority)]; }

  const AdmissionLimits limits_;
  const AdmissionClock clock_;
  mutable std::mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<ModelLine>, KeyHash> lines_;
  std::list<std::shared_ptr<ModelLine>> retired_;
  // Of all lines, without the oldest of each: that one keeps its place.
  TicketHeap<&Ticket::worst_place, comes_after> worst_;
  std::vector<Ticket*> leaving_;
  std::uint64_t opened_ = 0;
  std::uint64_t arrivals_ = 0;
  int passed_over_ = 0;
  std::int64_t in_core_ = 0;
  std::atomic<std::int64_t> queued_{0};
  std::int64_t queued_bytes_ = 0;
  std::array<std::int64_t, kPriorityClasses> queued_of_{};
  std::array<AdmissionCounts, kPriorityClasses> counts_;
};

}  // namespace roundhouse
