// A full queue: who is more urgent has the place of the least urgent, but for the oldest of each model.
#include "queue.hpp"

namespace {

using namespace roundhouse;
using roundhouse::test::kModel;
using roundhouse::test::Queue;

Admitted admit(Queue& queue, Ticket& ticket) { return *queue.admission.admit(kModel, -1, ticket); }

void check_order_of_leaving() {
  Queue queue({.queued = 4});
  Ticket& held = queue.hold();
  queue.waiting(9);  // the oldest
  Ticket& soon = queue.waiting(9, 100);
  Ticket& later = queue.waiting(9, 200);
  Ticket& never = queue.waiting(9);
  Ticket& high = queue.make(1);
  const Admitted first = admit(queue, high);
  CHECK(first.verdict == Verdict::wait && first.displaced == &never && never.newer == nullptr);
  // The same priority with an earlier deadline than the last one's.
  const Admitted second = admit(queue, queue.make(9, 150));
  CHECK(second.verdict == Verdict::wait && second.displaced == &later);
  // No earlier than the last one's is no reason; nor is a lower priority, however early.
  CHECK(admit(queue, queue.make(9, 150)).verdict == Verdict::full);
  CHECK(admit(queue, queue.make(10, 1)).verdict == Verdict::full);
  CHECK_EQUAL(queue.admission.queued(), 4);
  CHECK(queue.after(held) == &high);
  CHECK(queue.after(high) == &soon);
  const AdmissionStatistics statistics = queue.admission.statistics();
  CHECK_EQUAL(statistics.counts[2].displaced, 2U);
  CHECK_EQUAL(statistics.counts[2].refused_full, 2U);
  CHECK_EQUAL(statistics.queued_of[2], 2);
}

// The owner's timer or cancellation may come meanwhile: it is no longer in the queue, and counted once.
void check_withdrawn_afterwards() {
  Queue queue({.queued = 2});
  queue.hold();
  queue.waiting(9);
  Ticket& low = queue.waiting(9);
  CHECK(admit(queue, queue.make(1)).displaced == &low);
  CHECK(!queue.admission.withdraw(low, Withdrawal::deadline));
  CHECK(!low.defer_cancel());
  CHECK_EQUAL(queue.admission.statistics().counts[2].expired_running, 0U);
}

// However many more urgent ones come: who is the oldest keeps its place, and so its turn.
void check_the_oldest_stays() {
  Queue queue({.queued = 3});
  Ticket* running = &queue.hold();
  Ticket& low = queue.waiting(9);
  queue.waiting(9);
  queue.waiting(9);
  for (int i = 0; i < 2; ++i) CHECK(admit(queue, queue.make(1)).displaced != nullptr);
  CHECK(admit(queue, queue.make(1)).verdict == Verdict::full);
  int starts = 0;
  do {
    running = queue.after(*running);
    ++starts;
    CHECK(admit(queue, queue.make(1)).verdict == Verdict::wait);
  } while (running != &low && starts < 100);
  CHECK_EQUAL(starts, kMostPassedOver + 1);
}

// Who is left as the oldest when the one before it has gone keeps its place from then on.
void check_the_next_oldest_stays() {
  Queue queue({.queued = 2});
  queue.hold();
  Ticket& first = queue.waiting(9);
  queue.waiting(9);
  CHECK(queue.admission.withdraw(first, Withdrawal::cancelled));
  CHECK(admit(queue, queue.make(8)).verdict == Verdict::wait);
  Ticket& high = queue.make(1);
  const Admitted admitted = admit(queue, high);
  CHECK(admitted.verdict == Verdict::wait && admitted.displaced->priority == 8);
}

void check_bytes() {
  Queue queue({.queued = 10, .queued_bytes = 100});
  queue.hold();
  const auto waits = [&](std::uint32_t priority, std::int64_t bytes) -> Ticket& {
    Ticket& ticket = queue.make(priority, kNoDeadline, bytes);
    CHECK(admit(queue, ticket).verdict == Verdict::wait);
    return ticket;
  };
  waits(9, 20);
  Ticket& eight = waits(8, 30);
  Ticket& nine = waits(9, 40);
  waits(4, 10);
  // 30 + 40 bytes may go: 20 + 10 + 71 are more than 100, so nobody leaves.
  CHECK(admit(queue, queue.make(5, kNoDeadline, 71)).verdict == Verdict::full);
  // 20 + 30 + 10 + 41 too, so the last two leave; 20 + 10 + 70 are 100.
  const Admitted admitted = admit(queue, queue.make(5, kNoDeadline, 70));
  CHECK(admitted.verdict == Verdict::wait && admitted.displaced == &eight && eight.newer == &nine);
  CHECK_EQUAL(queue.admission.statistics().queued_bytes, 100);
  // More than the queue may hold at all.
  CHECK(admit(queue, queue.make(1, kNoDeadline, 101)).verdict == Verdict::full);
  CHECK_EQUAL(queue.admission.queued(), 3);
}

// One that can't be done in time makes nobody leave.
void check_hopeless_displaces_nobody() {
  Queue queue({.queued = 2});
  for (int i = 0; i < 64; ++i) {
    Ticket& ticket = queue.hold();
    test::pass(40);
    queue.after(ticket);
  }
  queue.hold();
  queue.waiting(9);
  queue.waiting(9);
  CHECK(admit(queue, queue.make(1, 39)).verdict == Verdict::hopeless);
  CHECK_EQUAL(queue.admission.queued(), 2);
}

}  // namespace

int main() {
  check_order_of_leaving();
  check_withdrawn_afterwards();
  check_the_oldest_stays();
  check_the_next_oldest_stays();
  check_bytes();
  check_hopeless_displaces_nobody();
  return roundhouse::test::finish();
}
