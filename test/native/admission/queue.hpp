// A queue of one model to test by hand.
#pragma once

#include <deque>

#include "admission.hpp"
#include "check.hpp"
#include "fake_clock.hpp"

namespace roundhouse::test {

inline constexpr const char* kModel = "m";

struct Queue {
  explicit Queue(AdmissionLimits limits = {}, std::int64_t running = 1) : admission(limits, test::fake_clock()) {
    admission.open(kModel, -1, running);
  }
  ~Queue() {
    for (Ticket& ticket : tickets) admission.withdraw(ticket, Withdrawal::cancelled);
  }
  Ticket& make(std::uint32_t priority = kDefaultPriority, std::int64_t left_ms = kNoDeadline, std::int64_t bytes = 0) {
    Ticket& ticket = tickets.emplace_back();
    ticket.priority = priority;
    ticket.deadline_ms = left_ms == kNoDeadline ? kNoDeadline : fake_now_ms + left_ms;
    ticket.bytes = bytes;
    return ticket;
  }
  Verdict admit(Ticket& ticket, const char* model = kModel) { return admission.admit(model, -1, ticket)->verdict; }
  // Starts one and puts the others behind it.
  Ticket& hold() {
    Ticket& ticket = make();
    CHECK(admit(ticket) == Verdict::start);
    CHECK(!ticket.launched());
    return ticket;
  }
  Ticket& waiting(std::uint32_t priority = kDefaultPriority, std::int64_t left_ms = kNoDeadline) {
    Ticket& ticket = make(priority, left_ms);
    CHECK(admit(ticket) == Verdict::wait);
    return ticket;
  }
  // Lets go of `ticket`; who is next.
  Ticket* after(Ticket& ticket, Ended how = Ended::answered) {
    admission.release(ticket, how);
    const auto turn = admission.next();
    CHECK(!turn.late);
    return turn.ticket;
  }
  Admission admission;
  std::deque<Ticket> tickets;
};

}  // namespace roundhouse::test
