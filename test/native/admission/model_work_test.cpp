// What the queue says of the work of each model, and versions that share a line.
#include <cmath>
#include <string>

#include "queue.hpp"

namespace {

using namespace roundhouse;
using roundhouse::test::fake_now_ms;
using roundhouse::test::kModel;
using roundhouse::test::pass;
using roundhouse::test::Queue;

ModelWork only(const Queue& queue) {
  const std::vector<ModelWork> work = queue.admission.work();
  CHECK_EQUAL(work.size(), 1U);
  return work.at(0);
}

Ticket& start(Queue& queue, std::int64_t input_bytes, std::int64_t left_ms = kNoDeadline) {
  Ticket& ticket = queue.make(kDefaultPriority, left_ms);
  ticket.input_bytes = input_bytes;
  CHECK(queue.admit(ticket) == Verdict::start);
  (void)ticket.launched();
  return ticket;
}

void check_idle() {
  Queue queue;
  const ModelWork work = only(queue);
  CHECK_EQUAL(work.model, std::string(kModel));
  CHECK_EQUAL(work.running, 0);
  CHECK_EQUAL(work.oldest, 0U);
  CHECK_EQUAL(work.worked_off, 0U);
  CHECK(work.kib == 0 && work.ns_per_kib == 0 && work.left_ms == kNoDeadline);
}

void check_what_counts() {
  Queue queue({}, 3);
  Ticket& first = start(queue, 4'096, 500);
  pass(10);
  Ticket& second = start(queue, 100, 300);
  // 4 KiB since the oldest came; what came later is behind it, and must not prolong it.
  CHECK(only(queue).kib == 4);
  CHECK_EQUAL(only(queue).left_ms, 490);
  CHECK_EQUAL(only(queue).oldest, first.arrival);
  queue.admission.release(first, Ended::answered);
  // 10 ms for 4 KiB; less than a KiB counts as one.
  CHECK(only(queue).ns_per_kib == 2.5e6 && only(queue).kib == 1);
  CHECK_EQUAL(only(queue).oldest, second.arrival);
  CHECK_EQUAL(only(queue).left_ms, 300);
  CHECK_EQUAL(only(queue).answered, 1U);
  pass(400);
  CHECK_EQUAL(only(queue).left_ms, -100);
  start(queue, 0);
  CHECK_EQUAL(only(queue).left_ms, -100);
  queue.admission.release(second, Ended::failed);
  CHECK_EQUAL(only(queue).worked_off, 2U);
  CHECK_EQUAL(only(queue).answered, 1U);
  CHECK_EQUAL(only(queue).left_ms, kNoDeadline);
}

// Half of the way up, a fiftieth of the way down; the time since the model's last answer, not since the start.
void check_cost() {
  Queue queue({}, 2);
  const auto answers_after = [&](std::int64_t ms) {
    Ticket& ticket = start(queue, 0);
    pass(ms);
    queue.admission.release(ticket, Ended::answered);
  };
  answers_after(10);
  answers_after(20);
  // 10 + 0.5 · 10
  CHECK(only(queue).ns_per_kib == 15e6);
  answers_after(5);
  // 15 − 0.02 · 10
  CHECK(only(queue).ns_per_kib == 14.8e6);
  Ticket& one = start(queue, 0);
  Ticket& other = start(queue, 0);
  pass(14);
  queue.admission.release(one, Ended::answered);
  pass(1);
  queue.admission.release(other, Ended::answered);
  // 14.8 − 0.02 · 0.8 = 14.784, then 1 ms after the first: 14.784 − 0.02 · 13.784.
  CHECK(std::abs(only(queue).ns_per_kib - 14.508'32e6) < 1);
}

// Given up by its caller and dropped by the core, or never taken by it: the model did nothing.
void check_no_progress() {
  Queue queue({}, 3);
  Ticket& given_up = start(queue, 0);
  Ticket& refused = start(queue, 0);
  Ticket& stays = start(queue, 0);
  CHECK(!queue.admission.withdraw(given_up, Withdrawal::deadline));
  queue.admission.release(given_up, Ended::failed);
  queue.admission.release(refused, Ended::refused);
  CHECK_EQUAL(only(queue).worked_off, 0U);
  CHECK_EQUAL(only(queue).running, 1);
  CHECK_EQUAL(only(queue).oldest, stays.arrival);
  // Given up, but worked off all the same.
  CHECK(!queue.admission.withdraw(stays, Withdrawal::cancelled));
  queue.admission.release(stays, Ended::answered);
  CHECK_EQUAL(only(queue).worked_off, 1U);
}

// Version -1 and the one that the core takes for it, here 2, have one bound; another version has its own.
void check_versions() {
  Admission admission({}, test::fake_clock());
  Ticket named;
  Ticket latest;
  Ticket other;
  CHECK(!admission.admit("m", -1, latest).has_value());
  admission.open("m", -1, 2, 1);
  admission.open("m", 2, 1);
  admission.open("m", 1, 1);
  CHECK(admission.admit("m", 2, named)->verdict == Verdict::start);
  CHECK(admission.admit("m", -1, latest)->verdict == Verdict::wait);
  CHECK(admission.admit("m", 1, other)->verdict == Verdict::start);
  CHECK_EQUAL(admission.work().size(), 2U);

  // Version 3 is the latest from now on. Who waits stays with 2, where the core's request was made.
  CHECK(admission.is_current(named));
  admission.close("m");
  CHECK(!admission.is_current(named));
  admission.open("m", -1, 3, 1);
  Ticket newest;
  CHECK(admission.admit("m", -1, newest)->verdict == Verdict::start);
  CHECK_EQUAL(admission.work().size(), 3U);
  admission.release(newest, Ended::answered);
  CHECK(admission.next().ticket == nullptr);
  admission.release(named, Ended::answered);
  CHECK(admission.next().ticket == &latest);
  admission.release(latest, Ended::answered);
  admission.release(other, Ended::answered);
  // The lines of before are empty, and gone.
  CHECK_EQUAL(admission.work().size(), 1U);
  CHECK_EQUAL(admission.work().at(0).version, 3);
}

}  // namespace

int main() {
  check_idle();
  check_what_counts();
  check_cost();
  check_no_progress();
  check_versions();
  return roundhouse::test::finish();
}
