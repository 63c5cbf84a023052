// The batches of delivery_time's instance for GPUs, in the real core: what is put together, what runs alone, where each
// memory is read and written, and who fails. CUDA and the network are the CPU's here.
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "failure_code.hpp"
#include "finish_and_exit.hpp"
#include "network_repository.hpp"
#include "onnx_network.hpp"
#include "triton_host.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::delivery_time;
using namespace roundhouse::test;

/// One call with buffers of its own; `misaligned` by a float.
struct Sent {
  Sent(TritonHost& host, std::size_t rows, MemoryKind in, MemoryKind out, bool misaligned, std::mt19937& random)
      : features(rows * kFeatures + 4), quantiles(rows * kQuantiles + 4, -1.0f), shift(misaligned ? 1 : 0), rows(rows) {
    for (float& value : features) value = static_cast<float>(random() % 1'000) / 51.0f;
    call = host.call("device_on_host",
                     {{"features", TRITONSERVER_TYPE_FP32, {static_cast<std::int64_t>(rows), kFeatures},
                       features.data() + shift, rows * kFeatures * sizeof(float), in}},
                     {{"quantiles", quantiles.data() + shift, rows * kQuantiles * sizeof(float), out}});
  }

  /// Bit for bit: the network is the same one, whose rows don't depend on the batch.
  bool isRight(Network& network) const {
    std::vector<float> expected(rows * kQuantiles);
    network.predict(features.data() + shift, rows, expected.data());
    return std::memcmp(expected.data(), quantiles.data() + shift, expected.size() * sizeof(float)) == 0 &&
           quantiles[shift + expected.size()] == -1.0f;
  }

  std::vector<float> features, quantiles;
  std::size_t shift, rows;
  std::unique_ptr<Call> call;
};

/// The last one: of another GPU than the instance's.
const MemoryKind kKinds[] = {kPageable, kPinned, kDevice, {TRITONSERVER_MEMORY_GPU, 1}};

void checkAlone(TritonHost& host, Network& network) {
  std::mt19937 random(1);
  for (const MemoryKind& in : kKinds) {
    for (const MemoryKind& out : kKinds) {
      for (const std::size_t rows : {1u, 256u, 257u, 2'047u, 2'048u, 5'000u, 32'767u, 32'768u, 40'001u}) {
        for (const bool misaligned : {false, true}) {
          Sent sent(host, rows, in, out, misaligned, random);
          // A graph refuses some.
          if (rows % 2 == 0) sent.features[sent.shift + 19] = 1500;
          sent.call->infer();
          CHECK_THAT(sent.isRight(network), std::to_string(in.type) + " to " + std::to_string(out.type) + ", " +
                                                std::to_string(rows) + " rows");
        }
      }
    }
  }
}

int executions(TritonHost& host) {
  const std::string statistics = host.statistics("device_on_host");
  const std::size_t at = statistics.rfind("\"execution_count\":");
  return std::atoi(statistics.c_str() + at + std::strlen("\"execution_count\":"));
}

/// Many wait for one instance: batches of all mixtures.
void checkTogether(TritonHost& host, Network& network, const std::filesystem::path& gate) {
  const int before = executions(host);
  std::mt19937 random(2);
  Sent first(host, 1, kPinned, kPinned, false, random);
  first.features[19] = 1400;
  first.call->start();
  std::vector<std::unique_ptr<Sent>> all;
  for (int index = 0; index < 200; ++index) {
    const std::size_t rows = random() % 5 == 0 ? 1 + random() % 6'000 : 1 + random() % 60;
    all.push_back(std::make_unique<Sent>(host, rows, kKinds[random() % 4], kKinds[random() % 4], random() % 3 == 0, random));
  }
  for (auto& sent : all) sent->call->start();
  std::ofstream(gate) << "open";
  first.call->wait();
  for (auto& sent : all) sent->call->wait();
  for (const auto& sent : all) CHECK(sent->isRight(network));
  // About 130,000 rows in batches of 65,536 at most, and what the core had put together before.
  CHECK(executions(host) - before < 30);
}

void checkFailures(TritonHost& host, Network& network) {
  std::mt19937 random(3);
  for (const std::size_t rows : {10u, 3'000u}) {
    Sent good(host, rows, kPinned, kPinned, false, random), broken(host, rows, kPinned, kPinned, false, random);
    good.features[19] = 0;
    broken.features[19] = 1300;
    for (int round = 0; round < 30; ++round) {
      CHECK_EQUAL(code_of([&] { broken.call->infer(); }), "INTERNAL");
      CHECK_EQUAL(code_of([&] { good.call->infer(); }), "no failure");
    }
    CHECK(good.isRight(network));
    try {
      broken.call->infer();
    } catch (const TritonFailure& failure) {
      CHECK(std::string(failure.what()).starts_with("DEVICE_FAULT: the test"));
    }
    // No room for an answer: it alone fails.
    std::vector<float> little(4);
    const auto full = host.call("device_on_host",
                                {{"features", TRITONSERVER_TYPE_FP32, {static_cast<std::int64_t>(rows), kFeatures},
                                  good.features.data(), rows * kFeatures * sizeof(float), kPinned}},
                                {{"quantiles", little.data(), sizeof(float) * 4, kPinned}});
    for (int round = 0; round < 30; ++round) {
      full->start();
      good.call->start();
      CHECK_EQUAL(code_of([&] { full->wait(); }), "INTERNAL");
      CHECK_EQUAL(code_of([&] { good.call->wait(); }), "no failure");
    }
    CHECK(good.isRight(network));
  }
}

/// A GPU that refuses its first call already: once that was no DEVICE_FAULT, which another engine would have served.
void checkBrokenGpu(TritonHost& host, Network& network) {
  std::mt19937 random(4);
  Sent sent(host, 10, kPinned, kPinned, false, random);
  setenv("DEVICE_INSTANCE_BROKEN", "1", 1);
  try {
    sent.call->infer();
    CHECK_THAT(false, "it was answered");
  } catch (const TritonFailure& failure) {
    CHECK_EQUAL(std::string(failure.what()), "DEVICE_FAULT: no such GPU: an error");
  }
  unsetenv("DEVICE_INSTANCE_BROKEN");
  sent.call->infer();
  CHECK(sent.isRight(network));
}

}  // namespace

int main() {
  if (TritonHost::findCore().empty()) {
    skip("no TritonCore in the toolchain");
    return finish();
  }
  const auto file = checkoutFolder() / "models/delivery_time/1/model.onnx";
  const auto network = loadNetwork(file, "");
  NetworkRepository repository;
  repository.add("device_on_host", {}, NetworkRepository::parameter("file", file.string()), "kind: KIND_CPU count: 1",
                 "device_on_host");
  const auto gate = repository.folder() / "gate";
  setenv("DEVICE_INSTANCE_GATE", gate.c_str(), 1);
  {
    TritonHost host({.repository = repository.folder(), .backends = backendsFolder()});
    host.load("device_on_host");
    checkAlone(host, *network);
    checkTogether(host, *network, gate);
    checkFailures(host, *network);
    checkBrokenGpu(host, *network);
  }
  finish_and_exit();
}
