// TensorRT plans of the delivery-time network that are given, kept, damaged, another's or out of the limit.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "file_bytes.hpp"
#include "network_checks.hpp"
#include "plan_file.hpp"
#include "plan_store.hpp"
#include "sha256.hpp"

namespace roundhouse::test {

using namespace roundhouse::delivery_time;
namespace fs = std::filesystem;

/// The plan that is kept for the shipped network in FP32.
inline gpu::PlanFile keptPlan() {
  const gpu::PlanStore store("");
  const auto shipped = fileBytes(kShipped);
  if (!shipped) throw Error(ErrorCode::modelFailed, kShipped.string() + " can't be read");
  const auto* start = reinterpret_cast<const std::uint8_t*>(shipped->data());
  const std::string network = hexOf(sha256({start, shipped->size()}));
  for (const auto& entry : fs::directory_iterator(store.folder())) {
    const auto bytes = fileBytes(entry.path());
    std::string fault;
    auto file = gpu::decodePlan({bytes->begin(), bytes->end()}, fault);
    const bool asked = file && file->key.network == network && file->key.precision == "fp32";
    if (asked && file->key.profiles == "256 2048 16384 65536") return *file;
  }
  throw Error(ErrorCode::modelFailed, "no plan of the shipped network in FP32 is kept in " + store.folder().string());
}

inline void write(const fs::path& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

inline void checkGivenPlans(Network& cpu, const fs::path& folder) {
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

inline void checkKeptPlans(Network& cpu, const fs::path& folder) {
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

inline void checkRefusedNetworks(const fs::path& folder) {
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

inline void checkLimit(Network& cpu) {
  OtherNetwork other(cpu);
  DeviceNetworkOptions options = optionsOf(kShipped, &other, Precision::fp32);
  // Not what is loaded already.
  options.graphs = false;
  const std::string error = errorOf([&] { gpu::load(options); });
  CHECK_THAT(error.starts_with("MODEL_FAILED: model.onnx on the GPU; fp32 is out of the limit: column 3: "), error);
}

}  // namespace roundhouse::test
