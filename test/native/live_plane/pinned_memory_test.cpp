// Sessions of an engine that locks their memory for GPUs. Where there is none nothing is locked, counted or told, and
// requests are served the same.
#include "live_engine.hpp"
#include "pinned_memory.hpp"
#include "plane_peer.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::test;
using shm::FrameKind;

constexpr std::size_t kBytes = 1 << 20;

/// True where this process has a GPU and its driver locks the bytes.
bool lock_once() {
  std::atomic<int> told{0};
  std::string failure;
  shm::Segment segment = shm::Segment::create(kBytes);
  bool locked = false;
  {
    const PinnedMemory memory(segment.data(), kBytes, [&](const std::string& text) {
      failure = text;
      told.fetch_add(1);
    });
    // The thread is joined at the end of this block; half a second is for a driver that has to start.
    for (int i = 0; i < 500 && told.load() == 0; ++i) usleep(1'000);
    locked = memory.holds(segment.data(), kBytes);
    CHECK_EQUAL(memory.holds(segment.data() + 1, kBytes - 1), locked);
    CHECK(!memory.holds(segment.data() + 1, kBytes));
    CHECK(!memory.holds(segment.data() - 1, 1));
    CHECK(!memory.holds(segment.data() + kBytes + 1, 0));
  }
  CHECK_EQUAL(failure, "");
  return told.load() == 1;
}

/// More than all locked memory of a process may be: refused with the limit where there is a GPU.
void refuse_too_much(bool has_gpu) {
  std::string failure;
  {
    shm::Segment segment = shm::Segment::create(kBytes);
    const PinnedMemory memory(segment.data(), PinnedMemory::kMostBytes + 1,
                              [&](const std::string& text) { failure = text; });
  }
  CHECK_EQUAL(failure, has_gpu ? "more than 4294967296 bytes would be locked" : "");
}

void serve(bool has_gpu) {
  LiveEngine engine({}, true);
  PlanePeer peer(engine.socket(), shm::Layout(64 * 1024, {{64 * 1024, 16}}));
  CHECK_EQUAL(peer.taken, "taken");
  const DataPlaneCounts& counts = engine.plane->counts();
  if (has_gpu) CHECK(comes_true([&] { return counts.pinned_sessions == 1; }));
  shm::InferFrame frame = peer.request(1, 50'000, "fault_injection");
  frame.outputs = {"OUT"};
  std::byte* input = peer.at(peer.layout.slot_offset(frame.input.slot));
  for (int i = 0; i < 50'000; ++i) input[i] = static_cast<std::byte>(i * 7 + 3);
  peer.send(frame);
  const auto answer = peer.answer();
  if (!CHECK(answer && shm::kind_of(*answer) == FrameKind::result)) return;
  const shm::ResultFrame result = shm::read_result(*answer);
  const std::byte* output = peer.at(peer.layout.slot_offset(frame.output.slot)) + result.outputs[0].offset;
  CHECK(std::memcmp(output, input, 50'000) == 0);
  CHECK_EQUAL(counts.pinned_sessions.load(), has_gpu ? 1U : 0U);
  CHECK_EQUAL(counts.unpinned_sessions.load(), 0U);
}

}  // namespace

int main() {
  const bool has_gpu = lock_once();
  refuse_too_much(has_gpu);
  if (!has_core()) return finish();
  serve(has_gpu);
  finish_and_exit();
}
