// candidate_cost in one pass on a GPU: what it answers is what the CPU answers, byte for byte, wherever the network's
// outputs are the same; a shard fails alone. `--quick` does less, for compute-sanitizer.
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <thread>

#include "candidate_cost/cost_checks.hpp"
#include "candidate_cost/memory_checks.hpp"
#include "matrix_folder.hpp"
#include "onnx_network.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::candidate_cost;
using namespace roundhouse::test;
using candidate_cost::gpu::DeviceMatrices;
namespace P = layout::Param;

using candidate_cost::gpu::CopyBy;

/// Ways to make a pass.
GpuCosts::Options optionsOf(std::uint64_t seed) {
  switch (seed % 6) {
    case 1: return {.chunk = 500, .searchUpTo = 0, .atOnceUpTo = 0, .copyBy = CopyBy::engine};
    case 2: return {.chunk = 500, .searchUpTo = 300, .atOnceUpTo = 400, .copyBy = CopyBy::engine};
    case 3: return {.chunk = 4000};
    case 4: return {.chunk = 4000, .takesTurns = true};
    default: return {.chunk = 4000, .searchUpTo = 300};
  }
}

/// Batches of 1 to 8 shards of any kind, from pageable and from pinned memory: what differs from the CPU's answers. Any
/// thread.
std::vector<std::string> randomBatches(int rounds, std::uint64_t seed, int buildLanes) {
  std::vector<std::string> differences;
  Random random{seed};
  test::MatrixFolder folder("roundhouse-cost-" + std::to_string(seed));
  const Sha256 hash = folder.add(random, 9);
  MatrixStore matrices(folder.path);
  FormulaNetwork network;
  GpuCosts::Options options = optionsOf(seed);
  options.buildLanes = buildLanes;
  GpuCosts gpu(network, options);
  for (int round = 0; round < rounds; ++round) {
    std::vector<ShardValues> values;
    for (auto left = random.within(1, 8); left > 0; --left) {
      test::ShardShape shape;
      shape.candidates = random.oneIn(10) ? 0 : static_cast<int>(random.within(1, quick ? 60 : 400));
      shape.mostHeld = random.oneIn(5) ? 5 : 2;
      shape.mostBundle = static_cast<int>(random.within(1, 4));
      shape.zones = random.oneIn(3) ? 9 : 0;
      values.push_back(test::randomShard(random, shape));
      if (shape.zones > 0) test::nameMatrix(values.back(), hash);
    }
    const std::vector<CostAnswer> found = gpu.cost(values, matrices, round % 2 == 0);
    for (std::size_t index = 0; index < values.size(); ++index) {
      const std::string text = difference(found[index], test::costOnCpu(values[index], matrices, network));
      const std::string where = "round " + std::to_string(round) + ", shard " + std::to_string(index) + ": ";
      differences.push_back(text.empty() ? "" : where + text);
    }
  }
  differences.push_back(gpu.matrices->uploads() <= 1 ? "" : "the matrix went up more than once");
  return differences;
}

void checkRandomBatches(int rounds, std::uint64_t seed, int buildLanes = GpuCosts::Options{}.buildLanes) {
  for (const std::string& text : randomBatches(rounds, seed, buildLanes)) CHECK_EQUAL(text, "");
}

void checkKnownTimes() {
  Random random{2};
  MatrixStore none("/nowhere");
  FormulaNetwork network;
  GpuCosts gpu(network);
  std::vector<ShardValues> values(3, test::randomShard(random, {}));
  for (ShardValues& shard : values) {
    shard.params[P::travelKnown] = 1;
    for (std::size_t at = layout::OrderColumn::flags; at < shard.orders.size(); at += layout::ORDER_COLUMNS) {
      shard.orders[at] = 7;
    }
  }
  const auto found = gpu.cost(values, none, false);
  for (const CostAnswer& answer : found) checkEqual(answer, test::costOnCpu(values[0], none, network), "known times: ");
}

/// One bad shard of each kind among good ones: it fails with the CPU's words, and the others have their plans.
void checkBadShards() {
  Random random{3};
  MatrixStore none("/nowhere");
  FormulaNetwork network;
  GpuCosts gpu(network);
  test::ShardShape city;
  city.strange = false;
  std::vector<ShardValues> values;
  for (int index = 0; index < 8; ++index) values.push_back(test::randomShard(random, city));
  const int columns = 1 + city.mostBundle;
  values[1].candidates[100 * columns] = 20;                                    // no such courier
  values[1].candidates[30 * columns + 1] = 4000;                               // no such order, earlier
  values[2].orderFeatures[5 * layout::ORDER_FEATURE_COLUMNS + 3] = 13;         // not finite
  values[3].orderFeatures[5 * layout::ORDER_FEATURE_COLUMNS + 3] = 17;         // fails the call for all
  values[4].params[P::weightDuration] = int64_t{1} << 53;                      // cost above 2^62 for some
  values[4].orders[layout::OrderColumn::dropoffPreService] = 0x7fffffff;
  // A drop-off 10^9 m away at 1 m/h takes more than INT32 seconds.
  for (int vehicle = 0; vehicle < kVehicles; ++vehicle) values[6].params[P::metresPerHour + vehicle] = 1;
  values[6].places[3 * (city.couriers + 2 * 5 + 1)] = 1 << 30;
  const auto found = gpu.cost(values, none, false);
  int failed = 0;
  for (std::size_t index = 0; index < values.size(); ++index) {
    const CostAnswer expected = test::costOnCpu(values[index], none, network);
    failed += expected.failure.empty() ? 0 : 1;
    checkEqual(found[index], expected, "bad shards, " + std::to_string(index) + ": ");
  }
  CHECK_EQUAL(failed, 5);
  CHECK_EQUAL(found[1].failure, "PAYLOAD_INVALID: candidates row 30, column order: 4000 is no row of orders");
  CHECK_EQUAL(found[2].failure, "MODEL_FAILED: the network gave a value that is not finite in column 4");
}

/// Two matrices, and room for one: each change of matrix is a copy.
void checkMatrices() {
  Random random{4};
  test::MatrixFolder folder("roundhouse-matrices");
  const Sha256 hashes[] = {folder.add(random, 30), folder.add(random, 40)};
  MatrixStore matrices(folder.path);
  FormulaNetwork network;
  GpuCosts gpu(network, {}, std::make_shared<DeviceMatrices>(4 * 40 * 40));
  for (const int which : {0, 0, 1, 1, 0}) {
    test::ShardShape shape;
    shape.zones = 30;
    std::vector<ShardValues> values = {test::randomShard(random, shape)};
    test::nameMatrix(values[0], hashes[which]);
    checkEqual(gpu.cost(values, matrices, false)[0], test::costOnCpu(values[0], matrices, network), "matrices: ");
  }
  CHECK_EQUAL(gpu.matrices->uploads(), 3u);
  // A batch that needs both keeps both until it is over.
  test::ShardShape shape;
  shape.zones = 30;
  std::vector<ShardValues> both = {test::randomShard(random, shape), test::randomShard(random, shape)};
  for (int which = 0; which < 2; ++which) test::nameMatrix(both[which], hashes[which]);
  const auto found = gpu.cost(both, matrices, false);
  for (int which = 0; which < 2; ++which) {
    checkEqual(found[which], test::costOnCpu(both[which], matrices, network), "both matrices: ");
  }
}

/// One is cancelled before, and all are in the middle; then the coster works as before.
void checkCancellation() {
  Random random{5};
  MatrixStore none("/nowhere");
  FormulaNetwork network;
  GpuCosts gpu(network, {.chunk = 64});
  const std::vector<ShardValues> values = {test::randomShard(random, {}), test::randomShard(random, {}),
                                           test::randomShard(random, {})};
  std::vector<CostAnswer> expected;
  for (const ShardValues& shard : values) expected.push_back(test::costOnCpu(shard, none, network));
  const std::string cancelled = "DEADLINE_EXCEEDED: the caller cancelled the request";
  auto found = gpu.cost(values, none, false, [](std::size_t index) { return index == 1; });
  CHECK_EQUAL(found[1].failure, cancelled);
  checkEqual(found[0], expected[0], "beside a cancelled one: ");
  checkEqual(found[2], expected[2], "beside a cancelled one: ");
  // 600 candidates in chunks of 64 are 10 chunks; the three are asked first, then before each step.
  for (const int after : {3, 6, 12}) {
    int asked = 0;
    found = gpu.cost(values, none, false, [&](std::size_t) { return ++asked > after; });
    for (const CostAnswer& answer : found) CHECK_EQUAL(answer.failure, cancelled);
    CHECK(asked < 40);
  }
  found = gpu.cost(values, none, false);
  for (std::size_t index = 0; index < values.size(); ++index) checkEqual(found[index], expected[index], "after that: ");
}

/// Costers of several threads side by side.
void checkSideBySide() {
  std::vector<std::thread> threads;
  std::vector<std::string> differences[4];
  for (std::uint64_t number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] { differences[number] = randomBatches(quick ? 1 : 12, 100 + number, number % 2 == 0 ? 1 : 8); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : differences) {
    for (const std::string& text : own) CHECK_EQUAL(text, "");
  }
}

/// The shipped network on TensorRT: the plans are the CPU's for the times that it gives.
void checkTensorRt() {
  const std::string reason = delivery_time::whyNoTensorRt("");
  if (!reason.empty()) return test::skip("TensorRT: " + reason);
  const auto reference = delivery_time::loadNetwork(kShippedNetwork, "");
  delivery_time::DeviceNetworkOptions options;
  options.file = kShippedNetwork;
  options.reference = reference.get();
  const auto network = delivery_time::loadDeviceNetwork(options);
  std::printf("%s\n", network->description().c_str());
  GpuCosts gpu(network->context(), {.padsRows = true, .rowSteps = 4});
  Random random{11};
  MatrixStore none("/nowhere");
  int differing = 0, times = 0;
  std::int32_t furthest = 0;
  for (int round = 0; round < 10; ++round) {
    std::vector<ShardValues> values;
    for (auto left = random.within(1, 4); left > 0; --left) values.push_back(test::randomShard(random, {}));
    const auto found = gpu.cost(values, none, round % 2 == 0);
    for (std::size_t index = 0; index < values.size(); ++index) {
      checkEqual(found[index], test::costWithTimesOf(values[index], none, found[index]), "TensorRT: ");
      const CostAnswer onCpu = test::costOnCpu(values[index], none, *reference);
      for (std::size_t at = 0; at < found[index].orderTimes.size(); ++at) {
        const std::int32_t apart = std::abs(found[index].orderTimes[at] - onCpu.orderTimes[at]);
        furthest = std::max(furthest, apart);
        differing += apart > 0 ? 1 : 0;
        ++times;
        // 0.5 s + 0.1% of at most a day, and one for the rounding.
        CHECK(apart <= 2 + onCpu.orderTimes[at] / 1000);
      }
    }
  }
  std::printf("TensorRT and ONNX Runtime: %d of %d times differ, by %d s at most\n", differing, times, furthest);
}

/// What is thrown is a failure of the part alone.
void runPart(const char* name, const std::function<void()>& part) {
  std::printf("%s\n", name);
  std::fflush(stdout);
  try {
    part();
  } catch (const std::exception& error) {
    test::check(false, __FILE__, __LINE__, std::string(name) + ": " + error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  quick = argc > 1 && std::string(argv[1]) == "--quick";
  if (device::deviceCount() == 0) {
    test::skip("no GPU");
    return test::finish();
  }
  runPart("random batches", [] { checkRandomBatches(quick ? 2 : 100, 1); });
  runPart("random batches, small ones searched", [] { checkRandomBatches(quick ? 2 : 100, 2); });
  runPart("random batches at once, copied by a kernel", [] { checkRandomBatches(quick ? 3 : 150, 3); });
  runPart("the same in turns", [] { checkRandomBatches(quick ? 2 : 60, 4); });
  runPart("problems built by teams", [] {
    for (const int lanes : {4, 8, 16, 32}) {
      checkRandomBatches(quick ? 1 : 25, 3, lanes);
      checkRandomBatches(quick ? 1 : 10, 1, lanes);
    }
  });
  runPart("known times", checkKnownTimes);
  runPart("bad shards", checkBadShards);
  runPart("matrices", checkMatrices);
  runPart("cancellation", checkCancellation);
  runPart("slots", [] {
    checkSlots(CopyBy::engine);
    checkSlots(CopyBy::kernel);
  });
  if (!quick) {
    // Racecheck loses track of launches from several threads.
    runPart("side by side", checkSideBySide);
    runPart("short memory", checkShortMemory);
    runPart("TensorRT", checkTensorRt);
  }
  return test::finish();
}
