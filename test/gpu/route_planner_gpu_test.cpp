// route_planner_gpu_test [--random N] [--each N] [--shared DIR] [--models DIR] [--backends DIR] [--without-core]
// The GPU's plans against the CPU's: packed problems in small chunks, then the samples of ../shared/or and random problems
// through the backend in TritonCore. Without a GPU it says so and is skipped; route_planner_kernels_test runs the same
// code on the CPU.
#include <cstring>

#include "../native/or_samples.hpp"
#include "check.hpp"
#include "finish_and_exit.hpp"

using namespace roundhouse;

#if !defined(ROUNDHOUSE_HAS_CUDA)

int main() {
  test::skip("this build has no CUDA compiler");
  return test::finish();
}

#else

#include "../../cuda/device/memory.hpp"
#include "../../cuda/route_planner/gpu/packed_planner.hpp"
#include "../../cuda/route_planner/gpu/packed_work.hpp"
#include "../../cuda/route_planner/gpu/planner_slot.hpp"
#include "backend_call.hpp"
#include "cpu_planner.hpp"
#include "packed_problems.hpp"
#include "route_families.hpp"
#include "route_planner/settings.hpp"

namespace roundhouse::test {
cudaError_t launchSmallSearches(int orders, const route_planner::gpu::Building& batch,
                                const route_planner::gpu::GroupStarts& starts, cudaStream_t stream);
}

using namespace roundhouse::route_planner;
using gpu::PackedRequest;

namespace {

struct Settings : test::PlannerPlaces {
  std::size_t random;
  /// Problems a family in small chunks; a fifteenth of 7 and 8 orders.
  std::size_t each;
};

struct Solved {
  std::vector<Plan> plans;
  std::vector<PrepareStatus> statuses;
};

Solved onCpu(const std::vector<Problem>& problems) {
  Solved solved{std::vector<Plan>(problems.size()), std::vector<PrepareStatus>(problems.size())};
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  test::solveOnCpu(problems, solved.plans, solved.statuses, threads);
  return solved;
}

PackedRequest requestOf(std::span<const int32_t> words) {
  PackedRequest request;
  request.words = words;
  request.isCancelled = [] { return false; };
  return request;
}

struct ReadRows {
  std::vector<int64_t> memory;
  test::Rows rows;

  explicit ReadRows(std::size_t count)
      : memory((count * test::kRowBytes + 7) / 8), rows(test::rowsIn(reinterpret_cast<std::byte*>(memory.data()), count)) {}
};

void checkRows(const std::string& name, const test::Rows& rows, const std::vector<Plan>& expected) {
  std::size_t different = 0;
  std::size_t first = 0;
  for (std::size_t index = 0; index < expected.size(); ++index) {
    if (!test::sameRow(rows, index, expected[index]) && different++ == 0) first = index;
  }
  CHECK_THAT(different == 0, name + ": " + std::to_string(different) + " of " + std::to_string(expected.size()) +
                                 " rows differ, the first is " + std::to_string(first));
}

void checkRequest(gpu::PackedPlanner& planner, const std::string& name, PackedRequest& request,
                  const std::vector<Problem>& problems) {
  CHECK_EQUAL(static_cast<std::size_t>(request.count), problems.size());
  CHECK_THAT(request.faulty == -1 && !request.cancelled, name + ": no fault");
  if (static_cast<std::size_t>(request.count) != problems.size()) return;
  ReadRows read(problems.size());
  CHECK_THAT(planner.read(request, read.rows.costs, read.rows.sequences, read.rows.flags), name + ": read");
  checkRows(name, read.rows, onCpu(problems).plans);
}

/// Three requests a call, none of them a whole number of chunks, the middle one in page-locked memory.
void checkFamily(gpu::PackedPlanner& planner, const test::Family& family, std::size_t count) {
  std::vector<std::vector<Problem>> parts;
  std::vector<std::vector<int32_t>> words;
  for (const std::size_t size : {count, count / 3, std::size_t{7}}) {
    parts.push_back(test::drawFamily(family, size, 77 + size));
    words.push_back(test::packed(parts.back()));
  }
  device::PinnedMemory pinned;
  pinned.demand(words[1].size() * sizeof(int32_t));
  std::memcpy(pinned.as<int32_t>(), words[1].data(), words[1].size() * sizeof(int32_t));
  std::vector<PackedRequest> requests = {requestOf(words[0]), requestOf({pinned.as<int32_t>(), words[1].size()}),
                                         requestOf(words[2])};
  requests[1].pinned = true;
  planner.solve(requests);
  for (std::size_t index = 0; index < 3; ++index) {
    checkRequest(planner, std::string(family.name) + ", request " + std::to_string(index), requests[index], parts[index]);
  }
}

/// A fault ends its own request only, and the first one in it is named.
void checkFaults(gpu::PackedPlanner& planner) {
  std::vector<Problem> problems = test::drawFamily(test::routeFamilies[0], 2500, 5);
  const std::vector<int32_t> good = test::packed(problems);
  std::vector<Problem> wrong = problems;
  wrong[2100].weightLateness = -1;
  wrong[1900].stops[1].postService = -1;
  const std::vector<int32_t> refused = test::packed(wrong);
  std::vector<int32_t> unreadable = good;
  const std::size_t at = gpu::packedOffset(good, 1200);
  unreadable[at + 4] = 2;  // interleave
  const std::span<const int32_t> cut{good.data(), gpu::packedOffset(good, 1100) + 5};
  std::vector<int32_t> badCount = good;
  badCount[gpu::packedOffset(good, 3)] = 9;
  std::vector<PackedRequest> requests = {requestOf(good), requestOf(refused), requestOf(unreadable), requestOf(cut),
                                         requestOf(badCount), requestOf({}), requestOf(good)};
  planner.solve(requests);
  for (const std::size_t index : {1, 2}) {
    ReadRows read(static_cast<std::size_t>(requests[index].count));
    CHECK(!planner.read(requests[index], read.rows.costs, read.rows.sequences, read.rows.flags));
  }
  for (const std::size_t index : {3, 4}) planner.findRefused(requests[index]);
  const int expected[] = {-1, 1900, 1200, 1100, 3, -1, -1};
  for (std::size_t index = 0; index < requests.size(); ++index) {
    CHECK_THAT(requests[index].faulty == expected[index],
               "fault of request " + std::to_string(index) + ": " + std::to_string(requests[index].faulty));
  }
  CHECK_EQUAL(requests[2].faultyAt, at);
  CHECK_EQUAL(requests[5].count, 0);
  checkRequest(planner, "first beside faults", requests[0], problems);
  checkRequest(planner, "last beside faults", requests[6], problems);
}

void checkCancelling(gpu::PackedPlanner& planner) {
  const std::vector<Problem> problems = test::drawFamily(test::routeFamilies[0], 5000, 9);
  const std::vector<int32_t> words = test::packed(problems);
  std::vector<PackedRequest> requests = {requestOf(words), requestOf(words)};
  int asked = 0;
  requests[0].isCancelled = [&] { return ++asked == 3; };
  planner.solve(requests);
  CHECK(requests[0].cancelled);
  CHECK_EQUAL(asked, 3);
  checkRequest(planner, "beside a cancelled one", requests[1], problems);
  requests = {requestOf(words)};
  requests[0].isCancelled = [] { return true; };
  planner.solve(requests);
  planner.wait();
  CHECK(requests[0].cancelled);
  CHECK_EQUAL(requests[0].count, 0);
}

/// Searches that give up for want of stack are solved all the same.
void checkGivingUp(const test::Family& family, std::size_t count) {
  const std::vector<Problem> problems = test::drawFamily(family, count, 21);
  const std::vector<int32_t> words = test::packed(problems);
  PackedRequest request = requestOf(words);
  gpu::PlannerSlot slot(static_cast<int>(count), 64, &test::launchSmallSearches);
  gpu::PackedBuffers buffers(static_cast<int>(count));
  gpu::PackedWork work({&request, 1}, buffers);
  slot.build(0, work.take(0, static_cast<int>(count)), work);
  slot.launch(work);
  slot.stream().wait();
  const uint32_t unsolved = slot.counters().unsolved;
  std::printf("%s: %u of %zu searches gave up\n", family.name, unsolved, count);
  CHECK_THAT(unsolved > 0, std::string(family.name) + ": no search gave up");
  const gpu::PackedRows rows = buffers.results.at(0).rows();
  checkRows(std::string(family.name) + " with little stack",
            {rows.costs(), reinterpret_cast<uint8_t*>(rows.sequences()), rows.flags()}, onCpu(problems).plans);
}

/// Kinds that prune badly: some searches are handed over, and split at the root.
void checkHandingOver() {
  const test::Family families[] = {
      {"one weight", 6, 6, 900, 4000, 1, test::kNever, test::kNever, test::kNever, test::kNever, test::kNever, 1, 9, true},
      {"capacity", 6, 6, 900, 2000, 10, test::kNever, test::kNever, test::kNever, test::kNever, test::kNever, 2, 3, true}};
  for (const test::Family& family : families) {
    const std::vector<Problem> problems = test::drawFamily(family, 1700, 606);
    const std::vector<int32_t> words = test::packed(problems);
    PackedRequest request = requestOf(words);
    gpu::PlannerSlot slot(2000, 64);
    gpu::PackedBuffers buffers(2000);
    gpu::PackedWork work({&request, 1}, buffers);
    slot.build(0, work.take(0, 2000), work);
    slot.launch(work);
    slot.stream().wait();
    std::printf("%s: %u of %zu searches were handed over\n", family.name, slot.counters().hard, problems.size());
    CHECK_THAT(slot.counters().hard > 0, std::string(family.name) + ": none was handed over");
    const gpu::PackedRows rows = buffers.results.at(0).rows();
    checkRows(std::string(family.name) + " handed over",
              {rows.costs(), reinterpret_cast<uint8_t*>(rows.sequences()), rows.flags()}, onCpu(problems).plans);
  }
}

void checkThroughBackend(test::TritonHost& host, const std::string& name, const std::vector<Problem>& problems,
                         const std::vector<Plan>& expected) {
  const std::vector<int32_t> words = test::packed(problems);
  ReadRows read(problems.size());
  const auto call = test::plannerCall(host, words, problems.size(), read.rows, test::kPageable);
  call->infer();
  CHECK_EQUAL(call->shape(0).at(1), static_cast<std::int64_t>(problems.size()));
  checkRows(name, read.rows, expected);
}

void checkSamples(test::TritonHost& host, const std::string& folder) {
  int count = 0;
  for (const char* file : {"city_n2", "city_n3", "city_n4", "city_n5", "city_n6", "edge_n1", "edge_n2", "edge_n3",
                           "edge_n4", "edge_n5", "edge_n6", "worst_n5"}) {
    std::vector<Problem> problems;
    std::vector<Plan> expected;
    for (const test::Sample& sample : test::readSamples(folder, file)) {
      problems.push_back(sample.problem);
      Plan& plan = expected.emplace_back();
      plan.feasible = true;
      plan.cost = sample.cost;
      std::istringstream stops(sample.sequence);
      for (int stop = 0; stops >> stop; ++plan.stopCount) plan.stops[plan.stopCount] = static_cast<uint8_t>(stop);
      ++count;
    }
    if (!problems.empty()) checkThroughBackend(host, file, problems, expected);
  }
  CHECK_EQUAL(count, 480);
}

void checkCore(const Settings& settings) {
  if (!settings.withCore || test::TritonHost::findCore().empty()) return test::skip("no TritonCore here");
  test::TritonHost host({.repository = settings.models, .backends = settings.backends});
  host.load("route_planner");
  CHECK_THAT(host.config("route_planner").find("KIND_GPU") != std::string::npos, "an instance on the GPU");
  checkSamples(host, settings.shared + "/or");
  for (const test::Family& family : test::routeFamilies) {
    const auto problems = test::drawFamily(family, test::familySize(family, settings.random), 4242);
    checkThroughBackend(host, std::string(family.name) + " through the backend", problems, onCpu(problems).plans);
    std::printf("%s: %zu through the backend\n", family.name, problems.size());
    std::fflush(stdout);
  }
}

Settings readSettings(const test::PlannerFlags& flags) {
  return {flags.places(), static_cast<std::size_t>(flags.number("--random", 20000)),
          static_cast<std::size_t>(flags.number("--each", 4500))};
}

void checkAll(const Settings& settings) {
  {
    // Chunks of 1,000: several of them in both slots.
    gpu::PackedPlanner planner({.device = 0, .chunk = 1000});
    for (const std::string& line : planner.resources()) std::printf("%s\n", line.c_str());
    CHECK_EQUAL(planner.resources().size(), 22u);
    for (const test::Family& family : test::routeFamilies) {
      checkFamily(planner, family, family.leastOrders == 7 ? settings.each / 15 : settings.each);
    }
    checkFaults(planner);
    for (const int index : {0, 4, 9, 10}) checkGivingUp(test::routeFamilies[index], std::max<std::size_t>(30, settings.each / 10));
    checkHandingOver();
    checkCancelling(planner);
  }
  checkCore(settings);
}

}  // namespace

int main(int argc, char** argv) {
  if (device::deviceCount() == 0) {
    test::skip("no GPU here");
    return test::finish();
  }
  try {
    checkAll(readSettings({argc, argv}));
  } catch (const std::exception& failure) {
    CHECK_THAT(false, failure.what());
  }
  test::finish_and_exit();
}

#endif
