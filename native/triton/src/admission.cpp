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

std::optional<Admitted> Admission::admit(std::string_view model, std::int64_t version, Ticket& ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = lines_.find({model, version});
  if (found == lines_.end()) return std::nullopt;
  return judge(*found->second, ticket);
}

Admitted Admission::judge(ModelLine& line, Ticket& ticket) {
  AdmissionCounts& counts = counts_of(ticket);
  const std::int64_t left_ms = ticket.deadline_ms == kNoDeadline ? kNoDeadline : ticket.deadline_ms - clock_.unix_ms();
  if (left_ms <= 0) {
    ++counts.late;
    return {Verdict::late};
  }
  // Whoever waits for this model goes first; others can't start either where the core is full.
  const bool room = line.empty() && line.has_room() && in_core_ < limits_.in_core;
  if (!room && left_ms < line.shortest().ns() / 1'000'000) {
    ++counts.refused_hopeless;
    return {Verdict::hopeless};
  }
  Ticket* displaced = nullptr;
  if (!room && !fits(ticket, 0, 0) && (displaced = make_room(ticket)) == nullptr) {
    ++counts.refused_full;
    return {Verdict::full};
  }
  ticket.since_ns = clock_.ns();
  ticket.arrival = ++arrivals_;
  ticket.line = &line;
  if (!room) {
    join_queue(line, ticket);
    return {Verdict::wait, displaced};
  }
  ticket.phase.store(Phase::launching, std::memory_order_relaxed);
  line.start(ticket);
  ++in_core_;
  ++counts.started_at_once;
  return {Verdict::start};
}

bool Admission::fits(const Ticket& ticket, std::int64_t fewer, std::int64_t fewer_bytes) const {
  return queued_ - fewer < limits_.queued && ticket.bytes <= limits_.queued_bytes - (queued_bytes_ - fewer_bytes);
}

// The least urgent leave the queue until the request fits; none where those that are less urgent are not enough.
Ticket* Admission::make_room(const Ticket& ticket) {
  std::int64_t bytes = 0;
  const auto lacks = [&] { return !fits(ticket, static_cast<std::int64_t>(leaving_.size()), bytes); };
  leaving_.clear();
  while (lacks() && !worst_.empty() && is_more_urgent(ticket, worst_.front())) {
    leaving_.push_back(&worst_.front());
    bytes += leaving_.back()->bytes;
    worst_.remove(*leaving_.back());
  }
  const bool enough = !lacks();
  Ticket* displaced = nullptr;
  for (Ticket* one : leaving_) {
    if (enough) displaced = displace(*one, displaced);
    else worst_.push(*one);
  }
  return displaced;
}

Ticket* Admission::displace(Ticket& ticket, Ticket* others) {
  ticket.line->leave(ticket);
  uncount(ticket);
  ++counts_of(ticket).displaced;
  ticket.phase.store(Phase::idle);
  ticket.newer = others;
  return &ticket;
}

// A line's oldest keeps its place: so whoever has become that is sure of a turn.
void Admission::join_queue(ModelLine& line, Ticket& ticket) {
  ticket.phase.store(Phase::queued, std::memory_order_relaxed);
  if (!line.empty()) worst_.push(ticket);
  line.join(ticket);
  ++queued_;
  queued_bytes_ += ticket.bytes;
  ++queued_of_[priority_class(ticket.priority)];
  ++counts_of(ticket).queued;
}

void Admission::open(std::string_view model, std::int64_t version, std::int64_t served, std::int64_t running) {
  const std::lock_guard lock(mutex_);
  auto found = lines_.find({model, served});
  if (found == lines_.end()) {
    const std::int64_t most = std::clamp<std::int64_t>(running, 1, limits_.running);
    auto line = std::make_shared<ModelLine>(model, served, ++opened_, most);
    found = lines_.try_emplace({line->model(), served}, std::move(line)).first;
  }
  const auto line = found->second;
  if (version != served) lines_.try_emplace({line->model(), version}, line);
}

void Admission::close(std::string_view model) {
  const std::lock_guard lock(mutex_);
  for (auto next = lines_.begin(); next != lines_.end();) {
    const auto entry = next++;
    if (entry->first.model != model) continue;
    const std::shared_ptr<ModelLine> line = entry->second;
    if (line->is_current()) retired_.push_back(line);
    line->retire();
    lines_.erase(entry);
  }
  drop_retired();
}

void Admission::drop_retired() {
  retired_.remove_if([](const auto& line) { return line->idle(); });
}

bool Admission::release(Ticket& ticket, Ended how) {
  const std::int64_t now = clock_.ns();
  const std::lock_guard lock(mutex_);
  ticket.line->end(ticket, now, how);
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
  leave_worst(ticket);
  line->serve(ticket);
  uncount(ticket);
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
  line->start(ticket);
  ++in_core_;
  return {&ticket, false};
}

// Before it leaves its line: where it was the oldest there, the next one is.
void Admission::leave_worst(Ticket& ticket) {
  Ticket* leaving = &ticket == &ticket.line->oldest() ? ticket.newer : &ticket;
  if (leaving != nullptr) worst_.remove(*leaving);
}

void Admission::uncount(Ticket& ticket) {
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
    ticket.given_up = true;
    ++(late ? counts.expired_running : counts.cancelled_running);
    return false;
  }
  ++(late ? counts.expired_queued : counts.cancelled_queued);
  leave_worst(ticket);
  ticket.line->leave(ticket);
  uncount(ticket);
  ticket.phase.store(Phase::idle);
  if (!retired_.empty()) drop_retired();
  return true;
}

bool Admission::is_current(const Ticket& ticket) const {
  const std::lock_guard lock(mutex_);
  return ticket.line->is_current();
}

AdmissionStatistics Admission::statistics() const {
  const std::lock_guard lock(mutex_);
  return {counts_, queued_, queued_bytes_, in_core_, queued_of_};
}

std::vector<ModelWork> Admission::work() const {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = clock_.unix_ms();
  std::vector<ModelWork> work;
  for (const auto& [key, line] : lines_) {
    if (key.version == line->version()) work.push_back(line->work(now));
  }
  for (const auto& line : retired_) work.push_back(line->work(now));
  return work;
}

}  // namespace roundhouse
