#include "admission.hpp"

#include <algorithm>
#include <chrono>

#include "model_line.hpp"

namespace roundhouse {
namespace {

using Phase = Ticket::Phase;

std::int64_t steady_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

std::int64_t system_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

void count_wait(AdmissionCounts& counts, std::int64_t ns) {
  ++counts.started_later;
  counts.wait_ns += static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
  const auto bucket = std::lower_bound(kWaitBucketsMs.begin(), kWaitBucketsMs.end(), ns,
                                       [](std::int64_t ms, std::int64_t value) { return ms * 1'000'000 < value; });
  ++counts.wait_buckets[static_cast<std::size_t>(bucket - kWaitBucketsMs.begin())];
}

}  // namespace

std::uint32_t priority_of(std::uint64_t parameter) {
  if (parameter == 0) return kDefaultPriority;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(parameter, UINT32_MAX));
}

std::size_t priority_class(std::uint32_t priority) {
  if (priority == kDefaultPriority) return 1;
  return priority < kDefaultPriority ? 0 : 2;
}

AdmissionClock AdmissionClock::real() { return {steady_ns, system_ms}; }

Admission::Admission(AdmissionLimits limits, AdmissionClock clock) : limits_(limits), clock_(clock) {}
Admission::~Admission() = default;

std::optional<Verdict> Admission::admit(std::string_view model, std::int64_t version, Ticket& ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find({model, version});
  if (found == lines_.end()) return std::nullopt;
  return judge(*found->second, ticket);
}

Verdict Admission::judge(ModelLine& line, Ticket& ticket) {
  AdmissionCounts& counts = counts_of(ticket);
  const std::int64_t left_ms = ticket.deadline_ms == kNoDeadline ? kNoDeadline : ticket.deadline_ms - clock_.unix_ms();
  if (left_ms <= 0) {
    ++counts.late;
    return Verdict::late;
  }
  // Whoever waits for this model goes first; others can't start either where the core is full.
  const bool room = line.empty() && line.has_room() && in_core_ < limits_.in_core;
  if (!room && (queued_ >= limits_.queued || ticket.bytes > limits_.queued_bytes - queued_bytes_)) {
    ++counts.refused_full;
    return Verdict::full;
  }
  if (!room && left_ms < line.shortest().ns() / 1'000'000) {
    ++counts.refused_hopeless;
    return Verdict::hopeless;
  }
  ticket.since_ns = clock_.ns();
  ticket.arrival = ++arrivals_;
  ticket.line = &line;
  if (room) {
    ticket.phase.store(Phase::launching, std::memory_order_relaxed);
    line.start();
    ++in_core_;
    ++counts.started_at_once;
    return Verdict::start;
  }
  ticket.phase.store(Phase::queued, std::memory_order_relaxed);
  line.join(ticket);
  ++queued_;
  queued_bytes_ += ticket.bytes;
  ++queued_of_[priority_class(ticket.priority)];
  ++counts.queued;
  return Verdict::wait;
}

void Admission::open(std::string_view model, std::int64_t version, std::int64_t running) {
  auto line = std::make_unique<ModelLine>(model, std::clamp<std::int64_t>(running, 1, limits_.running));
  const std::lock_guard lock(mutex_);
  const Key key{line->model(), version};
  lines_.try_emplace(key, std::move(line));
}

void Admission::close(std::string_view model) {
  const std::lock_guard lock(mutex_);
  for (auto next = lines_.begin(); next != lines_.end();) {
    const auto line = next++;
    if (line->first.model != model) continue;
    retired_.push_back(std::move(line->second));
    lines_.erase(line);
  }
  drop_retired();
}

void Admission::drop_retired() {
  retired_.remove_if([](const auto& line) { return line->idle(); });
}

bool Admission::release(Ticket& ticket, bool answered) {
  const std::int64_t spent = clock_.ns() - ticket.since_ns;
  const std::lock_guard lock(mutex_);
  ModelLine& line = *ticket.line;
  if (answered) line.shortest().observe(spent);
  line.end();
  --in_core_;
  if (!retired_.empty()) drop_retired();
  return queued_ > 0;
}

// Of the lines with someone who could start: the one whose first comes before the others', but the one with the
// oldest request where that was passed over too often.
ModelLine* Admission::line_to_serve() {
  ModelLine* best = nullptr;
  ModelLine* oldest = nullptr;
  const auto look = [&](ModelLine& line) {
    if (line.empty() || !line.has_room()) return;
    if (best == nullptr || comes_before(line.first(), best->first())) best = &line;
    if (oldest == nullptr || line.oldest().arrival < oldest->oldest().arrival) oldest = &line;
  };
  for (const auto& [key, line] : lines_) look(*line);
  for (const auto& line : retired_) look(*line);
  if (best == oldest || passed_over_ >= kMostPassedOver) {
    passed_over_ = 0;
    return oldest;
  }
  ++passed_over_;
  return best;
}

Admission::Turn Admission::next() {
  const std::lock_guard lock(mutex_);
  if (queued_ == 0 || in_core_ >= limits_.in_core) return {};
  ModelLine* line = line_to_serve();
  if (line == nullptr) return {};
  Ticket& ticket = line->first();
  line->serve(ticket);
  leave_queue(ticket);
  AdmissionCounts& counts = counts_of(ticket);
  if (ticket.deadline_ms != kNoDeadline && ticket.deadline_ms <= clock_.unix_ms()) {
    ++counts.expired_queued;
    ticket.phase.store(Phase::idle);
    if (!retired_.empty()) drop_retired();
    return {&ticket, true};
  }
  const std::int64_t now = clock_.ns();
  count_wait(counts, now - ticket.since_ns);
  ticket.since_ns = now;
  ticket.phase.store(Phase::launching);
  line->start();
  ++in_core_;
  return {&ticket, false};
}

void Admission::leave_queue(Ticket& ticket) {
  --queued_;
  queued_bytes_ -= ticket.bytes;
  --queued_of_[priority_class(ticket.priority)];
}

bool Admission::withdraw(Ticket& ticket, Withdrawal why) {
  const std::lock_guard lock(mutex_);
  AdmissionCounts& counts = counts_of(ticket);
  const bool late = why == Withdrawal::deadline;
  const Phase phase = ticket.phase.load();
  // `next` has just found it late, and counted it.
  if (phase == Phase::idle) return false;
  if (phase != Phase::queued) {
    ++(late ? counts.expired_running : counts.cancelled_running);
    return false;
  }
  ++(late ? counts.expired_queued : counts.cancelled_queued);
  ticket.line->leave(ticket);
  leave_queue(ticket);
  ticket.phase.store(Phase::idle);
  if (!retired_.empty()) drop_retired();
  return true;
}

AdmissionStatistics Admission::statistics() const {
  const std::lock_guard lock(mutex_);
  return {counts_, queued_, queued_bytes_, in_core_, queued_of_};
}

}  // namespace roundhouse
