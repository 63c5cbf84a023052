// route_planner_gpu_bench [--shared DIR] [--count N] [--threads N] [--out FILE] [--models DIR] [--backends DIR]
//                         [--orders N | --most N] [--hard N] [--without-core] [--variants]
// `bench solver`: plans of 2 to 7 orders, city and worst case. Kernels alone with everything in device memory; each step
// of a chunk; whole calls of the backend in TritonCore; the CPU's planner on all threads. `--variants`: whole calls without
// the core, by threads and chunks. Needs a GPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "backend_call.hpp"
#include "cpu_planner.hpp"
#include "finish_and_exit.hpp"
#include "packed_problems.hpp"
#include "problem_sets.hpp"
#include "route_families.hpp"
#include "route_planner/kernel_times.hpp"
#include "route_planner/planner_variants.hpp"
#include "route_planner/settings.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::route_planner;

struct Settings : test::PlannerPlaces {
  std::string out;
  int count, hard, threads, orders, mostOrders;
  bool variants;
};

struct Rows {
  PinnedMemory memory;
  test::Rows rows{};

  explicit Rows(std::size_t count) {
    memory.demand(count * test::kRowBytes);
    rows = test::rowsIn(memory.as<std::byte>(), count);
  }
};

/// Milliseconds of calls after two that warm up.
Times measureCalls(test::TritonHost& host, const PackedSet& set, const test::Rows& rows, test::MemoryKind memory) {
  const auto call = test::plannerCall(host, set.request.words, set.count, rows, memory);
  std::vector<double> times;
  for (int run = 0; run < 12; ++run) {
    const auto start = std::chrono::steady_clock::now();
    call->infer();
    if (run >= 2) times.push_back(millisecondsSince(start));
  }
  return summed(times);
}

struct OnCpu {
  std::vector<Plan> plans;
  double milliseconds;
};

OnCpu solveOnCpu(const std::vector<Problem>& problems, int threads) {
  OnCpu result{std::vector<Plan>(problems.size()), 0};
  std::vector<PrepareStatus> statuses(problems.size());
  const auto start = std::chrono::steady_clock::now();
  test::solveOnCpu(problems, result.plans, statuses, threads);
  result.milliseconds = millisecondsSince(start);
  return result;
}

std::string measureSet(test::TritonHost* host, const test::ProblemSet& set, const Settings& settings, int& differ) {
  PackedSet packed(set.problems);
  const Kernels kernels = measureKernels(packed);
  const std::size_t part = set.orders >= 5 ? set.problems.size() / 10 : set.problems.size();
  const std::vector<Problem> some(set.problems.begin(), set.problems.begin() + static_cast<ptrdiff_t>(part));
  const OnCpu cpu = solveOnCpu(some, settings.threads);
  const double count = static_cast<double>(packed.count);
  std::string text = "{\"set\":\"" + set.name + "\",\"problems\":" + std::to_string(packed.count) + "," +
                     textOf("kernelMs", kernels.kernels) + "," + textOf("copyAndBuildMs", kernels.copyAndBuild) + "," +
                     textOf("rowsMs", kernels.write) + ",\"unsolved\":" + std::to_string(kernels.unsolved) +
                     ",\"handedOver\":" + std::to_string(kernels.hard);
  char more[240];
  std::snprintf(more, sizeof more, ",\"kernelPlansPerSecond\":%.4g,\"cpuThreads\":%d,\"cpuMs\":%.1f",
                count / kernels.kernels.best * 1000, settings.threads, cpu.milliseconds * count / static_cast<double>(part));
  text += more;
  if (host != nullptr) {
    Rows pinned(packed.count);
    const Times whole = measureCalls(*host, packed, pinned.rows, test::kPinned);
    int wrong = 0;
    for (std::size_t row = 0; row < part; ++row) wrong += test::sameRow(pinned.rows, row, cpu.plans[row]) ? 0 : 1;
    const Times pageable = measureCalls(*host, packed, pinned.rows, test::kPageable);
    differ += wrong;
    std::snprintf(more, sizeof more, ",%s,\"aboveKernelMs\":%.3f,\"wholePlansPerSecond\":%.4g,%s,\"differ\":%d",
                  textOf("wholeCallMs", whole).c_str(), whole.median - kernels.kernels.median, count / whole.median * 1000,
                  textOf("pageableCallMs", pageable).c_str(), wrong);
    text += more;
  }
  if (settings.variants) text += ",\"variants\":" + measureVariants(packed, kernels.kernels.median);
  text += "}";
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
  return text;
}

constexpr int kAlways = 1;

/// Kinds of 6 and 7 orders, all to be picked up, that are hard to prune.
const test::Family hardFamilies[] = {
    {"ties", 6, 6, 2, 3, 2, test::kNever, test::kNever, test::kNever, test::kNever, kAlways, 1, 9, false},
    {"few ties", 6, 6, 20, 30, 2, test::kNever, test::kNever, test::kNever, test::kNever, test::kNever, 1, 9, false},
    {"no triangle", 6, 6, 900, 2000, 10, test::kNever, test::kNever, test::kNever, test::kNever, test::kNever, 1, 9, false},
    {"all costs 0", 6, 6, 9, 9, 0, test::kNever, test::kNever, test::kNever, test::kNever, test::kNever, 1, 9, false},
    {"one weight", 6, 6, 900, 4000, 1, test::kNever, test::kNever, test::kNever, test::kNever, test::kNever, 1, 9, true},
    {"all late", 6, 6, 900, 60, 2, test::kNever, test::kNever, test::kNever, test::kNever, test::kNever, 1, 9, true},
    {"capacity", 6, 6, 900, 2000, 10, test::kNever, test::kNever, test::kNever, test::kNever, test::kNever, 2, 3, true},
};

/// The longest that one problem alone takes, build and answers included, of the `most` that took the CPU most nodes.
double longestAlone(const std::vector<Problem>& problems, const std::vector<Plan>& plans, std::size_t most) {
  std::vector<std::size_t> order(problems.size());
  for (std::size_t index = 0; index < order.size(); ++index) order[index] = index;
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(most), order.end(),
                    [&](std::size_t a, std::size_t b) { return plans[a].nodes > plans[b].nodes; });
  gpu::PlannerSlot slot(32, 132);
  gpu::PackedBuffers buffers(32);
  double longest = 0;
  for (std::size_t number = 0; number < most; ++number) {
    PackedSet one({problems[order[number]]});
    gpu::PackedWork work({&one.request, 1}, buffers);
    const auto start = std::chrono::steady_clock::now();
    slot.build(0, work.take(0, 1), work);
    slot.launch(work);
    slot.stream().wait();
    if (number > 0) longest = std::max(longest, millisecondsSince(start));
  }
  return longest;
}

std::string measureHard(test::Family family, int orders, const Settings& settings) {
  family.leastOrders = family.mostOrders = orders;
  if (orders == 7) family.onBoardIn = 3;  // most of them within 12 stops, and exact
  const auto size = static_cast<std::size_t>(settings.hard) / std::size(hardFamilies) / (orders == 7 ? 10 : 1);
  const std::vector<Problem> problems = test::drawFamily(family, size, 606);
  const OnCpu cpu = solveOnCpu(problems, settings.threads);
  int64_t nodes = 0;
  for (const Plan& plan : cpu.plans) nodes = std::max(nodes, plan.nodes);
  PackedSet packed(problems);
  const Kernels kernels = measureKernels(packed);
  const double longest = longestAlone(problems, cpu.plans, std::min<std::size_t>(65, size));
  char text[400];
  std::snprintf(text, sizeof text,
                "{\"set\":\"hard: %s\",\"orders\":%d,\"problems\":%zu,%s,\"unsolved\":%u,\"handedOver\":%u,\"cpuNodesMost\":%lld,\"longestAloneMs\":%.3f}",
                family.name, orders, size, textOf("kernelMs", kernels.kernels).c_str(), kernels.unsolved, kernels.hard,
                static_cast<long long>(nodes), longest);
  std::printf("%s\n", text);
  std::fflush(stdout);
  return text;
}

Settings readSettings(const test::PlannerFlags& flags) {
  return {flags.places(),
          flags.text("--out", ""),
          flags.number("--count", 200000),
          flags.number("--hard", 100000),
          flags.number("--threads", 16),
          flags.number("--orders", 0),
          flags.number("--most", 7),
          flags.has("--variants")};
}

int run(const Settings& settings) {
  std::unique_ptr<test::TritonHost> host;
  if (settings.withCore && !test::TritonHost::findCore().empty()) {
    host = std::make_unique<test::TritonHost>(
        test::TritonHost::Settings{.repository = settings.models, .backends = settings.backends});
    host->load("route_planner");
  }
  cudaDeviceProp device{};
  device::require(cudaGetDeviceProperties(&device, 0), "no such GPU");
  int differ = 0;
  std::string results;
  const auto add = [&](const std::string& text) { results.append(results.empty() ? "\n    " : ",\n    ").append(text); };
  for (int orders = 2; orders <= settings.mostOrders; ++orders) {
    if (settings.orders != 0 && settings.orders != orders) continue;
    for (const char* kind : {"city", "worst"}) {
      // Of 7 orders those with more than 12 stops take the heuristic: few are enough.
      const int count = orders == 7 ? settings.count / 20 : settings.count;
      const auto set = test::measuredSet(settings.shared + "/or", kind, orders, count);
      add(measureSet(host.get(), set, settings, differ));
    }
  }
  if (settings.hard > 0) {
    for (const int orders : {6, 7}) {
      for (const test::Family& family : hardFamilies) add(measureHard(family, orders, settings));
    }
  }
  if (!settings.out.empty()) {
    std::size_t left = 0, all = 0;
    device::require(cudaMemGetInfo(&left, &all), "no figures of memory");
    std::ofstream(settings.out) << "{\n  \"gpu\": \"" << device.name << "\",\n  \"gpuMegabytesInUse\": " << ((all - left) >> 20) << ",\n  \"processors\": \"" << device.multiProcessorCount << "\",\n  \"differ\": " << differ
                                << ",\n  \"sets\": [" << results << "\n  ]\n}\n";
  }
  return differ == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (device::deviceCount() == 0) {
    std::printf("SKIPPED: no GPU here\n0 passed, 0 failed, 1 skipped\n");
    return 77;
  }
  int status = 1;
  try {
    status = run(readSettings({argc, argv}));
  } catch (const std::exception& failure) {
    std::printf("FAILED: %s\n", failure.what());
  }
  std::fflush(stdout);
  _exit(status);
}
