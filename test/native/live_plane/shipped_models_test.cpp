// The shipped models on the data plane: good requests, and ones whose tensors have words changed at random. Each is
// answered; a sanitizer sees what it costs.
#include <random>
#include <span>

#include "live_engine.hpp"
#include "plane_peer.hpp"
#include "sample_shard.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::test;

struct Tensor {
  std::string name;
  std::string datatype;
  std::vector<std::int64_t> shape;
  Bytes bytes;
};

template <typename Values>
Tensor tensor(const char* name, const char* datatype, const Values& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {name, datatype, {1, static_cast<std::int64_t>(std::size(values))}, {bytes.begin(), bytes.end()}};
}

std::vector<Tensor> shard() {
  const auto values = candidate_cost::sampleShard();
  return {tensor("params", "INT64", values.params),         tensor("couriers", "INT32", values.couriers),
          tensor("held", "INT32", values.held),             tensor("orders", "INT32", values.orders),
          tensor("places", "INT32", values.places),         tensor("order_features", "FP32", values.orderFeatures),
          tensor("candidates", "UINT16", values.candidates)};
}

// One order on board, 60 s away (docs/tensors.md).
std::vector<Tensor> problem() {
  const std::vector<std::int32_t> words = {1,   1,  4,          0, 1, -1, 0x7fffffff, 0, 0, 1, 0, 0,  0,  0,
                                           900, -1, 0x7fffffff, 1, 1, 1,  0,          1, 0, 0, 0, 60, 60, 0};
  return {tensor("problems", "INT32", words)};
}

std::vector<Tensor> features() { return {tensor("features", "FP32", std::vector<float>(20, 0.5f))}; }

// Words of every width, also those that are limits somewhere, or a tensor cut short.
void change(std::vector<Tensor>& tensors, std::mt19937& random) {
  constexpr std::int64_t kLimits[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, 0xffff};
  for (int i = 0; i < 1 + static_cast<int>(random() % 3); ++i) {
    Tensor& one = tensors[random() % tensors.size()];
    const std::size_t width = one.datatype == "INT64" ? 8 : one.datatype == "UINT16" ? 2 : 4;
    const std::int64_t word = random() % 2 == 0 ? kLimits[random() % 8] : static_cast<std::int64_t>(random() % 64);
    std::memcpy(one.bytes.data() + random() % (one.bytes.size() / width) * width, &word, width);
    if (random() % 8 != 0) continue;
    one.shape[1] = static_cast<std::int64_t>(random() % (one.bytes.size() / width) + 1);
    one.bytes.resize(static_cast<std::size_t>(one.shape[1]) * width);
  }
}

// The kind of the answer; `infer` where there was none.
shm::FrameKind ask(PlanePeer& peer, std::uint64_t id, const char* model, const std::vector<Tensor>& tensors) {
  shm::InferFrame frame = peer.request(id, 60'000, model);
  frame.inputs.clear();
  std::uint64_t at = 0;
  for (const Tensor& one : tensors) {
    std::memcpy(peer.at(peer.layout.slot_offset(frame.input.slot)) + at, one.bytes.data(), one.bytes.size());
    frame.inputs.push_back({one.name, one.datatype, one.shape, at, one.bytes.size(), false});
    at = shm::aligned_up(at + one.bytes.size());
  }
  peer.send(frame);
  const auto answer = peer.answer();
  peer.give_back(frame);
  return answer ? shm::kind_of(*answer) : shm::FrameKind::infer;
}

void check_model(PlanePeer& peer, const char* model, const std::vector<Tensor>& good, int count) {
  std::mt19937 random(4);
  std::uint64_t id = 0;
  CHECK(ask(peer, ++id, model, good) == shm::FrameKind::result);
  int results = 0;
  int failed = 0;
  for (int i = 0; i < count; ++i) {
    std::vector<Tensor> changed = good;
    change(changed, random);
    const shm::FrameKind kind = ask(peer, ++id, model, changed);
    results += kind == shm::FrameKind::result;
    failed += kind == shm::FrameKind::failed;
  }
  std::printf("%s: %d results, %d failed\n", model, results, failed);
  CHECK_EQUAL(results + failed, count);
  CHECK(ask(peer, ++id, model, good) == shm::FrameKind::result);
}

}  // namespace

int main() {
  if (!has_core()) return finish();
  {
    LiveEngine engine({"delivery_time", "candidate_cost", "route_planner"});
    const auto on_own_session = [&](const char* model, const std::vector<Tensor>& good, int count) {
      PlanePeer peer(engine.socket());
      check_model(peer, model, good, count);
    };
    on_own_session("candidate_cost", shard(), scaled(10'000));
    on_own_session("route_planner", problem(), scaled(10'000));
    on_own_session("delivery_time", features(), scaled(1'000));
  }
  finish_and_exit();
}
