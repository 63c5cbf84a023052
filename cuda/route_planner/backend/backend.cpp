// Triton backend `route_planner`: explicit-matrix problems → cost, sequence, flags (docs/tensors.md).
#include <fstream>
#include <iterator>

#include "batch.hpp"
#include "json.hpp"
#include "model_settings.hpp"
#include "solve_request.hpp"

using namespace roundhouse;
using namespace roundhouse::backend;
using route_planner::Answers;
using route_planner::SolveMemory;

namespace {

/// Version of the packing that this build reads (native/planner/pack-problems.ts).
constexpr long long kPacking = 1;

/// One order on board, 60 s away: cost 60 with duration weight 1.
const std::vector<std::int32_t> kSampleProblem = {1,   1,  4,          0, 1, -1, 0x7fffffff, 0, 0, 1, 0, 0,  0,  0,
                                                  900, -1, 0x7fffffff, 1, 1, 1,  0,          1, 0, 0, 0, 60, 60, 0};

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
  const Answers answers = route_planner::solveRequest(kSampleProblem, *memory, [] { return false; });
  if (answers.costs != std::vector<std::int64_t>{60})
    throw Error(ErrorCode::modelFailed, "the dry run gave another cost than 60");
}

std::vector<std::int32_t> readWords(TRITONBACKEND_Request* request) {
  const InputTensor tensor(request, "problems", TRITONSERVER_TYPE_INT32);
  const auto shape = tensor.shape();
  if (shape.size() != 2 || shape[0] != 1)
    throw Error(ErrorCode::payloadInvalid, "tensor 'problems' must have shape [1, L]");
  const auto words = tensor.values<std::int32_t>();
  return {words.begin(), words.end()};
}

void answer(TRITONBACKEND_Request* request, SolveMemory& memory) {
  const Answers answers = route_planner::solveRequest(readWords(request), memory, [&] { return isCancelled(request); });
  Reply reply(request);
  const auto count = static_cast<std::int64_t>(answers.costs.size());
  const std::int64_t shape[] = {1, count};
  const std::int64_t sequenceShape[] = {1, count * route_planner::kMaxStops};
  reply.write<std::int64_t>("costs", TRITONSERVER_TYPE_INT64, shape, answers.costs);
  reply.write<std::uint8_t>("sequences", TRITONSERVER_TYPE_UINT8, sequenceShape, answers.sequences);
  reply.write<std::uint8_t>("flags", TRITONSERVER_TYPE_UINT8, shape, answers.flags);
  reply.send();
}

SolveMemory* memoryOf(TRITONBACKEND_ModelInstance* instance) {
  void* state = nullptr;
  check(TRITONBACKEND_ModelInstanceState(instance, &state));
  return static_cast<SolveMemory*>(state);
}

}  // namespace

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInitialize(TRITONBACKEND_Model* model) {
  return guarded([&] { load(model); });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceInitialize(TRITONBACKEND_ModelInstance* instance) {
  return guarded([&] {
    auto memory = route_planner::makeSolveMemory();
    check(TRITONBACKEND_ModelInstanceSetState(instance, memory.get()));
    memory.release();
  });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceFinalize(TRITONBACKEND_ModelInstance* instance) {
  return guarded([&] { delete memoryOf(instance); });
}

TRITON_ENTRY TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(TRITONBACKEND_ModelInstance* instance,
                                                                    TRITONBACKEND_Request** requests,
                                                                    const std::uint32_t count) {
  return executeRequests(instance, requests, count, [&](Batch& batch) {
    batch.startComputing();
    batch.each([&](std::size_t index) {
      answer(batch.request(index), *memoryOf(instance));
      batch.succeed(index);
    });
  });
}
