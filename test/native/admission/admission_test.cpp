// The queue in front of the core: bounds, order, turns of the oldest, deadlines, withdrawals, models that change.
#include "admission.hpp"

#include "queue.hpp"

namespace {

using namespace roundhouse;
using roundhouse::test::fake_now_ms;
using roundhouse::test::kModel;
using roundhouse::test::pass;
using roundhouse::test::Queue;

void check_bounds() {
  Queue queue({.queued = 2, .queued_bytes = 100}, 2);
  CHECK(queue.admit(queue.make()) == Verdict::start);
  Ticket& second = queue.make();
  CHECK(queue.admit(second) == Verdict::start);
  CHECK(queue.admit(queue.make(kDefaultPriority, kNoDeadline, 60)) == Verdict::wait);
  // 60 + 41 > 100 bytes
  CHECK(queue.admit(queue.make(kDefaultPriority, kNoDeadline, 41)) == Verdict::full);
  CHECK(queue.admit(queue.make(kDefaultPriority, kNoDeadline, 40)) == Verdict::wait);
  CHECK(queue.admit(queue.make()) == Verdict::full);
  CHECK_EQUAL(queue.admission.queued(), 2);
  CHECK(queue.after(second) != nullptr);
  CHECK(queue.admission.next().ticket == nullptr);
  CHECK(queue.admit(queue.make()) == Verdict::wait);
  const AdmissionStatistics statistics = queue.admission.statistics();
  CHECK_EQUAL(statistics.counts[1].refused_full, 2U);
  CHECK_EQUAL(statistics.counts[1].started_at_once, 2U);
  CHECK_EQUAL(statistics.counts[1].queued, 3U);
  CHECK_EQUAL(statistics.counts[1].started_later, 1U);
  CHECK_EQUAL(statistics.queued_bytes, 40);
  CHECK_EQUAL(statistics.in_core, 2);
}

void check_no_queue() {
  Queue queue({.queued = 0});
  queue.hold();
  CHECK(queue.admit(queue.make()) == Verdict::full);
}

// The bound of all models, and of one: 8 instances' places, but 1 by configuration.
void check_core_bound() {
  Queue queue({.in_core = 2, .running = 1}, 8);
  queue.admission.open("other", -1, 8);
  queue.admission.open("third", -1, 8);
  Ticket& held = queue.hold();
  CHECK(queue.admit(queue.make()) == Verdict::wait);
  CHECK(queue.admit(queue.make(), "other") == Verdict::start);
  Ticket& third = queue.make(1);
  CHECK(queue.admit(third, "third") == Verdict::wait);
  // Both could start: the higher priority does, and then there is no room.
  CHECK(queue.after(held) == &third);
  CHECK(queue.admission.next().ticket == nullptr);
  CHECK(!queue.admission.admit("nobody", -1, queue.make()).has_value());
}

void check_order() {
  Queue queue;
  Ticket* running = &queue.hold();
  Ticket& low = queue.waiting(9, 10);
  Ticket& never = queue.waiting();
  Ticket& later = queue.waiting(kDefaultPriority, 300);
  Ticket& sooner = queue.waiting(kDefaultPriority, 200);
  Ticket& same = queue.waiting(kDefaultPriority, 200);
  Ticket& high = queue.waiting(1);
  // Priority, then deadline, then arrival; without a deadline last of its priority.
  for (Ticket* expected : {&high, &sooner, &same, &later, &never, &low}) {
    Ticket* next = queue.after(*running);
    CHECK(next == expected);
    running = next;
  }
}

// Starts among endless requests of priority 1 until this one's turn comes, itself counted; 100 at most.
int starts_until(Queue& queue, const Ticket& awaited, Ticket* running) {
  int starts = 0;
  do {
    queue.waiting(1);
    running = queue.after(*running);
    ++starts;
  } while (running != &awaited && starts < 100);
  return starts;
}

// One request of priority 9 among endless ones of priority 1: passed over 7 times, then it starts.
void check_no_starvation() {
  Queue queue;
  Ticket* running = &queue.hold();
  Ticket& low = queue.waiting(9);
  CHECK_EQUAL(starts_until(queue, low, running), kMostPassedOver + 1);
}

// The same where the bound of the core is what they wait for, each in a line of its own.
void check_no_starvation_between_models() {
  Queue queue({.in_core = 1}, 8);
  queue.admission.open("other", -1, 8);
  Ticket* running = &queue.hold();
  Ticket& low = queue.make(9);
  CHECK(queue.admit(low, "other") == Verdict::wait);
  CHECK_EQUAL(starts_until(queue, low, running), kMostPassedOver + 1);
}

void check_deadlines() {
  Queue queue;
  CHECK(queue.admit(queue.make(kDefaultPriority, 0)) == Verdict::late);
  Ticket& held = queue.hold();
  Ticket& soon = queue.waiting(kDefaultPriority, 10);
  Ticket& late = queue.waiting(kDefaultPriority, 20);
  Ticket& after = queue.waiting(kDefaultPriority, 30);
  CHECK(queue.admission.withdraw(soon, Withdrawal::deadline));
  pass(20);
  // Its owner's timer was late: it isn't started, and takes no place.
  queue.admission.release(held, Ended::answered);
  const auto turn = queue.admission.next();
  CHECK(turn.ticket == &late && turn.late);
  // Its owner's timer comes now: counted already.
  CHECK(!queue.admission.withdraw(late, Withdrawal::deadline));
  const auto next = queue.admission.next();
  CHECK(next.ticket == &after && !next.late);
  CHECK(!queue.admission.withdraw(after, Withdrawal::deadline));
  const AdmissionStatistics statistics = queue.admission.statistics();
  CHECK_EQUAL(statistics.counts[1].late, 1U);
  CHECK_EQUAL(statistics.counts[1].expired_queued, 2U);
  CHECK_EQUAL(statistics.counts[1].expired_running, 1U);
  CHECK_EQUAL(statistics.in_core, 1);
  // It waited 20 ms: the bucket that ends with 50.
  CHECK_EQUAL(statistics.counts[1].wait_buckets[4], 1U);
}

// 64 requests of 40 ms: with 39 ms left it is hopeless behind another, but an idle model is tried.
void check_hopeless() {
  Queue queue;
  for (int i = 0; i < 64; ++i) {
    Ticket& ticket = queue.hold();
    pass(40);
    CHECK(queue.after(ticket) == nullptr);
  }
  Ticket& idle = queue.make(kDefaultPriority, 39);
  CHECK(queue.admit(idle) == Verdict::start);
  CHECK(queue.admit(queue.make(kDefaultPriority, 39)) == Verdict::hopeless);
  CHECK(queue.admit(queue.make(kDefaultPriority, 40)) == Verdict::wait);
  CHECK_EQUAL(queue.admission.statistics().counts[1].refused_hopeless, 1U);
}

// What failed or was cancelled says nothing of a model's time; one that is fast once counts.
void check_shortest_time() {
  Queue queue;
  for (int i = 0; i < 64; ++i) {
    Ticket& failed = queue.hold();
    queue.after(failed, Ended::failed);
    Ticket& ticket = queue.hold();
    pass(i == 7 ? 15 : 40);
    queue.after(ticket);
  }
  queue.hold();
  CHECK(queue.admit(queue.make(kDefaultPriority, 14)) == Verdict::hopeless);
  CHECK(queue.admit(queue.make(kDefaultPriority, 15)) == Verdict::wait);
}

void check_withdrawal() {
  Queue queue;
  Ticket& held = queue.hold();
  Ticket& first = queue.waiting();
  Ticket& second = queue.waiting();
  CHECK(queue.admission.withdraw(first, Withdrawal::cancelled));
  CHECK(!queue.admission.withdraw(first, Withdrawal::cancelled));
  CHECK(!queue.admission.withdraw(held, Withdrawal::cancelled));
  CHECK(!held.defer_cancel());
  CHECK(queue.after(held) == &second);
  // On its way into the core: who starts it is told.
  CHECK(!queue.admission.withdraw(second, Withdrawal::cancelled));
  CHECK(second.defer_cancel());
  CHECK(second.defer_cancel());
  CHECK(second.launched());
  CHECK(!second.defer_cancel());
}

// A model that was loaded again: what waits for the old one still has its turn, with the old one's places.
void check_models_that_change() {
  Queue queue({}, 1);
  Ticket& held = queue.hold();
  Ticket& old = queue.waiting();
  queue.admission.close(kModel);
  CHECK(!queue.admission.admit(kModel, -1, queue.make()).has_value());
  queue.admission.open(kModel, -1, 2);
  queue.admission.open(kModel, -1, 100);
  CHECK(queue.admit(queue.make()) == Verdict::start);
  CHECK(queue.admit(queue.make()) == Verdict::start);
  Ticket& fresh = queue.waiting(1);
  CHECK(queue.after(held) == &old);
  CHECK(queue.after(old) == nullptr);
  CHECK(queue.admission.withdraw(fresh, Withdrawal::cancelled));
}

void check_classes() {
  Queue queue;
  queue.hold();
  for (const std::uint32_t priority : {1U, 4U, 5U, 6U, 4'000'000'000U}) queue.waiting(priority);
  const auto waiting = queue.admission.statistics().queued_of;
  CHECK_EQUAL(waiting[0], 2);
  CHECK_EQUAL(waiting[1], 1);
  CHECK_EQUAL(waiting[2], 2);
}

}  // namespace

int main() {
  check_bounds();
  check_no_queue();
  check_core_bound();
  check_order();
  check_no_starvation();
  check_no_starvation_between_models();
  check_deadlines();
  check_hopeless();
  check_shortest_time();
  check_withdrawal();
  check_models_that_change();
  check_classes();
  return roundhouse::test::finish();
}
