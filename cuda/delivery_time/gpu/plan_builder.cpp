#include "plan_builder.hpp"

#include <NvInfer.h>
#include <NvOnnxParser.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>

#include "device_fault.hpp"
#include "error.hpp"

namespace roundhouse::delivery_time::gpu {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{16} << 30;

/// TensorRT fuses a whole network into one node, whose activations are then that node's workspace: a limit below them
/// leaves no kernel. No more than half of the device.
std::size_t workspaceBytes() {
  std::size_t free = 0, total = 0;
  device::require(cudaMemGetInfo(&free, &total), "the GPU's memory can't be asked for");
  return std::min(kWorkspaceBytes, total / 2);
}

void parse(nvonnxparser::IParser& parser, const PlanRecipe& recipe) {
  if (parser.parse(recipe.onnx.data(), recipe.onnx.size())) return;
  std::string reasons;
  for (int index = 0; index < parser.getNbErrors(); ++index) {
    reasons += (reasons.empty() ? "" : "; ") + std::string(parser.getError(index)->desc());
  }
  throw Error(ErrorCode::modelFailed, recipe.name + ": TensorRT can't read it: " + reasons);
}

// TensorRT 10.12 would have types in the network instead; 10.6 builds faster plans from flags.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void setPrecision(nvinfer1::IBuilderConfig& config, Precision precision) {
  if (precision == Precision::fp32) config.clearFlag(nvinfer1::BuilderFlag::kTF32);
  if (precision == Precision::fp16) config.setFlag(nvinfer1::BuilderFlag::kFP16);
}
#pragma GCC diagnostic pop

nvinfer1::Dims rowsBy(std::size_t rows, std::size_t columns) {
  nvinfer1::Dims dims{};
  dims.nbDims = 2;
  dims.d[0] = static_cast<std::int64_t>(rows);
  dims.d[1] = static_cast<std::int64_t>(columns);
  return dims;
}

/// Before TensorRT would refuse the profiles in words of its own.
void requireInput(const nvinfer1::INetworkDefinition& network, const PlanRecipe& recipe) {
  const std::string columns = std::to_string(recipe.columns.features);
  const auto refuse = [&](const std::string& reason) {
    throw Error(ErrorCode::modelFailed,
                recipe.name + ": input " + reason + "; it must be one FP32 'features' of shape [N, " + columns + "]");
  };
  if (network.getNbInputs() != 1) refuse("count is " + std::to_string(network.getNbInputs()));
  const nvinfer1::ITensor& input = *network.getInput(0);
  const nvinfer1::Dims dims = input.getDimensions();
  if (std::string(input.getName()) != "features") refuse(std::string("is named '") + input.getName() + "'");
  const bool fits = dims.nbDims == 2 && dims.d[0] < 0 && std::to_string(dims.d[1]) == columns;
  if (!fits) refuse("has another shape");
}

void addProfiles(nvinfer1::IBuilder& builder, nvinfer1::IBuilderConfig& config, const PlanRecipe& recipe) {
  using Selector = nvinfer1::OptProfileSelector;
  std::size_t least = 1;
  for (const std::size_t most : recipe.profiles) {
    nvinfer1::IOptimizationProfile* profile = builder.createOptimizationProfile();
    const std::size_t columns = recipe.columns.features;
    const bool taken = profile->setDimensions("features", Selector::kMIN, rowsBy(least, columns)) &&
                       profile->setDimensions("features", Selector::kOPT, rowsBy(most, columns)) &&
                       profile->setDimensions("features", Selector::kMAX, rowsBy(most, columns)) &&
                       config.addOptimizationProfile(profile) >= 0;
    if (!taken) throw Error(ErrorCode::modelFailed, recipe.name + ": no profile for " + std::to_string(most) + " rows");
    least = most + 1;
  }
}

}  // namespace

const char* nameOf(Precision precision) {
  switch (precision) {
    case Precision::fp32: return "fp32";
    case Precision::tf32: return "tf32";
    case Precision::fp16: break;
  }
  return "fp16";
}

std::string buildPlan(TensorRt& library, const PlanRecipe& recipe) {
  if (const std::string missing = library.missingForBuilding(); !missing.empty()) {
    throw Error(ErrorCode::modelFailed, recipe.name + " has no plan for this GPU yet, and TensorRT " + library.version() +
                                            " can't build one without " + missing);
  }
  (void)library.log().take();
  (void)library.log().takeWarnings();
  const auto builder = library.builder();
  const std::unique_ptr<nvinfer1::INetworkDefinition> network(builder->createNetworkV2(0));
  const auto parser = library.parser(*network);
  parse(*parser, recipe);
  requireInput(*network, recipe);
  const std::unique_ptr<nvinfer1::IBuilderConfig> config(builder->createBuilderConfig());
  config->setMemoryPoolLimit(nvinfer1::MemoryPoolType::kWORKSPACE, workspaceBytes());
  config->setBuilderOptimizationLevel(recipe.level);
  config->setMaxAuxStreams(0);
  setPrecision(*config, recipe.precision);
  addProfiles(*builder, *config, recipe);
  const std::unique_ptr<nvinfer1::IHostMemory> plan(builder->buildSerializedNetwork(*network, *config));
  if (!plan) {
    const std::string warnings = library.log().takeWarnings();
    throw Error(ErrorCode::modelFailed, recipe.name + ": no plan could be built: " + library.log().take() +
                                            (warnings.empty() ? "" : "; warnings: " + warnings));
  }
  return {static_cast<const char*>(plan->data()), plan->size()};
}

}  // namespace roundhouse::delivery_time::gpu
