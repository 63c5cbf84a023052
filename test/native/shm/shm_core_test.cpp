// The shared part of the data plane against itself and against hostile peers.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "check.hpp"
#include "failure.hpp"
#include "frames.hpp"
#include "layout.hpp"
#include "lease_socket.hpp"
#include "ring.hpp"
#include "segment.hpp"
#include "slot_pool.hpp"

namespace {

using namespace roundhouse::shm;

std::string code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const ShmFailure& failure) {
    return failure.code;
  }
  return "none";
}

Layout small_layout() { return Layout(4096, {{4096, 3}, {16384, 2}}); }

void test_layout() {
  const Layout layout = small_layout();
  // 3 pages before the rings, 2 rings of one page, 3 slots of one page, 2 of four.
  CHECK_EQUAL(layout.total_bytes(), 4096U * (3 + 2 + 3 + 8));
  CHECK_EQUAL(layout.slot_offset(0), 4096U * 5);
  CHECK_EQUAL(layout.slot_offset(4), 4096U * (5 + 3 + 4));
  CHECK(layout.holds(0, 0, 4096));
  CHECK(layout.holds(0, 4096, 0));
  CHECK(!layout.holds(0, 1, 4096));
  CHECK(!layout.holds(0, 4097, 0));
  CHECK(!layout.holds(0, ~0ULL, 2));
  CHECK(!layout.holds(0, 2, ~0ULL));
  CHECK(!layout.holds(5, 0, 0));
  CHECK(!layout.holds(SlotRef::kNone, 0, 0));
  CHECK_EQUAL(code_of([] { Layout(4096, {}); }), "SETTINGS_INVALID");
  CHECK_EQUAL(code_of([] { Layout(5000, {{4096, 1}}); }), "SETTINGS_INVALID");
  CHECK_EQUAL(code_of([] { Layout(4096, {{4096, 0}}); }), "SETTINGS_INVALID");
  CHECK_EQUAL(code_of([] { Layout(4096, {{16384, 1}, {4096, 1}}); }), "SETTINGS_INVALID");
  CHECK_EQUAL(code_of([] { Layout(4096, {{1ULL << 63, 2}}); }), "SETTINGS_INVALID");
}

void test_segments_of_peers() {
  const Layout layout = small_layout();
  const Segment segment = Segment::create(layout.total_bytes());
  layout.write(segment.data());
  Segment adopted = Segment::adopt(OwnedFd(dup(segment.fd())));
  CHECK_EQUAL(Layout::read(adopted.data(), adopted.bytes()).slot_count(), 5U);
  // Sealed: nobody can cut it short under the other's feet.
  CHECK(ftruncate(segment.fd(), 4096) != 0);
  CHECK(ftruncate(segment.fd(), 1 << 30) != 0);

  const int open = memfd_create("t", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  (void)!ftruncate(open, static_cast<off_t>(layout.total_bytes()));
  CHECK_EQUAL(code_of([&] { Segment::adopt(OwnedFd(dup(open))); }), "PEER_INVALID");
  fcntl(open, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  CHECK_EQUAL(code_of([&] { Segment::adopt(OwnedFd(dup(open))); }), "PEER_INVALID");
  fcntl(open, F_ADD_SEALS, F_SEAL_SEAL);
  Segment zeros = Segment::adopt(OwnedFd(dup(open)));
  CHECK_EQUAL(code_of([&] { Layout::read(zeros.data(), zeros.bytes()); }), "PEER_INVALID");
  close(open);

  const Segment tiny = Segment::create(4096);
  CHECK_EQUAL(code_of([&] { Segment::adopt(OwnedFd(dup(tiny.fd()))); }), "PEER_INVALID");
  CHECK_EQUAL(code_of([] { Segment::adopt(OwnedFd(::open("/dev/zero", O_RDWR))); }), "PEER_INVALID");
  // A header that claims more than there is.
  const Segment lying = Segment::create(layout.total_bytes() - 4096);
  layout.write(lying.data());
  CHECK_EQUAL(code_of([&] { Layout::read(lying.data(), lying.bytes()); }), "PEER_INVALID");
}

void test_pool() {
  SlotPool pool(small_layout());
  const SlotRef first = *pool.take(100);
  CHECK_EQUAL(first.slot, 0U);
  CHECK(pool.give_back(first));
  CHECK_THAT(!pool.give_back(first), "a lease ends once");
  const SlotRef again = *pool.take(100);
  CHECK_EQUAL(again.slot, first.slot);
  CHECK_THAT(!pool.give_back(first), "the generation is stale");
  CHECK(pool.is_held(again));
  // Two more of its class, then the larger one, then none.
  for (int i = 0; i < 4; ++i) CHECK(pool.take(4096).has_value());
  CHECK(!pool.take(1).has_value());
  CHECK_EQUAL(pool.held(), 5U);
  CHECK(!pool.take(16385).has_value());
  CHECK(!pool.give_back({SlotRef::kNone, 0}));
  // A lease that was handed on: the old holder can't end it.
  pool.renew(again);
  CHECK(!pool.give_back(again));
  CHECK(pool.give_back(SlotPool::renewed(again)));
}

void test_ledger() {
  SlotLedger ledger(2);
  CHECK(ledger.claim({0, 1}));
  CHECK_THAT(!ledger.claim({0, 2}), "in use");
  ledger.let_go({0, 1});
  CHECK_THAT(!ledger.claim({0, 1}), "stale");
  CHECK(ledger.claim({0, 7}));
  CHECK(!ledger.claim({2, 1}));
  ledger.let_go({9, 1});
  // Generations wrap: after 0xffffffff comes 0.
  SlotLedger wrapping(1);
  for (const std::uint32_t generation : {0x7fffffffU, 0xfffffffeU, 0xffffffffU, 0U, 1U}) {
    CHECK(wrapping.claim({0, generation}));
    wrapping.let_go({0, generation});
  }
}

struct Ring {
  alignas(64) std::byte control[4096] = {};
  std::vector<std::byte> data = std::vector<std::byte>(4096);
  OwnedFd event = make_event();
  RingControl& counters() { return *reinterpret_cast<RingControl*>(control); }
  RingProducer producer() { return {control, data.data(), data.size(), event.get()}; }
  RingConsumer consumer() { return {control, data.data(), data.size(), event.get()}; }
};

void test_ring_order() {
  Ring ring;
  RingProducer producer = ring.producer();
  RingConsumer consumer = ring.consumer();
  std::uint64_t received = 0;
  bool good = true;
  std::thread reader([&] {
    Bytes frame;
    while (received < 100'000) {
      if (!consumer.pop(frame)) continue;
      // Frame i has i % 500 bytes of value i % 256.
      good &= frame.size() == received % 500;
      for (const std::byte byte : frame) good &= byte == static_cast<std::byte>(received % 256);
      ++received;
    }
  });
  for (std::uint64_t i = 0; i < 100'000;) {
    const Bytes frame(i % 500, static_cast<std::byte>(i % 256));
    if (producer.push(frame)) ++i;
    else std::this_thread::yield();
  }
  reader.join();
  CHECK(good);
  CHECK(!producer.could_hold(4089));
  CHECK(producer.could_hold(4088));
}

void test_ring_wakes() {
  Ring ring;
  RingProducer producer = ring.producer();
  RingConsumer consumer = ring.consumer();
  std::uint64_t count = 0;
  CHECK(consumer.fall_asleep());
  const Bytes frame(8);
  producer.push(frame);
  producer.push(frame);
  CHECK_EQUAL(read(ring.event.get(), &count, sizeof count), 8);
  CHECK_THAT(count == 1, "one event for a sleeper, however many frames");
  CHECK(!consumer.fall_asleep());
}

void test_ring_of_a_hostile_peer() {
  Bytes frame;
  for (const std::uint64_t head : {~0ULL, 4097ULL, 4ULL}) {
    Ring ring;
    ring.counters().head = head;
    RingConsumer consumer = ring.consumer();
    CHECK_EQUAL(code_of([&] { consumer.pop(frame); }), "PEER_INVALID");
  }
  for (const std::uint64_t length : {~0ULL, 64ULL, 57ULL, ~0ULL - 6}) {
    Ring ring;
    ring.counters().head = 64;
    std::memcpy(ring.data.data(), &length, sizeof length);
    RingConsumer consumer = ring.consumer();
    CHECK_EQUAL(code_of([&] { consumer.pop(frame); }), "PEER_INVALID");
  }
  Ring ring;
  ring.counters().tail = 5;
  RingProducer producer = ring.producer();
  CHECK_EQUAL(code_of([&] { producer.push(Bytes(8)); }), "PEER_INVALID");
}

InferFrame sample() {
  InferFrame frame;
  frame.id = 7;
  frame.deadline_ms = 1'700'000'000'000;
  frame.input = {3, 9};
  frame.model.assign("echo", 4);
  frame.request_id.assign(1, 'r');
  frame.inputs = {{"data", "INT32", {1, 5}, 64, 20, false}, {"control", "INT32", {}, 0, 0, true}};
  frame.outputs = {"sum", ""};
  frame.parameters = {{"hang", true}, {"delay_ms", std::int64_t{-5}}, {"share", 0.25}, {"fail", "no\nroom"}};
  return frame;
}

void test_frames() {
  Bytes bytes;
  write_infer(bytes, sample());
  CHECK(kind_of(bytes) == FrameKind::infer);
  const InferFrame read = read_infer(bytes);
  CHECK_EQUAL(read.id, 7U);
  CHECK_EQUAL(read.inputs.size(), 2U);
  CHECK_EQUAL(read.inputs[0].shape[1], 5);
  CHECK(read.inputs[1].in_frame);
  CHECK(read.output.none());
  CHECK_EQUAL(read.outputs[0], "sum");
  CHECK_EQUAL(read.parameters.size(), 4U);
  for (std::size_t i = 0; i < read.parameters.size(); ++i) {
    CHECK_EQUAL(read.parameters[i].key, sample().parameters[i].key);
    CHECK(read.parameters[i].value == sample().parameters[i].value);
  }
  // Cut anywhere, it is refused, never read past its end.
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    CHECK_EQUAL(code_of([&] { read_infer(cut); }), "PEER_INVALID");
  }
}

void test_random_frames() {
  std::mt19937 random(1);
  Bytes good;
  write_infer(good, sample());
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = good;
    for (int k = 0; k < 4; ++k) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    refused += code_of([&] { read_infer(bytes); }) != "none";
    (void)code_of([&] { read_result(bytes); });
    (void)code_of([&] { read_failed(bytes); });
  }
  CHECK_THAT(refused > 1'000, "lengths and counts are among what was changed");
}

void test_offers() {
  int ends[2];
  (void)!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends);
  const OwnedFd left(ends[0]);
  OwnedFd right(ends[1]);
  SessionFds fds;
  CHECK(!receive_offer(right.get(), fds));
  const OwnedFd event = make_event();
  send_offer(left.get(), event.get(), event.get(), event.get());
  CHECK(receive_offer(right.get(), fds));
  CHECK(fds.segment && fds.request_event && fds.answer_event);
  (void)!send(left.get(), "junk", 4, 0);
  CHECK_EQUAL(code_of([&] { receive_offer(right.get(), fds); }), "PEER_INVALID");
  send_reply(right.get(), "not sealed");
  CHECK_EQUAL(code_of([&] { receive_reply(left.get()); }), "PEER_INVALID");
  right.reset();
  CHECK_EQUAL(code_of([&] { receive_reply(left.get()); }), "PEER_INVALID");
}

}  // namespace

int main() {
  test_layout();
  test_segments_of_peers();
  test_pool();
  test_ledger();
  test_ring_order();
  test_ring_wakes();
  test_ring_of_a_hostile_peer();
  test_frames();
  test_random_frames();
  test_offers();
  return roundhouse::test::finish();
}
