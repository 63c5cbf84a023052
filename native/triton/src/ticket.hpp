// A request's place, in the queue and in the core, and the orders that it may stand in.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace roundhouse {

constexpr std::int64_t kUnbounded = INT64_MAX;
constexpr std::int64_t kNoDeadline = INT64_MAX;
// What priority 0 stands for: 1 is the highest, larger is lower.
constexpr std::uint32_t kDefaultPriority = 5;

class ModelLine;

// The caller fills the first part before `admit`; the rest is Admission's, but for `phase`.
struct Ticket {
  std::uint32_t priority = kDefaultPriority;
  std::int64_t deadline_ms = kNoDeadline;  // Unix
  std::int64_t bytes = 0;  // what it holds while it waits
  std::int64_t input_bytes = 0;  // what the model's work is measured by

  static constexpr std::size_t kNowhere = SIZE_MAX;
  ModelLine* line = nullptr;
  std::uint64_t arrival = 0;
  std::int64_t since_ns = 0;  // in the queue, then in the core
  std::size_t line_place = kNowhere;
  std::size_t worst_place = kNowhere;
  Ticket* older = nullptr;
  Ticket* newer = nullptr;
  bool given_up = false;  // while the core has it

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

// By priority, then deadline, then arrival.
bool comes_before(const Ticket& a, const Ticket& b);
inline bool comes_after(const Ticket& a, const Ticket& b) { return comes_before(b, a); }
// The same without arrival: who comes later does not come before its equals.
bool is_more_urgent(const Ticket& a, const Ticket& b);

// In the order of joining, the oldest first.
class TicketList {
 public:
  bool empty() const { return oldest_ == nullptr; }
  Ticket* oldest() const { return oldest_; }
  void push(Ticket& ticket);
  void remove(Ticket& ticket);

 private:
  Ticket* oldest_ = nullptr;
  Ticket* newest_ = nullptr;
};

// The first by an order in front; any other can leave, too.
template <std::size_t Ticket::*place, bool (*first)(const Ticket&, const Ticket&)>
class TicketHeap {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  Ticket& front() const { return *heap_.front(); }

  void push(Ticket& ticket) {
    heap_.push_back(&ticket);
    rise(heap_.size() - 1);
  }
  void remove(Ticket& ticket) {
    const std::size_t at = ticket.*place;
    Ticket* last = heap_.back();
    heap_.pop_back();
    ticket.*place = Ticket::kNowhere;
    if (last == &ticket) return;
    put(last, at);
    rise(at);
    sink(last->*place);
  }

 private:
  void put(Ticket* ticket, std::size_t at) {
    heap_[at] = ticket;
    ticket->*place = at;
  }
  void rise(std::size_t at) {
    Ticket* ticket = heap_[at];
    while (at > 0 && first(*ticket, *heap_[(at - 1) / 2])) {
      put(heap_[(at - 1) / 2], at);
      at = (at - 1) / 2;
    }
    put(ticket, at);
  }
  void sink(std::size_t at) {
    Ticket* ticket = heap_[at];
    for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && first(*heap_[child + 1], *heap_[child])) ++child;
      if (!first(*heap_[child], *ticket)) break;
      put(heap_[child], at);
      at = child;
    }
    put(ticket, at);
  }
  std::vector<Ticket*> heap_;
};

}  // namespace roundhouse
