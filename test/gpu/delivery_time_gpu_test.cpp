// The delivery-time network on a GPU against ONNX Runtime: every batch size, odd rows, several contexts, plans that are
// kept, damaged, another's or missing; then the Triton backend with memory of every kind. Without a GPU only what is said
// then is tested.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <thread>

#include "accuracy_limit.hpp"
#include "device_count.hpp"
#include "error.hpp"
#include "file_bytes.hpp"
#include "finish_and_exit.hpp"
#include "gpu_buffers.hpp"
#include "load.hpp"
#include "network_repository.hpp"
#include "onnx_mlp.hpp"
#include "onnx_network.hpp"
#include "plan_file.hpp"
#include "plan_store.hpp"
#include "stream.hpp"
#include "tensorrt_network.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::delivery_time;
using namespace roundhouse::test;
namespace fs = std::filesystem;

const fs::path kShipped = checkoutFolder() / "models/delivery_time/1/model.onnx";
const Columns kColumns{};

std::string errorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

DeviceNetworkOptions optionsOf(const fs::path& file, Network* reference, std::optional<Precision> precision = {}) {
  DeviceNetworkOptions options;
  options.file = file;
  options.reference = reference;
  options.precision = precision;
  return options;
}

std::vector<float> predictOnCpu(Network& network, const std::vector<float>& features) {
  const std::size_t rows = features.size() / network.columns().features;
  std::vector<float> quantiles(rows * network.columns().quantiles);
  network.predict(features.data(), rows, quantiles.data());
  return quantiles;
}

constexpr std::size_t kGuard = 64;

/// Into poisoned memory, with guards behind it that must stay as they are.
std::vector<float> predictOnDevice(DeviceNetwork::Context& context, const std::vector<float>& features, std::size_t rows,
                                   cudaStream_t stream) {
  const std::size_t count = rows * kColumns.quantiles;
  const std::vector<float> poison(count + kGuard, std::numeric_limits<float>::quiet_NaN());
  GpuBuffer in(kDevice, rows * kColumns.features), out(kDevice, count + kGuard);
  in.set(features.data());
  out.set(poison.data());
  context.enqueue(in.data(), rows, out.data(), stream);
  device::require(cudaStreamSynchronize(stream), "the GPU failed");
  std::vector<float> all = out.get();
  CHECK(std::all_of(all.begin() + static_cast<std::ptrdiff_t>(count), all.end(), [](float value) { return std::isnan(value); }));
  all.resize(count);
  return all;
}

void checkAgainst(const std::vector<float>& expected, const std::vector<float>& found, const std::string& what) {
  const gpu::Deviation away = gpu::deviation(kColumns, {expected.data(), found.size()}, found);
  CHECK_THAT(away.isWithin(), what + ": " + away.text);
}

/// For docs/etr.md: how far each precision is away.
void printDeviations(Network& cpu) {
  constexpr std::size_t rows = 65'536;
  const std::vector<float> features = gpu::rowsToCompare(kColumns, rows);
  const std::vector<float> expected = predictOnCpu(cpu, features);
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::fp16}) {
    const char* name = precision == Precision::fp32 ? "fp32" : precision == Precision::tf32 ? "tf32" : "fp16";
    std::shared_ptr<DeviceNetwork> network;
    // Without a reference nothing is refused.
    const std::string error = errorOf([&] { network = gpu::load(optionsOf(kShipped, nullptr, precision)); });
    if (!error.empty()) {
      std::printf("%s: %s\n", name, error.c_str());
      continue;
    }
    const device::Stream stream;
    const std::vector<float> found = predictOnDevice(*network->context(), features, rows, stream);
    double worstSeconds = 0, worstFactor = 0;
    std::size_t p50 = 0, seconds = 0, moreThanOne = 0, factors = 0;
    for (std::size_t at = 0; at < found.size(); ++at) {
      const std::size_t column = at % kColumns.quantiles;
      const bool leg = features[at / kColumns.quantiles * kColumns.features] == 1.0f;
      if (leg != (column >= 6)) continue;
      const double away = std::fabs(double(found[at]) - expected[at]);
      (column < 6 ? worstSeconds : worstFactor) = std::max(away, column < 6 ? worstSeconds : worstFactor);
      const double scale = column < 6 ? 1 : 1000;
      const double rounded = std::fabs(std::floor(found[at] * scale + 0.5) - std::floor(expected[at] * scale + 0.5));
      if (column < 6 && column % 2 == 0) ++p50, seconds += rounded > 0, moreThanOne += rounded > 1;
      if (column == 6) factors += rounded > 0;
    }
    std::printf("%s: %s; worst %.4f s, %.6f of a ride factor; %zu of %zu p50 seconds differ, %zu by more than 1; "
                "%zu ride factors differ; over the limit %.3f\n",
                name, network->description().c_str(), worstSeconds, worstFactor, seconds, p50, moreThanOne, factors,
                gpu::deviation(kColumns, expected, found).worst);
  }
}

void checkSizes(DeviceNetwork& network, Network& cpu) {
  constexpr std::size_t most = 150'000;
  const std::vector<float> features = gpu::rowsToCompare(kColumns, most);
  const std::vector<float> expected = predictOnCpu(cpu, features);
  const device::Stream stream;
  const auto context = network.context();
  CHECK_EQUAL(network.maxRows(), 65'536U);
  for (const std::size_t rows : {1u, 7u, 8u, 9u, 33u, 64u, 255u, 256u, 257u, 1'000u, 2'048u, 2'049u, 16'384u, 40'000u, 65'536u,
                                 65'537u, 65'792u, 150'000u, 3u, 1'024u}) {
    checkAgainst(expected, predictOnDevice(*context, features, rows, stream), std::to_string(rows) + " rows");
  }
}

/// What no feature can be, within and beyond floats of every size; clipping makes it finite.
void checkOddRows(DeviceNetwork& network, Network& cpu) {
  const float huge = std::numeric_limits<float>::max(), infinite = std::numeric_limits<float>::infinity();
  const float values[] = {0.0f, -0.0f, 1e-40f, -1.0f, 1e6f, -1e6f, huge, -huge, infinite, -infinite};
  constexpr std::size_t rows = 5'000;
  std::mt19937 random(3);
  std::vector<float> features(rows * kColumns.features);
  for (float& value : features) value = values[random() % std::size(values)];
  const std::vector<float> expected = predictOnCpu(cpu, features);
  const device::Stream stream;
  const auto context = network.context();
  for (const std::size_t count : {std::size_t{40}, rows}) {
    checkAgainst(expected, predictOnDevice(*context, features, count, stream), "odd rows, " + std::to_string(count));
  }
}

/// Eight threads, a context and a stream each, calls of all sizes without waiting for the last: none writes into the
/// activations of another.
void checkContextsAtOnce(DeviceNetwork& network, Network& cpu) {
  constexpr std::size_t rows = 65'536, threads = 8, calls = 24;
  const std::vector<float> features = gpu::rowsToCompare(kColumns, rows);
  const std::vector<float> expected = predictOnCpu(cpu, features);
  GpuBuffer in(kDevice, features.size());
  in.set(features.data());
  std::atomic<int> wrong{0};
  std::vector<std::thread> running;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      const std::string error = errorOf([&] {
        device::useDevice(0);
        const device::Stream stream;
        const auto context = network.context();
        std::mt19937 random(static_cast<std::uint32_t>(thread));
        std::vector<std::pair<std::size_t, std::unique_ptr<GpuBuffer>>> answers;
        for (std::size_t call = 0; call < calls; ++call) {
          const std::size_t count = call % 3 == 0 ? 1 + random() % 300 : 1 + random() % rows;
          answers.emplace_back(count, std::make_unique<GpuBuffer>(kDevice, count * kColumns.quantiles));
          context->enqueue(in.data(), count, answers.back().second->data(), stream);
        }
        stream.wait();
        for (auto& [count, out] : answers) {
          const std::vector<float> found = out->get();
          wrong += !gpu::deviation(kColumns, {expected.data(), found.size()}, found).isWithin();
        }
      });
      if (!error.empty()) std::printf("thread %zu: %s\n", thread, error.c_str());
      wrong += !error.empty();
    });
  }
  for (std::thread& thread : running) thread.join();
  CHECK_EQUAL(wrong.load(), 0);
}

void checkShared(const std::shared_ptr<DeviceNetwork>& network, Network& cpu) {
  CHECK(gpu::load(optionsOf(kShipped, &cpu)) == network);
  auto& loaded = dynamic_cast<gpu::TensorRtNetwork&>(*network);
  // Two calls of the largest profile side by side.
  CHECK(loaded.arena()->bytes() >= 2 * loaded.activationBytes(3));
  const std::size_t before = loaded.arena()->bytes();
  std::vector<std::unique_ptr<DeviceNetwork::Context>> contexts;
  for (int count = 0; count < 6; ++count) contexts.push_back(network->context());
  CHECK_EQUAL(loaded.arena()->bytes(), before);
}

void checkWithoutArenaAndGraphs(Network& cpu) {
  const std::vector<float> features = gpu::rowsToCompare(kColumns, 20'000);
  const std::vector<float> expected = predictOnCpu(cpu, features);
  for (const bool graphs : {false, true}) {
    DeviceNetworkOptions options = optionsOf(kShipped, &cpu);
    options.graphs = graphs;
    options.sharedArena = false;
    const auto network = gpu::load(options);
    const device::Stream stream;
    const auto context = network->context();
    CHECK_EQUAL(context->hostRows(), graphs ? 256U : 0U);
    for (const std::size_t rows : {50u, 20'000u}) {
      checkAgainst(expected, predictOnDevice(*context, features, rows, stream), "without arena");
    }
  }
}

/// The plan that is kept for the shipped network in FP32.
gpu::PlanFile keptPlan() {
  const gpu::PlanStore store("");
  for (const auto& entry : fs::directory_iterator(store.folder())) {
    const auto bytes = fileBytes(entry.path());
    std::string fault;
    auto file = gpu::decodePlan({bytes->begin(), bytes->end()}, fault);
    if (file && file->key.precision == "fp32" && file->key.profiles == "256 2048 16384 65536") return *file;
  }
  throw Error(ErrorCode::modelFailed, "no plan in FP32 is kept in " + store.folder().string());
}

void write(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

void checkGivenPlans(Network& cpu, const fs::path& folder) {
  const gpu::PlanFile kept = keptPlan();
  const fs::path file = folder / "model.plan";
  const auto refusal = [&](const std::string& bytes) {
    write(file, bytes);
    return errorOf([&] { gpu::load(optionsOf(file, &cpu)); });
  };
  CHECK_EQUAL(refusal(gpu::encodePlan(kept)), "");
  CHECK_EQUAL(refusal(kept.plan), "");
  std::printf("a bare plan says version '%s'\n", gpu::versionOfBarePlan(kept.plan).c_str());
  CHECK_EQUAL(gpu::versionOfBarePlan(kept.plan), kept.key.library);
  gpu::PlanFile other = kept;
  other.key.gpu = "NVIDIA L4, compute capability 8.9, 58 multiprocessors";
  CHECK_EQUAL(refusal(gpu::encodePlan(other)),
              "MODEL_FAILED: model.plan was built for the GPU " + other.key.gpu + ", not " + kept.key.gpu);
  other = kept;
  other.key.library = "10.7.0.23";
  CHECK_EQUAL(refusal(gpu::encodePlan(other)),
              "MODEL_FAILED: model.plan was built by TensorRT 10.7.0.23, not " + kept.key.library);
  std::string bare = kept.plan;
  bare[25] = 9;
  const std::string refused = refusal(bare);
  CHECK_THAT(refused.starts_with("MODEL_FAILED: model.plan was built by TensorRT 10.9.0."), refused);
  CHECK_EQUAL(refusal(gpu::encodePlan(kept).substr(0, 2'000)).substr(0, 32), "MODEL_FAILED: model.plan: it has");
  const std::string garbage = refusal("garbage");
  CHECK_THAT(garbage.starts_with("MODEL_FAILED: model.plan: TensorRT "), garbage);
}

void checkKeptPlans(Network& cpu, const fs::path& folder) {
  const gpu::PlanFile kept = keptPlan();
  DeviceNetworkOptions options = optionsOf(kShipped, &cpu, Precision::fp32);
  options.planFolder = folder / "plans";
  const std::string missing = gpu::TensorRt::open("").missingForBuilding();
  // Other batch sizes are another plan's.
  options.profiles = {64, 4'096};
  if (!missing.empty()) {
    const std::string error = errorOf([&] { gpu::load(options); });
    CHECK_THAT(error.starts_with("MODEL_FAILED: model.onnx has no plan for this GPU yet"), error);
    CHECK_THAT(error.find("libnvinfer_builder_resource") != std::string::npos, error);
    skip("no builder here: nothing is built");
    return;
  }
  const auto built = gpu::load(options);
  CHECK_EQUAL(built->maxRows(), 4'096U);
  CHECK_EQUAL(std::distance(fs::directory_iterator(options.planFolder), fs::directory_iterator()), 1);
  const fs::path plan = fs::directory_iterator(options.planFolder)->path();
  // Damaged, it is built again; whole, it is taken as it is.
  for (const std::string& bytes : {std::string("half"), gpu::encodePlan(kept)}) {
    write(plan, bytes);
    DeviceNetworkOptions again = options;
    again.graphs = bytes == "half";
    again.sharedArena = false;
    const auto network = gpu::load(again);
    CHECK_THAT(network->description().find("a kept plan was no good") != std::string::npos, network->description());
    CHECK_EQUAL(network->maxRows(), 4'096U);
  }
  const auto before = fs::last_write_time(plan);
  options.graphs = false;
  CHECK(gpu::load(options)->description().find("no good") == std::string::npos);
  CHECK(fs::last_write_time(plan) == before);
}

void checkRefusedNetworks(const fs::path& folder) {
  const auto refusal = [&](const fs::path& file, std::optional<Precision> precision = Precision::fp32) {
    DeviceNetworkOptions options = optionsOf(file, nullptr, precision);
    options.planFolder = folder / "plans";
    return errorOf([&] { gpu::load(options); });
  };
  const bool builds = gpu::TensorRt::open("").missingForBuilding().empty();
  CHECK(refusal(folder / "absent.onnx").ends_with("absent.onnx can't be read"));
  if (!builds) return;
  writeMlp(folder / "narrow.onnx", {19, 8});
  CHECK_THAT(refusal(folder / "narrow.onnx").ends_with("it must be one FP32 'features' of shape [N, 20]"),
             refusal(folder / "narrow.onnx"));
  write(folder / "broken.onnx", "\x08\x07garbage");
  CHECK_THAT(refusal(folder / "broken.onnx").starts_with("MODEL_FAILED: broken.onnx: TensorRT can't read it"),
             refusal(folder / "broken.onnx"));
}

/// Says otherwise than the network.
class OtherNetwork : public Network {
 public:
  explicit OtherNetwork(Network& network) : network_(network) {}
  void predict(const float* features, std::size_t rows, float* quantiles) override {
    network_.predict(features, rows, quantiles);
    quantiles[3] += 5.0f + 0.01f * std::fabs(quantiles[3]);
  }
  std::string description() const override { return "other"; }

 private:
  Network& network_;
};

void checkLimit(Network& cpu) {
  OtherNetwork other(cpu);
  DeviceNetworkOptions options = optionsOf(kShipped, &other, Precision::fp32);
  // Not what is loaded already.
  options.graphs = false;
  const std::string error = errorOf([&] { gpu::load(options); });
  CHECK_THAT(error.starts_with("MODEL_FAILED: model.onnx on the GPU; fp32 is out of the limit: column 3: "), error);
}

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

/// Requests of all kinds at once, more than there are instances, so that batches mix them.
void checkBackendMixed(Network& cpu) {
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
  for (int round = 0; round < 20; ++round) {
    for (Sent& one : sent) one.call->start();
    for (Sent& one : sent) one.call->wait();
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

}  // namespace

int main() {
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
  const std::string error = errorOf([&] { checkOnGpu(folder.folder()); });
  CHECK_THAT(error.empty(), error);
  finish_and_exit();
}
