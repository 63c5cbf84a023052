// Frames with bytes changed, to live sessions: each is answered, ignored or ends its session; another goes on.
#include <memory>
#include <random>

#include "live_engine.hpp"
#include "neighbour.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::test;

struct Ends {
  int answered = 0;
  int failed = 0;
  int sessions_ended = 0;
  int silent = 0;
};

Bytes sample(PlanePeer& peer, std::uint64_t id, bool in_frame) {
  shm::InferFrame frame = peer.request(id, 1'000);
  peer.give_back(frame);
  frame.outputs = {"OUT"};
  frame.parameters = {{"timeout", std::int64_t{5'000'000}}, {"note_a", "b"}, {"note_c", 0.5}, {"note_d", true}};
  Bytes bytes;
  frame.inputs[0].in_frame = in_frame;
  shm::write_infer(bytes, frame);
  if (!in_frame) return bytes;
  frame.input = {};
  frame.inputs[0].offset = shm::aligned_up(bytes.size());
  shm::write_infer(bytes, frame);
  shm::append_data(bytes, std::string(1'000, 'x').data(), 1'000);
  return bytes;
}

void change(Bytes& bytes, std::mt19937& random) {
  const int changes = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < changes; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
  if (random() % 16 == 0) bytes.resize(random() % bytes.size());
}

void send_changed(PlanePeer& peer, const Bytes& bytes, Ends& ends) {
  if (!peer.push(bytes)) return;
  // Cancels and fetches of unknown requests have no answer.
  const auto answer = peer.answer(3);
  if (peer.is_over()) ++ends.sessions_ended;
  else if (!answer) ++ends.silent;
  else if (shm::kind_of(*answer) == shm::FrameKind::failed) ++ends.failed;
  else ++ends.answered;
}

}  // namespace

int main() {
  if (!has_core()) return finish();
  {
    LiveEngine engine;
    Neighbour neighbour(engine.socket());
    std::mt19937 random(3);
    Ends ends;
    auto peer = std::make_unique<PlanePeer>(engine.socket());
    for (int i = 0; i < scaled(30'000); ++i) {
      if (peer->is_over()) peer = std::make_unique<PlanePeer>(engine.socket());
      Bytes bytes = sample(*peer, static_cast<std::uint64_t>(i) + 1, i % 2 == 0);
      change(bytes, random);
      send_changed(*peer, bytes, ends);
    }
    std::printf("answered %d, failed %d, sessions ended %d, silent %d\n", ends.answered, ends.failed,
                ends.sessions_ended, ends.silent);
    CHECK_THAT(ends.answered > 100 && ends.failed > 100 && ends.sessions_ended > 100, "every end is among them");
    peer = std::make_unique<PlanePeer>(engine.socket());
    CHECK_EQUAL(round_trip(*peer, 1, 1'000), "");
    CHECK_EQUAL(neighbour.finish(), "");
    CHECK(comes_true([&] { return engine.plane->counts().in_core == 0; }));
  }
  finish_and_exit();
}
