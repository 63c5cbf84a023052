#include "model_line.hpp"

#include <algorithm>
#include <tuple>

namespace roundhouse {
namespace {

// The estimate moves half of the way up to a larger cost and a fiftieth of the way down to a smaller one: it stays
// near the upper end, as that of the sentinel (cost-estimates.ts).
constexpr double kRise = 0.5;
constexpr double kFall = 0.02;

double kib_of(const Ticket& ticket) { return std::max(1.0, static_cast<double>(ticket.input_bytes) / 1'024); }

}  // namespace

void ShortestTime::observe(std::int64_t ns) {
  current_ = std::min(current_, ns);
  if (++count_ < kObservations) return;
  earlier_ = current_;
  current_ = kUnbounded;
  count_ = 0;
}

bool comes_before(const Ticket& a, const Ticket& b) {
  return std::tie(a.priority, a.deadline_ms, a.arrival) < std::tie(b.priority, b.deadline_ms, b.arrival);
}

bool is_more_urgent(const Ticket& a, const Ticket& b) {
  return std::tie(a.priority, a.deadline_ms) < std::tie(b.priority, b.deadline_ms);
}

void TicketList::push(Ticket& ticket) {
  ticket.older = newest_;
  ticket.newer = nullptr;
  (newest_ == nullptr ? oldest_ : newest_->newer) = &ticket;
  newest_ = &ticket;
}

void TicketList::remove(Ticket& ticket) {
  (ticket.older == nullptr ? oldest_ : ticket.older->newer) = ticket.newer;
  (ticket.newer == nullptr ? newest_ : ticket.newer->older) = ticket.older;
  ticket.older = ticket.newer = nullptr;
}

void ModelLine::join(Ticket& ticket) {
  waiting_.push(ticket);
  order_.push(ticket);
}

void ModelLine::leave(Ticket& ticket) {
  waiting_.remove(ticket);
  order_.remove(ticket);
}

void ModelLine::serve(Ticket& ticket) {
  passed_over_ = &ticket == waiting_.oldest() ? 0 : passed_over_ + 1;
  leave(ticket);
}

void ModelLine::start(Ticket& ticket) {
  ++running_;
  in_core_.push(ticket);
}

// What the core dropped after its caller gave it up says nothing of the model.
void ModelLine::end(Ticket& ticket, std::int64_t now_ns, Ended how) {
  --running_;
  in_core_.remove(ticket);
  if (how == Ended::refused || (how == Ended::failed && ticket.given_up)) return;
  if (how == Ended::answered) observe(ticket, now_ns);
  ++worked_off_;
  progress_ns_ = std::max(progress_ns_, now_ns);
}

void ModelLine::observe(const Ticket& ticket, std::int64_t now_ns) {
  shortest_.observe(now_ns - ticket.since_ns);
  const std::int64_t busy_since = std::max(ticket.since_ns, progress_ns_);
  const double seen = static_cast<double>(std::max<std::int64_t>(0, now_ns - busy_since)) / kib_of(ticket);
  if (answered_++ == 0) ns_per_kib_ = seen;
  else ns_per_kib_ += (seen > ns_per_kib_ ? kRise : kFall) * (seen - ns_per_kib_);
}

ModelWork ModelLine::work(std::int64_t unix_ms) const {
  ModelWork work{.model = model_,
                 .version = version_,
                 .line = number_,
                 .waiting = static_cast<std::int64_t>(order_.size()),
                 .running = running_,
                 .worked_off = worked_off_,
                 .answered = answered_,
                 .ns_per_kib = ns_per_kib_};
  if (in_core_.empty()) return work;
  work.oldest = in_core_.oldest()->arrival;
  const std::int64_t since = std::max(in_core_.oldest()->since_ns, progress_ns_);
  std::int64_t latest_ms = INT64_MIN;
  for (const Ticket* ticket = in_core_.oldest(); ticket != nullptr; ticket = ticket->newer) {
    if (ticket->since_ns > since) continue;
    work.kib += kib_of(*ticket);
    latest_ms = std::max(latest_ms, ticket->deadline_ms);
  }
  if (latest_ms != kNoDeadline) work.left_ms = latest_ms - unix_ms;
  return work;
}

}  // namespace roundhouse
