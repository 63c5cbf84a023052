// Peers that break every rule, against a live data plane: each loses its own session at most, while another session
// goes on without a fault, and nothing of them stays.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/un.h>

#include <functional>
#include <random>

#include "hostile_offers.hpp"
#include "hostile_rings.hpp"
#include "live_engine.hpp"
#include "neighbour.hpp"
#include "plane_peer.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::test;
using shm::FrameKind;
using shm::OwnedFd;

void make_blocking(const OwnedFd& event) {
  (void)fcntl(event.get(), F_SETFL, fcntl(event.get(), F_GETFL) & ~O_NONBLOCK);
}

// Eventfds that would make the engine wait: the neighbour goes on, and so does the peer's own session.
void check_blocking_events(const std::string& path, int bells) {
  PlanePeer peer(path);
  make_blocking(peer.request_event);
  make_blocking(peer.answer_event);
  // Full but for nothing: a write of 1 would wait for a reader.
  const std::uint64_t most = ~std::uint64_t{0} - 1;
  CHECK(write(peer.answer_event.get(), &most, sizeof most) == sizeof most);
  for (std::uint64_t id = 1; id <= 20; ++id) {
    peer.answer_control().consumer_sleeps = 1;
    const shm::InferFrame frame = peer.request(id, 1'000);
    peer.send(frame);
    peer.ring_bell();
    CHECK(comes_true([&] { return peer.answers.has_frame(); }));
    Bytes answer;
    CHECK(peer.answers.pop(answer) && shm::kind_of(answer) == FrameKind::result);
    peer.give_back(frame);
  }
  // Bells that are taken back before the engine has read them.
  std::uint64_t count = 0;
  for (int i = 0; i < bells && !peer.is_over(); ++i) {
    peer.ring_bell();
    pollfd ready{peer.request_event.get(), POLLIN, 0};
    (void)fcntl(peer.request_event.get(), F_SETFL, O_RDWR | O_NONBLOCK);
    if (::poll(&ready, 1, 0) > 0) (void)!::read(peer.request_event.get(), &count, sizeof count);
    make_blocking(peer.request_event);
  }
  CHECK_EQUAL(PlanePeer(path).taken, "taken");
}

// An answer `failed` with this code and a message that has this text.
bool fails(PlanePeer& peer, const shm::InferFrame& frame, const std::string& code, const std::string& text) {
  peer.send(frame);
  const auto answer = peer.answer();
  if (!answer || shm::kind_of(*answer) != FrameKind::failed) return false;
  const shm::FailedFrame failed = shm::read_failed(*answer);
  return failed.id == frame.id && failed.code == code && failed.message.find(text) != std::string::npos;
}

void check_leases_and_places(const std::string& path) {
  PlanePeer peer(path);
  std::uint64_t id = 0;
  const auto frame = [&] { return peer.request(++id, 1'000); };
  const auto bad = [&](const std::function<void(shm::InferFrame&)>& change, const char* code, const char* text) {
    shm::InferFrame changed = frame();
    const shm::InferFrame as_it_was = changed;
    change(changed);
    CHECK_THAT(fails(peer, changed, code, text), std::string(code) + ": " + text);
    peer.give_back(as_it_was);
  };
  const char* stale = "a stale lease of a slot";
  bad([](auto& f) { f.input.generation -= 100; }, "PAYLOAD_INVALID", stale);
  bad([](auto& f) { f.output.generation -= 100; }, "PAYLOAD_INVALID", stale);
  bad([](auto& f) { f.input.slot = 1'000; }, "PAYLOAD_INVALID", stale);
  bad([](auto& f) { f.output = f.input; }, "PAYLOAD_INVALID", stale);
  const char* outside = "its bytes lie outside of the slot";
  for (const std::uint64_t offset : {std::uint64_t{64 * 1024 - 999}, ~std::uint64_t{0}, ~std::uint64_t{0} - 999}) {
    bad([&](auto& f) { f.inputs[0].offset = offset; }, "INVALID_ARG", outside);
    bad([&](auto& f) { f.inputs[0].offset = offset, f.inputs[0].in_frame = true; }, "INVALID_ARG", outside);
  }
  bad([](auto& f) { f.inputs[0].length = ~std::uint64_t{0}; }, "INVALID_ARG", outside);
  bad([](auto& f) { f.input = {}; }, "INVALID_ARG", outside);
  bad([](auto& f) { f.inputs[0].shape = {-1'000}; }, "INVALID_ARG", "is no dimension");
  bad([](auto& f) { f.inputs[0].shape = {1LL << 62, 1LL << 62}; }, "INVALID_ARG", "needs");
  bad([](auto& f) { f.inputs.push_back(f.inputs[0]); }, "INVALID_ARG", "stands there twice");
  bad([](auto& f) { f.inputs.clear(); }, "INVALID_ARG", "expected 1 inputs");
  bad([](auto& f) { f.model = "nobody"; }, "NOT_FOUND", "nobody");
  bad([](auto& f) { f.model = "../models"; }, "NOT_FOUND", "");
  bad([](auto& f) { f.version = -7; }, "NOT_FOUND", "");
  bad([](auto& f) { f.parameters = {{"timeout", -1.5}}; }, "INVALID_ARG", "parameters[\"timeout\"]");
  CHECK_EQUAL(round_trip(peer, ++id, 1'000), "");
}

void check_frames_out_of_turn(const std::string& path) {
  CHECK(ends_by(path, [](PlanePeer& peer) { peer.push(Bytes(1, std::byte{99})); }));
  CHECK(ends_by(path, [](PlanePeer& peer) { peer.push(Bytes(0)); }));
  CHECK(ends_by(path, [](PlanePeer& peer) { peer.push(Bytes(1, std::byte{1})); }));
  const auto held = [](PlanePeer& peer, std::uint64_t id) {
    shm::InferFrame frame = peer.request(id, 100, "fault_injection");
    frame.parameters = {{"delay_ms", std::int64_t{600'000}}};
    peer.send(frame);
  };
  // The number of a request under way, and a fetch of outputs that are not there yet.
  CHECK(ends_by(path, [&](PlanePeer& peer) { held(peer, 7), held(peer, 7); }));
  CHECK(ends_by(path, [&](PlanePeer& peer) {
    held(peer, 7);
    shm::write_fetch(peer.scratch, {7, *peer.pool.take(100)});
    peer.push(peer.scratch);
  }));
  // Nobody's request is cancelled or fetched without harm.
  PlanePeer peer(path);
  shm::write_id(peer.scratch, FrameKind::cancel, 99);
  peer.push(peer.scratch);
  shm::write_fetch(peer.scratch, {99, {0, 1}});
  peer.push(peer.scratch);
  CHECK_EQUAL(round_trip(peer, 1, 100), "");
}

// Random words over rings, control words and slots while requests are under way.
void check_corruption(const std::string& path, int sessions) {
  std::mt19937_64 random(2);
  for (int i = 0; i < sessions; ++i) {
    PlanePeer peer(path);
    for (std::uint64_t id = 1; id <= 3; ++id) peer.send(peer.request(id, 20'000));
    const std::uint64_t reach = i % 2 == 0 ? peer.layout.answer_ring() + peer.layout.ring_bytes()
                                           : peer.layout.total_bytes();
    for (int k = 0; k < 200; ++k) {
      const std::uint64_t word = random();
      std::memcpy(peer.at(random() % (reach / 8) * 8), &word, sizeof word);
    }
    peer.ring_bell();
    usleep(200);
  }
}

// A request whose input is in the frame, with no room for its output.
void write_frame_request(Bytes& bytes, std::uint64_t id, std::uint64_t size) {
  shm::InferFrame frame;
  frame.id = id;
  frame.model = "pass_through";
  frame.inputs = {{"IN", "UINT8", {static_cast<std::int64_t>(size)}, 0, size, true}};
  shm::write_infer(bytes, frame);
  frame.inputs[0].offset = shm::aligned_up(bytes.size());
  shm::write_infer(bytes, frame);
  shm::append_data(bytes, std::string(size, 'x').data(), size);
}

// Answers that nobody reads, and outputs that nobody fetches.
void check_floods(const std::string& path) {
  CHECK(ends_by(path, [](PlanePeer& peer) {
    shm::InferFrame frame;
    frame.model = "nobody" + std::string(2'000, '!');
    for (int i = 0; i < 200'000 && !peer.is_over(); ++i) {
      frame.id = 100 + static_cast<std::uint64_t>(i);
      shm::write_infer(peer.scratch, frame);
      while (!peer.push(peer.scratch) && !peer.is_over()) usleep(100);
    }
  }));
  // Each output has 900,000 bytes: the 299th passes 256 MiB.
  PlanePeer hoarder(path, shm::Layout(2 << 20, {{4096, 2}}));
  CHECK_EQUAL(hoarder.taken, "taken");
  Bytes frame;
  for (std::uint64_t id = 1; id < 400 && !hoarder.is_over(); ++id) {
    write_frame_request(frame, id, 900'000);
    hoarder.push(frame);
    (void)hoarder.answer();
  }
  CHECK(hoarder.comes_to_an_end());
}

bool can_open(const std::string& path) {
  try {
    return PlanePeer(path).taken == "taken";
  } catch (const shm::ShmFailure&) {
    return false;
  }
}

// Peers that connect and say nothing take the room of others for two seconds, not longer.
void check_half_open(const std::string& path) {
  std::vector<OwnedFd> silent;
  for (int i = 0; i < 100; ++i) {
    try {
      silent.push_back(shm::connect_to(path));
    } catch (const shm::ShmFailure&) {
      usleep(1'000);  // The queue of the listener was full.
    }
  }
  CHECK(comes_true([&] { return can_open(path); }));
}

void check_no_descriptor(const std::string& path) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  std::vector<OwnedFd> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(OwnedFd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  std::vector<OwnedFd> fill;
  rlimit few{open_descriptors() + 16, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  for (int fd = 0; fd >= 0;) {
    fd = dup(0);
    if (fd >= 0) fill.emplace_back(fd);
  }
  for (const OwnedFd& client : clients) {
    (void)!connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  usleep(300'000);
  fill.clear();
  setrlimit(RLIMIT_NOFILE, &before);
  clients.clear();
  CHECK(comes_true([&] { return can_open(path); }));
}

void check_opened_and_dropped(LiveEngine& engine, int sessions) {
  for (int i = 0; i < sessions; ++i) {
    PlanePeer peer(engine.socket());
    CHECK_EQUAL(peer.taken, "taken");
    if (i % 3 == 0) peer.send(peer.request(1, 1'000));
    if (i % 3 == 1) CHECK_EQUAL(round_trip(peer, 1, 1'000), "");
  }
}

}  // namespace

int main() {
  if (!has_core()) return finish();
  {
    LiveEngine engine;
    const std::string path = engine.socket();
    const auto is_calm = [&] { return engine.plane->sessions() == 0 && engine.plane->counts().in_core == 0; };
    { PlanePeer warm(path), again(path); CHECK_EQUAL(round_trip(warm, 1, 40'000), ""); }
    CHECK(comes_true(is_calm));
    CHECK(comes_true([] { return mapped_segments() == 0; }));
    const std::size_t descriptors = open_descriptors();
    Neighbour neighbour(path);
    check_offers(path);
    check_headers(path);
    check_messages(path);
    check_rings(path);
    check_blocking_events(path, scaled(50'000));
    check_leases_and_places(path);
    check_frames_out_of_turn(path);
    check_corruption(path, scaled(1'000));
    check_floods(path);
    check_half_open(path);
    check_no_descriptor(path);
    check_opened_and_dropped(engine, scaled(1'000));
    CHECK_EQUAL(neighbour.finish(), "");
    CHECK_THAT(neighbour.trips() > 50, "the neighbour worked meanwhile: " + std::to_string(neighbour.trips()));
    CHECK(comes_true([&] { return engine.plane->counts().in_core == 0; }));
    std::printf("neighbour: %lu round trips, broken sessions: %lu\n", neighbour.trips(),
                engine.plane->counts().broken_sessions.load());
    // The neighbour's own session is still there: its socket, two events and a memfd, on both ends.
    CHECK(comes_true([&] { return engine.plane->sessions() == 1; }));
    CHECK(comes_true([] { return mapped_segments() == 2; }));
    CHECK(comes_true([&] { return open_descriptors() - descriptors == 7; }));
  }
  finish_and_exit();
}
