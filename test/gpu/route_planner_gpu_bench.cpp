// route_planner_gpu_bench [--shared DIR] [--random N] [--count N] [--threads N] [--out FILE] [--only test|bench]
// Holds the GPU's plans against the CPU's and measures both. Needs a GPU: without one it says so and exits with 77.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "../../cuda/route_planner/gpu/gpu_planner.hpp"
#include "../../cuda/route_planner/gpu/slot.hpp"
#include "cpu_planner.hpp"
#include "problem_sets.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::route_planner;
using test::ProblemSet;

struct Settings {
  std::string shared = ROUNDHOUSE_DEFAULT_SHARED;
  std::string out;
  std::string only;
  int random = 1000000;
  int count = 200000;
  int threads = 16;
};

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool samePlan(const Plan& a, const Plan& b) {
  return a.feasible == b.feasible && a.unproven == b.unproven && a.stopCount == b.stopCount && a.cost == b.cost &&
         std::memcmp(a.stops, b.stops, sizeof a.stops) == 0;
}

struct Solved {
  std::vector<Plan> plans;
  std::vector<PrepareStatus> statuses;
  double seconds;
};

template <typename Solve>
Solved timed(size_t count, const Solve& solve) {
  Solved solved{std::vector<Plan>(count), std::vector<PrepareStatus>(count), 0};
  const auto start = std::chrono::steady_clock::now();
  solve(solved);
  solved.seconds = secondsSince(start);
  return solved;
}

Solved onGpu(gpu::GpuPlanner& planner, const std::vector<Problem>& problems) {
  return timed(problems.size(),
               [&](Solved& to) { planner.solve(problems, to.plans, to.statuses, [] { return false; }); });
}

Solved onCpu(const std::vector<Problem>& problems, int threads) {
  return timed(problems.size(), [&](Solved& to) { test::solveOnCpu(problems, to.plans, to.statuses, threads); });
}

/// The number of differences; the first few are printed.
int differences(const std::string& name, const std::vector<Problem>& problems, const Solved& a, const Solved& b) {
  int count = 0;
  for (size_t index = 0; index < problems.size(); ++index) {
    if (a.statuses[index] == b.statuses[index] && samePlan(a.plans[index], b.plans[index])) continue;
    if (++count <= 5) {
      std::printf("DIFFERS %s %zu: %d orders, %d stops, status %d/%d, feasible %d/%d, cost %lld/%lld\n", name.c_str(),
                  index, problems[index].orderCount, problems[index].stopCount, static_cast<int>(a.statuses[index]),
                  static_cast<int>(b.statuses[index]), a.plans[index].feasible, b.plans[index].feasible,
                  static_cast<long long>(a.plans[index].cost), static_cast<long long>(b.plans[index].cost));
    }
  }
  return count;
}

int checkSamples(gpu::GpuPlanner& planner, const std::string& folder) {
  int wrong = 0;
  int count = 0;
  for (const char* file : {"city_n2", "city_n3", "city_n4", "city_n5", "city_n6", "edge_n1", "edge_n2", "edge_n3",
                           "edge_n4", "edge_n5", "edge_n6", "worst_n5"}) {
    std::vector<Problem> problems;
    const auto samples = test::readSamples(folder, file);
    for (const auto& sample : samples) problems.push_back(sample.problem);
    const Solved solved = onGpu(planner, problems);
    for (size_t index = 0; index < samples.size(); ++index, ++count) {
      std::string sequence;
      for (int at = 0; at < solved.plans[index].stopCount; ++at) {
        sequence.append(at == 0 ? "" : " ").append(std::to_string(solved.plans[index].stops[at]));
      }
      const bool right = solved.plans[index].cost == samples[index].cost && sequence == samples[index].sequence;
      if (!right && ++wrong <= 5) std::printf("DIFFERS %s %lld\n", file, samples[index].id);
    }
  }
  std::printf("samples: %d of %d right\n", count - wrong, count);
  return count == 0 ? 1 : wrong;
}

constexpr int kNever = 1 << 30;
constexpr int64_t kHuge = int64_t{1} << 18;

//  name             orders travel       times        weight on merge limit shift bundle size Q metric
const test::Family families[] = {
    {"city", 1, 6, 900, 2000, 10, 4, kNever, kNever, kNever, kNever, 1, 3, true},
    {"no triangle", 1, 6, 900, 2000, 10, 4, kNever, kNever, kNever, kNever, 1, 6, false},
    {"trees", 1, 4, 400, 800, 5, 3, kNever, kNever, kNever, kNever, 2, 9, false},
    {"trees, ties", 1, 4, 3, 4, 2, 3, kNever, kNever, kNever, kNever, 2, 6, false},
    {"ties", 1, 6, 2, 3, 2, 4, 4, kNever, kNever, 2, 1, 3, false},
    {"all costs 0", 1, 5, 9, 9, 0, 3, 3, 3, 3, 2, 2, 3, false},
    {"merged, groups", 2, 6, 90, 300, 10, 4, 2, kNever, kNever, 2, 2, 6, false},
    {"hard limits", 1, 6, 300, 700, 10, 3, 3, 2, 2, 3, 3, 6, false},
    {"64-bit costs", 1, 5, INT32_MAX, INT32_MAX, kHuge, 3, 3, 6, 6, 3, 1, 3, false},
    {"memo, mixed", 5, 6, 40, 80, 4, 2, 2, 6, 9, 3, 2, 9, true},
    {"7 and 8", 7, 8, 400, 900, 10, 2, 3, 4, 5, 3, 2, 9, false},
    {"7 and 8, rescue", 7, 8, 300, 500, 4, 3, 6, 2, 2, 3, 2, 3, false},
};

/// Shares of `all`; the slow kinds get few.
int familySize(const test::Family& family, int all) {
  if (family.leastOrders == 7) return all / 100;
  return family.mostWeight == kHuge ? all / 50 : all * 94 / 900;
}

int checkRandom(gpu::GpuPlanner& planner, const Settings& settings) {
  int wrong = 0;
  size_t total = 0;
  for (const test::Family& family : families) {
    test::Random random{4242};
    std::vector<Problem> problems(static_cast<size_t>(familySize(family, settings.random)));
    for (Problem& problem : problems) problem = test::randomProblem(random, family);
    const Solved cpu = onCpu(problems, settings.threads);
    const Solved gpu = onGpu(planner, problems);
    const int different = differences(family.name, problems, gpu, cpu);
    const auto infeasible = std::count_if(cpu.plans.begin(), cpu.plans.end(), [](const Plan& p) { return !p.feasible; });
    std::printf("%-16s %7zu problems, %6td infeasible, %d differ; CPU %.2f s, GPU %.3f s\n", family.name,
                problems.size(), infeasible, different, cpu.seconds, gpu.seconds);
    std::fflush(stdout);
    wrong += different;
    total += problems.size();
  }
  std::printf("random: %zu problems, %d differ\n", total, wrong);
  return wrong;
}

struct Times {
  double best, median;
};

Times summed(std::vector<float> times) {
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

/// Milliseconds of the kernels alone, everything in device memory, of 10 runs after 2.
Times kernelTimes(gpu::Slot& slot) {
  cudaEvent_t start = nullptr;
  cudaEvent_t end = nullptr;
  gpu::require(cudaEventCreate(&start), "no event");
  gpu::require(cudaEventCreate(&end), "no event");
  std::vector<float> times;
  for (int run = 0; run < 12; ++run) {
    gpu::require(cudaEventRecord(start, slot.stream()), "no event");
    slot.launch();
    gpu::require(cudaEventRecord(end, slot.stream()), "no event");
    slot.stream().wait();
    float milliseconds = 0;
    gpu::require(cudaEventElapsedTime(&milliseconds, start, end), "no time");
    if (run >= 2) times.push_back(milliseconds);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  return summed(times);
}

std::string measure(gpu::GpuPlanner& planner, const ProblemSet& set, const Settings& settings) {
  gpu::Slot slot(4);
  std::vector<PrepareStatus> statuses(set.problems.size());
  gpu::WorkerPool workers(settings.threads);
  slot.pack(set.problems, statuses, workers);
  slot.copyIn();
  slot.stream().wait();
  const Times kernels = kernelTimes(slot);
  slot.copyOut();
  slot.stream().wait();
  const size_t unsolved = slot.unsolved().size();
  std::vector<float> whole;
  Solved gpu;
  for (int run = 0; run < 6; ++run) {
    gpu = onGpu(planner, set.problems);
    if (run > 0) whole.push_back(static_cast<float>(gpu.seconds * 1000));
  }
  const size_t part = set.orders >= 5 ? set.problems.size() / 10 : set.problems.size();
  const std::vector<Problem> some(set.problems.begin(), set.problems.begin() + static_cast<ptrdiff_t>(part));
  const Solved cpu = onCpu(some, settings.threads);
  const int different = differences(set.name, some, gpu, cpu);
  const double count = static_cast<double>(set.problems.size());
  const double cpuMs = cpu.seconds * 1000 * count / static_cast<double>(part);
  char text[600];
  std::snprintf(text, sizeof text,
                "{\"set\":\"%s\",\"problems\":%zu,\"kernelMsBest\":%.4f,\"kernelMsMedian\":%.4f,\"kernelPlansPerSecond\":%.4g,"
                "\"wholeCallMsBest\":%.2f,\"wholeCallMsMedian\":%.2f,\"wholePlansPerSecond\":%.4g,\"cpuThreads\":%d,"
                "\"cpuMs\":%.1f,\"differ\":%d,\"unsolved\":%zu}",
                set.name.c_str(), set.problems.size(), kernels.best, kernels.median, count / kernels.best * 1000,
                summed(whole).best, summed(whole).median, count / summed(whole).median * 1000, settings.threads, cpuMs,
                different, unsolved);
  std::printf("%s\n", text);
  std::fflush(stdout);
  return text;
}

Settings readSettings(int argc, char** argv) {
  Settings settings;
  for (int at = 1; at + 1 < argc; at += 2) {
    const std::string key = argv[at];
    const char* value = argv[at + 1];
    if (key == "--shared") settings.shared = value;
    if (key == "--out") settings.out = value;
    if (key == "--only") settings.only = value;
    if (key == "--random") settings.random = std::atoi(value);
    if (key == "--count") settings.count = std::atoi(value);
    if (key == "--threads") settings.threads = std::atoi(value);
  }
  return settings;
}

int run(const Settings& settings) {
  gpu::GpuPlanner planner({0, 32768, settings.threads});
  for (const std::string& line : planner.resources()) std::printf("%s\n", line.c_str());
  int wrong = 0;
  if (settings.only != "bench") {
    wrong += checkSamples(planner, settings.shared + "/or");
    wrong += checkRandom(planner, settings);
  }
  std::string results;
  for (int orders = 2; orders <= 6 && settings.only != "test"; ++orders) {
    for (const char* kind : {"city", "worst"}) {
      const ProblemSet set = test::measuredSet(settings.shared + "/or", kind, orders, settings.count);
      results.append(results.empty() ? "\n    " : ",\n    ").append(measure(planner, set, settings));
    }
  }
  if (!settings.out.empty()) {
    cudaDeviceProp device{};
    gpu::require(cudaGetDeviceProperties(&device, 0), "no such GPU");
    std::ofstream(settings.out) << "{\n  \"gpu\": \"" << device.name << "\",\n  \"differ\": " << wrong
                                << ",\n  \"sets\": [" << results << "\n  ]\n}\n";
  }
  std::printf("%s\n", wrong == 0 ? "all plans equal" : "PLANS DIFFER");
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (device::deviceCount() == 0) {
    std::printf("SKIPPED: no GPU here\n0 passed, 0 failed, 1 skipped\n");
    return 77;
  }
  try {
    return run(readSettings(argc, argv));
  } catch (const std::exception& failure) {
    std::printf("FAILED: %s\n", failure.what());
    return 1;
  }
}
