// An engine that breaks the protocol towards the worker's end of a session: hostile_engine SOCKET MISDEED. It takes
// one session and its first request, does the misdeed, and ends when the worker has hung up.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "frames.hpp"
#include "layout.hpp"
#include "lease_socket.hpp"
#include "ring.hpp"
#include "segment.hpp"

namespace {

using namespace roundhouse::shm;

bool is_readable(int fd, int ms) {
  pollfd ready{fd, POLLIN, 0};
  return ::poll(&ready, 1, ms) > 0;
}

// An engine's end of a session.
struct Session {
  explicit Session(OwnedFd lease) : socket(std::move(lease)) {
    while (!receive_offer(socket.get(), fds)) is_readable(socket.get(), 20'000);
    segment.emplace(Segment::adopt(std::move(fds.segment)));
    layout.emplace(Layout::read(segment->data(), segment->bytes()));
    requests.emplace(at(Layout::request_control()), at(Layout::request_ring()), layout->ring_bytes(),
                     fds.request_event.get());
    answers.emplace(at(Layout::answer_control()), at(layout->answer_ring()), layout->ring_bytes(),
                    fds.answer_event.get());
  }
  std::byte* at(std::uint64_t offset) { return segment->data() + offset; }
  RingControl& control(std::uint64_t offset) { return *reinterpret_cast<RingControl*>(at(offset)); }
  InferFrame request() {
    Bytes frame;
    while (!requests->pop(frame)) is_readable(fds.request_event.get(), 1);
    return read_infer(frame);
  }
  void ring_bell() {
    const std::uint64_t one = 1;
    (void)!::write(fds.answer_event.get(), &one, sizeof one);
  }

  OwnedFd socket;
  SessionFds fds;
  std::optional<Segment> segment;
  std::optional<Layout> layout;
  std::optional<RingConsumer> requests;
  std::optional<RingProducer> answers;
};

Bytes result(std::uint64_t id, std::uint64_t offset, std::uint64_t length, bool in_frame = false) {
  Bytes frame;
  write_result(frame, {id, "1", {{"OUT", "UINT8", {static_cast<std::int64_t>(length)}, offset, length, in_frame}}});
  return frame;
}

Bytes cut(Bytes frame, std::size_t size) {
  frame.resize(size);
  return frame;
}

// A count of 2^31 outputs where there is one.
Bytes with_many_outputs(Bytes frame) {
  const std::uint32_t many = 1U << 31;
  std::memcpy(frame.data() + 1 + 8 + 4 + 1, &many, sizeof many);
  return frame;
}

Bytes grow(std::uint64_t id, std::uint64_t bytes) {
  Bytes frame;
  write_grow(frame, id, bytes);
  return frame;
}

void write_length(Session& session, std::uint64_t length) {
  RingControl& control = session.control(Layout::answer_control());
  std::memcpy(session.at(session.layout->answer_ring()) + control.head.load(), &length, sizeof length);
  control.head += 64;
  session.ring_bell();
}

using Misdeed = std::function<void(Session&, std::uint64_t id)>;

Misdeed says(std::function<Bytes(std::uint64_t)> frame) {
  return [frame](Session& session, std::uint64_t id) { session.answers->push(frame(id)); };
}

constexpr std::uint64_t kMost = ~std::uint64_t{0};

const std::map<std::string, Misdeed> kMisdeeds = {
    {"offset", says([](auto id) { return result(id, 1ULL << 40, 10); })},
    {"length", says([](auto id) { return result(id, 0, 1ULL << 40); })},
    {"overflow", says([](auto id) { return result(id, kMost - 500, 1'000); })},
    {"frame", says([](auto id) { return result(id, 20, 1ULL << 20, true); })},
    {"frame-overflow", says([](auto id) { return result(id, kMost - 500, 1'000, true); })},
    {"stranger", says([](auto) { return result(99, 0, 10); })},
    {"kind", says([](auto) { return Bytes(9, std::byte{99}); })},
    {"empty", says([](auto) { return Bytes(); })},
    {"short", says([](auto id) { return cut(result(id, 0, 10), 5); })},
    {"count", says([](auto id) { return with_many_outputs(result(id, 0, 10)); })},
    {"grow", says([](auto id) { return grow(id, kMost); })},
    {"twice",
     [](Session& session, std::uint64_t id) {
       session.answers->push(result(id, 0, 10));
       session.answers->push(result(id, 0, 10));
     }},
    {"head",
     [](Session& session, std::uint64_t) {
       session.control(Layout::answer_control()).head += 1ULL << 40;
       session.ring_bell();
     }},
    {"long", [](Session& session, std::uint64_t) { write_length(session, 1ULL << 62); }},
    {"longest", [](Session& session, std::uint64_t) { write_length(session, kMost); }},
    // Seen with the next request, whose answer would never come.
    {"tail",
     [](Session& session, std::uint64_t id) {
       session.control(Layout::request_control()).tail += 1ULL << 40;
       session.answers->push(result(id, 0, 10));
     }},
    {"reply", [](Session& session, std::uint64_t) { send_reply(session.socket.get(), ""); }},
    {"hang-up", [](Session& session, std::uint64_t) { session.socket.reset(); }},
};

}  // namespace

int main(int argc, char** argv) {
  const OwnedFd listener = listen_on(argv[1]);
  std::puts("listening");
  std::fflush(stdout);
  is_readable(listener.get(), 20'000);
  Session session(accept_from(listener.get()));
  const std::string misdeed = argc > 2 ? argv[2] : "";
  if (misdeed == "refuse") return send_reply(session.socket.get(), std::string(400, 'x')), 0;
  send_reply(session.socket.get(), "");
  kMisdeeds.at(misdeed)(session, session.request().id);
  is_readable(session.socket.get(), 20'000);
}
