// delivery_time_gpu_bench [--network shipped|wide] [--seconds S] [--graph-rows N] [--ways only|none] [--out FILE]
// Rows a second and latency of the Triton backend delivery_time, in this process, against a bare TensorRT loop with the
// same plan in the same run; the arena and the graphs against without; the time from start to the first prediction. The
// shipped network and a dense 64-512-512-256-1. Needs a GPU, TensorRT and TritonCore: else it says so and exits with 77.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "accuracy_limit.hpp"
#include "delivery_time/backend_ways.hpp"
#include "device_count.hpp"
#include "network_repository.hpp"
#include "onnx_mlp.hpp"
#include "onnx_network.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::delivery_time;
using namespace roundhouse::test;

/// Name of a network; '' for both.
std::string only;
/// 'only' the ways to serve the network, or 'none' of them; '' for them and everything else.
std::string ways;

std::string compare(TritonHost& host, const Subject& subject, gpu::TensorRtNetwork& network, DeviceNetwork& served,
                    std::size_t rows) {
  const Bare bare = measureBare(network, subject, rows);
  const Latency one = contextLatency(served, subject, rows, 1), four = contextLatency(served, subject, rows, 4);
  const Latency graph = callLatency(served, subject, rows, kDevice), graphPinned = callLatency(served, subject, rows, kPinned);
  const auto alone = [&](MemoryKind kind) { return backendLatency(host, subject.name, subject, rows, kind); };
  const Latency device = alone(kDevice), pinned = alone(kPinned), pageable = alone(kPageable);
  std::string text = "{ \"rows\": " + std::to_string(rows) + ",\n      \"bare\": { ";
  text += json("deviceMicroseconds", bare.device) + ", " + json("copiesMicroseconds", bare.copies) + ", " +
          json("deviceGraphMicroseconds", bare.graph) + ", " + json("copiesGraphMicroseconds", bare.graphCopies) + ", " +
          json("deviceRowsPerSecond", bare.deviceRate) + ", " + json("copiesRowsPerSecond", bare.copiesRate);
  text += " },\n      \"withoutCore\": { " + json("oneContextMicroseconds", one) + ", " + json("fourContextsMicroseconds", four) +
          ", " + json("callGraphMicroseconds", graph) + ", " + json("pinnedCallGraphMicroseconds", graphPinned);
  text += " },\n      \"backend\": { ";
  text += json("deviceMicroseconds", device) + ", " + json("pinnedMicroseconds", pinned) + ", " +
          json("pageableMicroseconds", pageable);
  std::printf("%-8s %6zu rows: device %.1f us (bare %.1f, graph %.1f), pinned %.1f us (bare %.1f, graph %.1f), pageable %.1f us",
              subject.name.c_str(), rows, device.median, bare.device.median, bare.graph.median, pinned.median,
              bare.copies.median, bare.graphCopies.median, pageable.median);
  std::printf("; without the core %.1f, four contexts %.1f, call graph %.1f, pinned %.1f us; bare %.1f M rows/s, with copies %.1f\n",
              one.median, four.median, graph.median, graphPinned.median, bare.deviceRate / 1e6, bare.copiesRate / 1e6);
  for (const std::size_t inFlight : {4u, 8u, 16u}) {
    const double resident = backendRate(host, subject.name, subject, rows, kDevice, inFlight);
    const double copied = backendRate(host, subject.name, subject, rows, kPinned, inFlight);
    const std::string name = "inFlight" + std::to_string(inFlight);
    text += ", \"" + name + "\": { " + json("deviceRowsPerSecond", resident) + ", " + json("pinnedRowsPerSecond", copied) + " }";
    std::printf("         %2zu in flight: device %.1f M rows/s (%.3f of bare), pinned %.1f (%.3f of bare)\n", inFlight,
                resident / 1e6, resident / bare.deviceRate, copied / 1e6, copied / bare.copiesRate);
    std::fflush(stdout);
  }
  return text + " } }";
}

/// When what was unloaded is gone: the core deletes models in threads of its own.
std::size_t usedDeviceMemory() {
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  std::size_t free = 0, total = 0;
  device::require(cudaMemGetInfo(&free, &total), "memory in use");
  return total - free;
}

/// Device memory and times of a model after it has run calls of every size in all its instances.
std::string measureVariant(TritonHost& host, const Subject& subject, const std::string& model) {
  const std::size_t before = usedDeviceMemory();
  host.load(model);
  for (const std::size_t rows : kBatches) (void)backendRate(host, model, subject, rows, kPinned, 8);
  const std::size_t bytes = usedDeviceMemory() - before;
  const auto latency = [&](std::size_t rows) { return backendLatency(host, model, subject, rows, kPinned); };
  const Latency small = latency(64), large = latency(65'536);
  const double rate = backendRate(host, model, subject, 65'536, kDevice, 8);
  std::printf("%-28s %.1f MB, 64 rows %.1f us, 65,536 rows %.1f us, %.1f M rows/s\n", model.c_str(),
              static_cast<double>(bytes) / 1e6, small.median, large.median, rate / 1e6);
  host.unload(model);
  return "{ \"variant\": \"" + model + "\", " + json("deviceMegabytes", static_cast<double>(bytes) / 1e6) + ", " +
         json("pinnedMicroseconds64", small) + ", " + json("pinnedMicroseconds65536", large) + ", " +
         json("deviceRowsPerSecond65536", rate) + " }";
}

std::string variants(TritonHost& host, NetworkRepository& repository, const Subject& subject) {
  std::string text;
  for (const bool arena : {true, false}) {
    for (const bool graphs : {true, false}) {
      const std::string model = subject.name + (arena ? "_arena" : "_own") + (graphs ? "_graphs" : "_launches");
      const fs::path folder =
          repository.add(model, subject.columns,
                         NetworkRepository::parameter("shared_arena", arena ? "true" : "false") + ", " +
                             NetworkRepository::parameter("graphs", graphs ? "true" : "false"),
                         "kind: KIND_AUTO", "delivery_time", "");
      fs::copy_file(subject.file, folder / "model.onnx");
      text += (text.empty() ? "" : ",\n    ") + measureVariant(host, subject, model);
    }
  }
  return "[ " + text + " ]";
}

/// What the core takes for a request, there and back: one row on the CPU.
Latency coreLatency(TritonHost& host, NetworkRepository& repository, const Subject& subject) {
  const std::string model = subject.name + "_cpu";
  fs::copy_file(subject.file, repository.add(model, subject.columns, "", "kind: KIND_CPU count: 4") / "model.onnx");
  host.load(model);
  const Latency latency = backendLatency(host, model, subject, 1, kPageable);
  host.unload(model);
  std::printf("one row on the CPU, by the core: %.1f us\n", latency.median);
  return latency;
}

/// The batches, and what the plan is.
struct Compared {
  std::string batches, plan, ways;
};

Compared compareAll(TritonHost& host, NetworkRepository& repository, const Subject& subject) {
  const auto reference = loadNetwork(subject.file, "", subject.columns);
  DeviceNetworkOptions options;
  options.file = subject.file;
  options.columns = subject.columns;
  options.reference = reference.get();
  options.graphs = options.sharedArena = false;
  const auto network = std::dynamic_pointer_cast<gpu::TensorRtNetwork>(gpu::load(options));
  options.graphs = options.sharedArena = true;
  options.callGraphRows = std::min(kCallGraphRows, mostGraphRows);
  const auto served = gpu::load(options);
  std::printf("%s: %s\n", subject.name.c_str(), network->description().c_str());
  std::string text;
  for (const std::size_t rows : kBatches) {
    if (ways != "only") text += (text.empty() ? "" : ",\n    ") + compare(host, subject, *network, *served, rows);
  }
  return {text, network->description(), ways == "none" ? "[]" : measureWays(host, repository, subject, *network)};
}

std::string measure(TritonHost& host, NetworkRepository& repository, const Subject& subject) {
  const std::string graphRows = std::to_string(std::min(kCallGraphRows, mostGraphRows));
  fs::copy_file(subject.file,
                repository.add(subject.name, subject.columns, NetworkRepository::parameter("graph_rows", graphRows),
                               "kind: KIND_AUTO", "delivery_time", "") / "model.onnx");
  host.load(subject.name);
  const Compared compared = compareAll(host, repository, subject);
  host.unload(subject.name);
  std::string text = "{ \"network\": \"" + subject.name + "\", \"runs\": \"" + compared.plan + "\",\n    \"batches\": [ ";
  text += compared.batches + " ],\n    \"variants\": " + (ways == "only" ? "[]" : variants(host, repository, subject));
  text += ",\n    \"ways\": " + compared.ways;
  return text + ", " + json("coreMicroseconds", coreLatency(host, repository, subject)) + " }";
}

/// From the start of a process to the first prediction of the shipped network, its plan being kept already.
int firstPrediction() {
  TritonHost host({.repository = checkoutFolder() / "models", .backends = backendsFolder()});
  host.load("delivery_time");
  const std::vector<float> features(64 * kFeatures, 0.5f);
  std::vector<float> quantiles(64 * kQuantiles);
  const auto call = host.call("delivery_time", {{"features", TRITONSERVER_TYPE_FP32, {64, 20}, features.data(), features.size() * 4}},
                              {{"quantiles", quantiles.data(), quantiles.size() * 4}});
  call->infer();
  std::fflush(stdout);
  _exit(0);
}

double firstPredictionSeconds(const char* program) {
  const auto start = Clock::now();
  const int status = std::system((std::string(program) + " --first").c_str());
  if (status != 0) throw std::runtime_error("the first prediction failed");
  return microsecondsSince(start) / 1e6;
}

Subject shipped() {
  return {"shipped", checkoutFolder() / "models/delivery_time/1/model.onnx", {}, gpu::rowsToCompare({}, 65'536)};
}

Subject wide(const fs::path& folder) {
  const Columns columns{64, 1};
  writeMlp(folder / "wide.onnx", {64, 512, 512, 256, 1});
  return {"wide", folder / "wide.onnx", columns, gpu::rowsToCompare(columns, 65'536)};
}

std::string whyNot() {
  if (device::deviceCount() == 0) return "no GPU";
  if (TritonHost::findCore().empty()) return "no TritonCore";
  return gpu::whyNoLibrary("");
}

void run(const char* program, const std::string& out) {
  NetworkRepository repository;
  std::string text;
  double first = 0;
  {
    TritonHost host({.repository = repository.folder(), .backends = backendsFolder()});
    for (const Subject& subject : {shipped(), wide(repository.folder())}) {
      if (only.empty() || only == subject.name) text += (text.empty() ? "" : ",\n  ") + measure(host, repository, subject);
    }
    first = firstPredictionSeconds(program);
    std::printf("from the start of a process to its first prediction: %.2f s\n", first);
  }
  if (!out.empty()) {
    std::ofstream(out) << "{ " << json("secondsToFirstPrediction", first) << ",\n  \"networks\": [ " << text << " ] }\n";
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::string out;
  for (int at = 1; at < count; ++at) {
    const std::string name = arguments[at];
    if (name == "--first") return firstPrediction();
    if (at + 1 < count && name == "--out") out = arguments[++at];
    if (at + 1 < count && name == "--network") only = arguments[++at];
    if (at + 1 < count && name == "--ways") ways = arguments[++at];
    if (at + 1 < count && name == "--seconds") secondsEach = std::atof(arguments[++at]);
    if (at + 1 < count && name == "--graph-rows") mostGraphRows = std::strtoul(arguments[++at], nullptr, 10);
  }
  if (const std::string reason = whyNot(); !reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return 77;
  }
  try {
    run(arguments[0], out);
  } catch (const std::exception& error) {
    std::printf("FAILED: %s\n", error.what());
    std::fflush(stdout);
    _exit(1);
  }
  std::fflush(stdout);
  _exit(0);
}
