// The delivery-time network on a GPU against ONNX Runtime: every batch size, odd rows, several contexts, plans that are
// kept, damaged, another's or missing; then the Triton backend with memory of every kind. `--quick` for the sanitizers,
// `--quick-one-by-one` for racecheck, which loses track of launches of several threads, `--graphs` for the graphs of calls
// alone, many times.
// Without a GPU only what is said then is tested.
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "delivery_time/call_checks.hpp"
#include "delivery_time/plan_checks.hpp"
#include "device_count.hpp"
#include "finish_and_exit.hpp"
#include "gpu_buffers.hpp"
#include "network_repository.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::delivery_time;
using namespace roundhouse::test;

struct Pair {
  MemoryKind in, out;
};

void checkBackendFailures(TritonHost& host, Network& cpu);

void checkBackend(Network& cpu) {
  if (TritonHost::findCore().empty()) return skip("no TritonCore in the toolchain");
  TritonHost host({.repository = checkoutFolder() / "models", .backends = backendsFolder()});
  host.load("delivery_time");
  const std::string config = host.config("delivery_time");
  CHECK_THAT(config.find("KIND_GPU") != std::string::npos && config.find("\"count\":4") != std::string::npos, config);
  constexpr std::size_t most = 65'536;
  const std::vector<float> features = gpu::rowsToCompare(kColumns, most);
  const std::vector<float> expected = predictOnCpu(cpu, features);
  for (const Pair& pair : {Pair{kPageable, kPageable}, Pair{kPinned, kPinned}, Pair{kDevice, kDevice},
                           Pair{kPageable, kDevice}, Pair{kDevice, kPageable}, Pair{kPinned, kPageable}}) {
    for (const std::size_t rows : {1u, 64u, 256u, 257u, 1'024u, 16'384u, 65'536u}) {
      GpuBuffer in(pair.in, rows * kColumns.features), out(pair.out, rows * kColumns.quantiles);
      in.set(features.data());
      const auto call = host.call("delivery_time",
                                  {{"features", TRITONSERVER_TYPE_FP32, {static_cast<std::int64_t>(rows), 20}, in.data(),
                                    in.bytes(), pair.in}},
                                  {{"quantiles", out.data(), out.bytes(), pair.out}});
      call->infer();
      checkAgainst(expected, out.get(), "backend, " + std::to_string(rows) + " rows");
    }
  }
  checkBackendFailures(host, cpu);
}

/// An answer without room, alone and among others, fails alone.
void checkBackendFailures(TritonHost& host, Network& cpu) {
  const std::vector<float> features = gpu::rowsToCompare(kColumns, 300);
  const std::vector<float> expected = predictOnCpu(cpu, features);
  for (const std::size_t rows : {10u, 300u}) {
    GpuBuffer in(kPinned, rows * kColumns.features), out(kPinned, rows * kColumns.quantiles), little(kPinned, 4);
    in.set(features.data());
    const CallInput input{"features", TRITONSERVER_TYPE_FP32, {static_cast<std::int64_t>(rows), 20}, in.data(), in.bytes(), kPinned};
    const auto good = host.call("delivery_time", {input}, {{"quantiles", out.data(), out.bytes(), kPinned}});
    const auto bad = host.call("delivery_time", {input}, {{"quantiles", little.data(), little.bytes(), kPinned}});
    for (int round = 0; round < 50; ++round) {
      bad->start();
      good->start();
      CHECK(errorOf([&] { bad->wait(); }).find("is too large") != std::string::npos);
      CHECK_EQUAL(errorOf([&] { good->wait(); }), "");
    }
    checkAgainst(expected, out.get(), "beside a failure");
  }
}

/// Requests of all kinds at once, more than there are instances, so that batches mix them; or one behind the other.
void checkBackendMixed(Network& cpu, int rounds = 20, Callers callers = Callers::atOnce) {
  if (TritonHost::findCore().empty()) return;
  TritonHost host({.repository = checkoutFolder() / "models", .backends = backendsFolder()});
  host.load("delivery_time");
  const std::vector<float> features = gpu::rowsToCompare(kColumns, 8'192);
  const std::vector<float> expected = predictOnCpu(cpu, features);
  struct Sent {
    std::unique_ptr<GpuBuffer> in, out;
    std::unique_ptr<Call> call;
  };
  std::vector<Sent> sent;
  std::mt19937 random(9);
  const MemoryKind kinds[] = {kPageable, kPinned, kDevice};
  for (int index = 0; index < 96; ++index) {
    const std::size_t rows = index % 4 == 0 ? 1 + random() % 8'192 : 1 + random() % 200;
    Sent one{std::make_unique<GpuBuffer>(kinds[random() % 3], rows * kColumns.features),
             std::make_unique<GpuBuffer>(kinds[random() % 3], rows * kColumns.quantiles), nullptr};
    one.in->set(features.data());
    one.call = host.call("delivery_time",
                         {{"features", TRITONSERVER_TYPE_FP32, {static_cast<std::int64_t>(rows), 20}, one.in->data(),
                           one.in->bytes(), one.in->kind()}},
                         {{"quantiles", one.out->data(), one.out->bytes(), one.out->kind()}});
    sent.push_back(std::move(one));
  }
  for (int round = 0; round < rounds; ++round) {
    for (Sent& one : sent) {
      one.call->start();
      if (callers == Callers::oneByOne) one.call->wait();
    }
    for (Sent& one : sent) {
      if (callers == Callers::atOnce) one.call->wait();
    }
    std::printf("%zu requests of the backend\n", sent.size() * static_cast<std::size_t>(round + 1));
  }
  for (Sent& one : sent) checkAgainst(expected, one.out->get(), "mixed batches");
  sent.clear();
}

void checkWithoutGpu() {
  CHECK_EQUAL(errorOf([] { gpu::load(optionsOf(kShipped, nullptr)); }),
              "MODEL_FAILED: there is no GPU 0: the driver shows 0");
  CHECK(gpu::whyNoLibrary("/nowhere/libnvinfer.so.10").find("/nowhere/libnvinfer.so.10: cannot open") != std::string::npos);
  CHECK(gpu::whyNoLibrary("/nowhere/libnvinfer.so.10").find("ROUNDHOUSE_TENSORRT_LIBRARY") != std::string::npos);
}

void checkOnGpu(const fs::path& folder) {
  const auto cpu = loadNetwork(kShipped, "");
  DeviceNetworkOptions elsewhere = optionsOf(kShipped, nullptr);
  elsewhere.device = 99;
  CHECK(errorOf([&] { gpu::load(elsewhere); }).starts_with("MODEL_FAILED: there is no GPU 99: the driver shows "));
  printDeviations(*cpu);
  const auto network = gpu::load(optionsOf(kShipped, cpu.get()));
  std::printf("chosen: %s\n", network->description().c_str());
  checkSizes(*network, *cpu);
  checkCalls(*network, *cpu);
  checkCallsOfThreads(*network, *cpu, 5, 100);
  checkOddRows(*network, *cpu);
  checkContextsAtOnce(*network, *cpu);
  checkShared(network, *cpu);
  checkWithoutArenaAndGraphs(*cpu);
  checkLimit(*cpu);
  checkGivenPlans(*cpu, folder);
  checkKeptPlans(*cpu, folder);
  checkRefusedNetworks(folder);
  checkBackend(*cpu);
  checkBackendMixed(*cpu);
}

/// What a checker of memory has time for: each way through contexts and instances once.
void checkQuickly(Callers callers) {
  const auto cpu = loadNetwork(kShipped, "");
  const auto network = gpu::load(optionsOf(kShipped, nullptr, Precision::fp32));
  checkSizes(*network, *cpu, 65'537);
  checkCalls(*network, *cpu);
  checkCallsOfThreads(*network, *cpu, 1, 10, callers);
  checkBackendMixed(*cpu, 2, callers);
}

/// The graphs of calls alone, again and again.
void checkGraphsLong() {
  const auto cpu = loadNetwork(kShipped, "");
  const auto network = gpu::load(optionsOf(kShipped, nullptr, Precision::fp32));
  for (int round = 0; round < 20; ++round) checkCalls(*network, *cpu);
  checkCallsOfThreads(*network, *cpu, 10, 200);
}

}  // namespace

int main(int count, char** arguments) {
  // What was said before a crash is there.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (device::deviceCount() == 0) {
    checkWithoutGpu();
    skip("no GPU");
    return finish();
  }
  if (const std::string reason = gpu::whyNoLibrary(""); !reason.empty()) {
    skip(reason);
    return finish();
  }
  const NetworkRepository folder;
  const std::string way = count > 1 ? arguments[1] : "";
  const std::string error = errorOf([&] {
    if (way == "--quick") return checkQuickly(Callers::atOnce);
    if (way == "--quick-one-by-one") return checkQuickly(Callers::oneByOne);
    way == "--graphs" ? checkGraphsLong() : checkOnGpu(folder.folder());
  });
  CHECK_THAT(error.empty(), error);
  finish_and_exit();
}
