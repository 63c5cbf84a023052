// A model reads its input from the slot and writes its output into the slot: nothing is copied on the way.
#include "live_engine.hpp"
#include "plane_peer.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::test;
using shm::FrameKind;

constexpr std::uint64_t kBytes = 50'000;
// fault_injection has as many instances, each of them a thread.
constexpr std::uint64_t kInstances = 4;

shm::InferFrame ask(PlanePeer& peer, std::uint64_t id) {
  shm::InferFrame frame = peer.request(id, kBytes, "fault_injection");
  frame.outputs = {"OUT"};
  return frame;
}

std::byte* input_of(PlanePeer& peer, const shm::InferFrame& frame) {
  return peer.at(peer.layout.slot_offset(frame.input.slot));
}

void hold_all_instances(PlanePeer& peer) {
  for (std::uint64_t id = 1; id <= kInstances; ++id) {
    shm::InferFrame frame = ask(peer, id);
    frame.parameters = {{"delay_ms", std::int64_t{3'600'000}}};
    peer.send(frame);
  }
}

void cancel(PlanePeer& peer, std::uint64_t id) {
  shm::write_id(peer.scratch, FrameKind::cancel, id);
  peer.push(peer.scratch);
}

// The engine has the request, and no instance for it yet, when its bytes become others: those are what the model sees.
void check_input_and_output(LiveEngine& engine, PlanePeer& peer) {
  hold_all_instances(peer);
  const shm::InferFrame frame = ask(peer, 9);
  peer.send(frame);
  if (!CHECK(comes_true([&] { return engine.server->admission().queued() == 1; }))) return;
  std::byte* input = input_of(peer, frame);
  for (std::uint64_t i = 0; i < kBytes; ++i) input[i] = static_cast<std::byte>(i * 7 + 3);
  cancel(peer, 1);
  const auto released = peer.answer();
  CHECK(released && shm::kind_of(*released) == FrameKind::released && shm::read_id(*released) == 1);
  const auto answer = peer.answer();
  if (!CHECK(answer && shm::kind_of(*answer) == FrameKind::result)) return;
  const shm::ResultFrame result = shm::read_result(*answer);
  CHECK_EQUAL(result.id, 9U);
  if (!CHECK(result.outputs.size() == 1 && result.outputs[0].length == kBytes)) return;
  CHECK(!result.outputs[0].in_frame);
  const std::byte* output = peer.at(peer.layout.slot_offset(frame.output.slot)) + result.outputs[0].offset;
  CHECK(std::memcmp(output, input, kBytes) == 0);
}

}  // namespace

int main() {
  if (!has_core()) return finish();
  {
    LiveEngine engine;
    {
      PlanePeer peer(engine.socket(), shm::Layout(64 * 1024, {{64 * 1024, 16}}));
      CHECK_EQUAL(peer.taken, "taken");
      check_input_and_output(engine, peer);
      for (std::uint64_t id = 2; id <= kInstances; ++id) cancel(peer, id);
      CHECK(comes_true([&] { return engine.plane->counts().in_core == 0; }));
    }
  }
  finish_and_exit();
}
