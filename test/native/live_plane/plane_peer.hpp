// A peer of a data plane in C++. It does what it is told, also what no client would do.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>

#include "failure.hpp"
#include "frames.hpp"
#include "lease_socket.hpp"
#include "ring.hpp"
#include "segment.hpp"
#include "slot_pool.hpp"

namespace roundhouse::test {

using shm::Bytes;

inline shm::Layout small_layout() { return shm::Layout(64 * 1024, {{64 * 1024, 8}, {1 << 20, 4}}); }

class PlanePeer {
 public:
  explicit PlanePeer(const std::string& path, shm::Layout shape = small_layout())
      : layout(std::move(shape)),
        segment(shm::Segment::create(layout.total_bytes())),
        request_event(shm::make_event()),
        answer_event(shm::make_event()),
        socket(shm::connect_to(path)),
        pool(layout),
        requests(at(shm::Layout::request_control()), at(shm::Layout::request_ring()), layout.ring_bytes(),
                 request_event.get()),
        answers(at(shm::Layout::answer_control()), at(layout.answer_ring()), layout.ring_bytes(), answer_event.get()) {
    layout.write(segment.data());
    shm::send_offer(socket.get(), segment.fd(), request_event.get(), answer_event.get());
    taken = reply();
  }

  std::byte* at(std::uint64_t offset) { return segment.data() + offset; }
  shm::RingControl& request_control() { return *reinterpret_cast<shm::RingControl*>(at(shm::Layout::request_control())); }
  shm::RingControl& answer_control() { return *reinterpret_cast<shm::RingControl*>(at(shm::Layout::answer_control())); }

  // A request with `size` bytes in a slot of its own and room for the answer in another.
  shm::InferFrame request(std::uint64_t id, std::uint64_t size, const std::string& model = "pass_through") {
    shm::InferFrame frame;
    frame.id = id;
    frame.model = model;
    const auto input = pool.take(size);
    const auto output = pool.take(size + shm::kDataAlignment);
    if (!input || !output) throw std::runtime_error("the peer's pool is empty");
    frame.input = *input;
    frame.output = *output;
    std::byte* data = at(layout.slot_offset(input->slot));
    for (std::uint64_t i = 0; i < size; ++i) data[i] = static_cast<std::byte>(i * 31 + id);
    frame.inputs = {{"IN", "UINT8", {static_cast<std::int64_t>(size)}, 0, size, false}};
    return frame;
  }
  void give_back(const shm::InferFrame& frame) {
    pool.give_back(frame.input);
    pool.give_back(frame.output);
  }
  void send(const shm::InferFrame& frame) {
    shm::write_infer(scratch, frame);
    push(scratch);
  }
  bool push(const Bytes& frame) { return requests.push(frame); }
  void ring_bell() {
    const std::uint64_t one = 1;
    (void)!::write(request_event.get(), &one, sizeof one);
  }

  // Nothing where the session ended or no answer came in `ms`.
  std::optional<Bytes> answer(int ms = 20'000) {
    Bytes frame;
    for (int waited = 0; waited <= ms; ++waited) {
      if (answers.pop(frame)) return frame;
      if (is_over()) return std::nullopt;
      pollfd ready{answer_event.get(), POLLIN, 0};
      if (answers.fall_asleep()) (void)::poll(&ready, 1, 1);
      answers.wake_up();
    }
    return std::nullopt;
  }
  // The engine hung up or refused.
  bool is_over() {
    pollfd ready{socket.get(), POLLIN, 0};
    return ::poll(&ready, 1, 0) > 0;
  }
  bool comes_to_an_end(int ms = 20'000) {
    pollfd ready{socket.get(), POLLIN, 0};
    return ::poll(&ready, 1, ms) > 0;
  }

  shm::Layout layout;
  shm::Segment segment;
  shm::OwnedFd request_event;
  shm::OwnedFd answer_event;
  shm::OwnedFd socket;
  shm::SlotPool pool;
  shm::RingProducer requests;
  shm::RingConsumer answers;
  Bytes scratch;
  // What the engine said to the offer: "taken", or why not.
  std::string taken;

 private:
  std::string reply() {
    pollfd ready{socket.get(), POLLIN, 0};
    if (::poll(&ready, 1, 20'000) <= 0) return "no reply";
    char text[512];
    const ssize_t size = recv(socket.get(), text, sizeof text, 0);
    return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : "hung up";
  }
};

// A round trip; an empty text, or what was wrong.
inline std::string round_trip(PlanePeer& peer, std::uint64_t id, std::uint64_t size) {
  const shm::InferFrame frame = peer.request(id, size);
  peer.send(frame);
  const auto answer = peer.answer();
  if (!answer) return "no answer";
  if (shm::kind_of(*answer) == shm::FrameKind::failed) return shm::read_failed(*answer).message;
  if (shm::kind_of(*answer) != shm::FrameKind::result) return "no result";
  const shm::ResultFrame result = shm::read_result(*answer);
  if (result.id != id || result.outputs.size() != 1 || result.outputs[0].length != size) return "another result";
  const std::byte* out = peer.at(peer.layout.slot_offset(frame.output.slot)) + result.outputs[0].offset;
  const std::byte* in = peer.at(peer.layout.slot_offset(frame.input.slot));
  const bool same = result.outputs[0].in_frame || size == 0 || std::memcmp(out, in, size) == 0;
  peer.give_back(frame);
  return same ? "" : "other bytes";
}

}  // namespace roundhouse::test
