// The delivery-time network on a GPU against ONNX Runtime: every batch size, odd rows, several contexts.
#pragma once

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "accuracy_limit.hpp"
#include "check.hpp"
#include "device_count.hpp"
#include "error.hpp"
#include "error_of.hpp"
#include "gpu_buffers.hpp"
#include "load.hpp"
#include "network_repository.hpp"
#include "onnx_mlp.hpp"
#include "onnx_network.hpp"
#include "stream.hpp"
#include "tensorrt_network.hpp"

namespace roundhouse::test {

using namespace roundhouse::delivery_time;
namespace fs = std::filesystem;

inline const fs::path kShipped = checkoutFolder() / "models/delivery_time/1/model.onnx";
inline const Columns kColumns{};

inline DeviceNetworkOptions optionsOf(const fs::path& file, Network* reference, std::optional<Precision> precision = {}) {
  DeviceNetworkOptions options;
  options.file = file;
  options.reference = reference;
  options.precision = precision;
  return options;
}

inline std::vector<float> predictOnCpu(Network& network, const std::vector<float>& features) {
  const std::size_t rows = features.size() / network.columns().features;
  std::vector<float> quantiles(rows * network.columns().quantiles);
  network.predict(features.data(), rows, quantiles.data());
  return quantiles;
}

constexpr std::size_t kGuard = 64;

/// Into poisoned memory, with guards behind it that must stay as they are.
inline std::vector<float> predictOnDevice(DeviceNetwork::Context& context, const std::vector<float>& features, std::size_t rows,
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

inline void checkAgainst(const std::vector<float>& expected, const std::vector<float>& found, const std::string& what) {
  const gpu::Deviation away = gpu::deviation(kColumns, {expected.data(), found.size()}, found);
  CHECK_THAT(away.isWithin(), what + ": " + away.text);
}

/// For docs/etr.md: how far each precision is away.
inline void printDeviations(Network& cpu) {
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

inline void checkSizes(DeviceNetwork& network, Network& cpu, std::size_t most = 150'000) {
  const std::vector<float> features = gpu::rowsToCompare(kColumns, most);
  const std::vector<float> expected = predictOnCpu(cpu, features);
  const device::Stream stream;
  const auto context = network.context();
  CHECK_EQUAL(network.maxRows(), 65'536U);
  for (const std::size_t rows : {1u, 7u, 8u, 9u, 33u, 64u, 255u, 256u, 257u, 1'000u, 2'048u, 2'049u, 16'384u, 40'000u, 65'536u,
                                 65'537u, 65'792u, 150'000u, 3u, 1'024u}) {
    if (rows > most) continue;
    checkAgainst(expected, predictOnDevice(*context, features, rows, stream), std::to_string(rows) + " rows");
    std::printf("%zu rows\n", rows);
  }
}

/// What no feature can be, within and beyond floats of every size; clipping makes it finite.
inline void checkOddRows(DeviceNetwork& network, Network& cpu) {
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
inline void checkContextsAtOnce(DeviceNetwork& network, Network& cpu) {
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

inline void checkShared(const std::shared_ptr<DeviceNetwork>& network, Network& cpu) {
  CHECK(gpu::load(optionsOf(kShipped, &cpu)) == network);
  auto& loaded = dynamic_cast<gpu::TensorRtNetwork&>(*network);
  // Two calls of the largest profile side by side.
  CHECK(loaded.arena()->bytes() >= 2 * loaded.activationBytes(3));
  const std::size_t before = loaded.arena()->bytes();
  std::vector<std::unique_ptr<DeviceNetwork::Context>> contexts;
  for (int count = 0; count < 6; ++count) contexts.push_back(network->context());
  CHECK_EQUAL(loaded.arena()->bytes(), before);
}

inline void checkWithoutArenaAndGraphs(Network& cpu) {
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

}  // namespace roundhouse::test
