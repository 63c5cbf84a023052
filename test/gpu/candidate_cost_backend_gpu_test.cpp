// candidate_cost_backend_gpu_test [--models DIR] [--backends DIR]
// The backend in TritonCore: batches of random shards, good and bad, from pageable and from pinned memory. On a GPU where
// there is one, else on the CPU. An answer's plans are those of the CPU's code for the times that it says it used.
#include "cost_bench/repository.hpp"
#include "cost_bench/shard_call.hpp"
#include "cost_on_cpu.hpp"
#include "finish_and_exit.hpp"
#include "matrix_folder.hpp"
#include "onnx_network.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::test;
using candidate_cost::MatrixStore;
using candidate_cost::ShardValues;

constexpr int kRounds = 12;
constexpr int kShards = 12;

CostAnswer endOf(ShardCall& call) {
  return test::answerOf([&](CostAnswer& answer) {
    call.wait();
    answer.plans.assign(call.plans, call.plans + call.plansBytes());
    answer.orderTimes.assign(call.orderTimes, call.orderTimes + call.timesBytes() / 4);
    answer.rideFactors.assign(call.rideFactors, call.rideFactors + 4);
  });
}

/// One in three has something wrong with it.
ShardValues someShard(Random& random, const Sha256& matrix) {
  ShardShape shape;
  shape.candidates = static_cast<int>(random.within(1, 200));
  shape.zones = random.oneIn(3) ? 9 : 0;
  ShardValues shard = randomShard(random, shape);
  if (shape.zones > 0) nameMatrix(shard, matrix);
  switch (random.within(0, 11)) {
    case 0: shard.candidates[4 * static_cast<std::size_t>(random.within(0, shape.candidates - 1))] = 999; break;
    case 1: shard.params[layout::Param::quantile] = 51; break;
    case 2: shard.params[layout::Param::matrixHash] ^= shape.zones > 0 ? 1 : 0; break;
    case 3: shard.couriers[layout::CourierColumn::place] = -1; break;
    default: break;
  }
  return shard;
}

/// Phases follow each other within the interval; copies are a GPU's.
void checkPhases(const ShardCall& call) {
  const bool onGpu = device::deviceCount() > 0;
  std::int64_t last = call.interval[0];
  for (int at = 0; at < layout::PHASE_VALUES; at += 2) {
    const std::int64_t begin = call.phases[at], end = call.phases[at + 1];
    CHECK_EQUAL(begin == 0, end == 0);
    const bool isCopy = at == layout::Phase::copyIn || at == layout::Phase::copyOut;
    if (isCopy) CHECK_EQUAL(begin != 0, onGpu);
    if (at == layout::Phase::planning) CHECK(begin != 0);
    if (begin == 0) continue;
    CHECK(last <= begin && begin <= end);
    last = end;
  }
  CHECK(last <= call.interval[1]);
}

void checkRound(TritonHost& host, MatrixStore& matrices, delivery_time::Network& network, Random& random,
                const Sha256& matrix, bool pinned) {
  std::vector<ShardValues> shards;
  std::vector<std::unique_ptr<ShardCall>> calls;
  for (int index = 0; index < kShards; ++index) shards.push_back(someShard(random, matrix));
  for (const ShardValues& shard : shards) {
    calls.push_back(std::make_unique<ShardCall>(host, "candidate_cost", shard, pinned));
  }
  for (const auto& call : calls) call->start();
  for (int index = 0; index < kShards; ++index) {
    const CostAnswer found = endOf(*calls[index]);
    const CostAnswer onCpu = costOnCpu(shards[index], matrices, network);
    CHECK_EQUAL(found.failure, onCpu.failure);
    if (!found.failure.empty()) continue;
    checkPhases(*calls[index]);
    CHECK(found == costWithTimesOf(shards[index], matrices, found));
  }
}

struct Folders {
  std::string models = "models";
  std::string backends = "build/cuda/backends";
};

void check(const Folders& folders) {
  BenchRepository repository(folders.models);
  Random random{12};
  MatrixFolder matrixFolder("roundhouse-backend");
  const Sha256 matrix = matrixFolder.add(random, 9);
  std::filesystem::create_directories(repository.path / "travel");
  const std::string name = hexOf(matrix) + ".bin";
  std::filesystem::copy(matrixFolder.path / name, repository.path / "travel" / name);
  MatrixStore matrices(matrixFolder.path);
  const auto network = delivery_time::loadNetwork(repository.path / "delivery_time" / "1" / "model.onnx", "");
  TritonHost host({.repository = repository.path, .backends = folders.backends});
  host.load("candidate_cost");
  for (int round = 0; round < kRounds; ++round) checkRound(host, matrices, *network, random, matrix, round % 2 == 0);
}

}  // namespace

int main(int argc, char** argv) {
  Folders folders;
  for (int at = 1; at + 1 < argc; at += 2) {
    if (argv[at] == std::string("--models")) folders.models = argv[at + 1];
    if (argv[at] == std::string("--backends")) folders.backends = argv[at + 1];
  }
  if (TritonHost::findCore().empty() || !std::filesystem::exists(folders.models + "/candidate_cost")) {
    skip("no TritonCore in the toolchain, or not run from the root of the repository");
    return finish();
  }
  try {
    check(folders);
  } catch (const std::exception& error) {
    test::check(false, __FILE__, __LINE__, error.what());
  }
  finish_and_exit();
}
