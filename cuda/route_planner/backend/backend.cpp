// Triton backend `route_planner`: explicit-matrix problems → cost, sequence, flags (docs/tensors.md).
#include <fstream>
#include <iterator>

#include "batch.hpp"
#include "gpu_instance.hpp"
#include "handle_state.hpp"
#include "json.hpp"
#include "model_settings.hpp"
#include "planner_request.hpp"

using namespace roundhouse;
using namespace roundhouse::backend;
using route_planner::Answers;
using route_planner::SolveMemory;

namespace {

/// Version of the packing that this build reads (native/planner/pack-problems.ts).
constexpr long long kPacking = 1;

void requirePacking(const ModelSettings& settings) {
  std::ifstream file(settings.versionFolder() / "planner.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) throw Error(ErrorCode::modelFailed, "the version folder has no readable planner.json");
  const long long packing = parseJson(text).at("packing").integer();
  if (packing == kPacking) return;
  throw Error(ErrorCode::modelFailed,
              "planner.json has packing " + std::to_string(packing) + ", this build reads " + std::to_string(kPacking));
}

void load(TRITONBACKEND_Model* model) {
  const ModelSettings settings = readModelSettings(
      model, {{"problems", TRITONSERVER_TYPE_INT32}},
      {{"costs", TRITONSERVER_TYPE_INT64}, {"sequences", TRITONSERVER_TYPE_UINT8}, {"flags", TRITONSERVER_TYPE_UINT8}});
  requirePacking(settings);
  const auto memory = route_planner::makeSolveMemory();
  const Answers answers = route_planner::solveRequest(route_planner::kSampleProblem, *memory, [] { return false; });
  if (answers.costs != std::vector<std::int64_t>{60})
    throw Error(ErrorCode::modelFailed, "the dry run gave another cost than 60");
}

void answer(TRITONBACKEND_Request* request, SolveMemory& memory) {
  const backend::InputTensor problems = route_planner::readProblems(request);
  const Answers answers =
      route_planner::solveRequest(problems.values<std::int32_t>(), memory, [&] { return isCancelled(request); });
  route_planner::RowsReply reply(request, answers.costs.size());
  (void)reply.fill([&](const route_planner::RowsReply::Memory& to) {
    std::memcpy(to.costs, answers.costs.data(), sizeof(std::int64_t) * answers.costs.size());
    std::memcpy(to.sequences, answers.sequences.data(), answers.sequences.size());
    std::memcpy(to.flags, answers.flags.data(), answers.flags.size());
    return true;
  });
}

/// Memory of one instance; its thread alone uses it.
struct Instance {
  std::unique_ptr<SolveMemory> memory;
  /// Null for an instance on the CPU.
  std::unique_ptr<route_planner::GpuInstance> gpu;
};

/// An instance where the core wants it, or on the CPU in a build without CUDA.
std::unique_ptr<Instance> makeInstance(TRITONBACKEND_ModelInstance* handle) {
  TRITONSERVER_InstanceGroupKind kind = TRITONSERVER_INSTANCEGROUPKIND_CPU;
  std::int32_t device = 0;
  check(TRITONBACKEND_ModelInstanceKind(handle, &kind));
  check(TRITONBACKEND_ModelInstanceDeviceId(handle, &device));
  auto instance = std::make_unique<Instance>();
  if (kind == TRITONSERVER_INSTANCEGROUPKIND_GPU) instance->gpu = route_planner::makeGpuInstance(device);
  if (instance->gpu == nullptr) instance->memory = route_planner::makeSolveMemory();
  return instance;
}

}  // namespace

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model* model) {
  return guarded([&] { load(model); });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance* handle) {
  return initializeInstance(handle, makeInstance);
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance* handle) {
  return finalizeInstance<Instance>(handle);
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance* handle,
                                                                    TRITONBACKEND_Request** requests,
                                                                    const std::uint32_t count) {
  return executeRequests(handle, requests, count, [&](Batch& batch) {
    Instance& instance = *instanceState<Instance>(handle);
    if (instance.gpu != nullptr) return instance.gpu->execute(batch);
    batch.startComputing();
    batch.each([&](std::size_t index) {
      answer(batch.request(index), *instance.memory);
      batch.succeed(index);
    });
  });
}
