// mixed_gpu_soak [--seconds 480] [--callers 8] [--least 200000] [--models DIR] [--backends DIR] [--seed N] [--out FILE]
// Requests of all three models with sizes of all kinds, from many callers at once, in TritonCore in this process; the memory
// of the GPU and of the process over time. The largest batches come first. Ends with 1 where a request fails, an answer changes, fewer than --least were
// served, or the GPU's memory grows after the warm-up (the first quarter).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "finish_and_exit.hpp"
#include "memory_series.hpp"
#include "soak_calls.hpp"

namespace {

using namespace roundhouse;
using namespace roundhouse::test;
using Clock = std::chrono::steady_clock;

struct Settings {
  std::string models = "models";
  std::string backends = "build/cuda/backends";
  std::string out;
  double seconds = 480;
  std::size_t callers = 8;
  std::int64_t least = 200'000;
  std::uint64_t seed = 1;
};

struct Counts {
  std::mutex mutex;
  std::map<std::string, std::int64_t> requests;
  std::int64_t failed = 0;
  std::int64_t changed = 0;
  std::string firstFailure;
};

constexpr double kMostGrowthMb = 1;
/// Of each model, a caller.
constexpr std::size_t kSizes = 8;

/// Small ones mostly: `most` to the power of a number from 0 to 1.
std::size_t someSize(Random& random, double most) {
  return static_cast<std::size_t>(std::pow(most, static_cast<double>(random.within(0, 1000)) / 1000));
}

struct SizedCall {
  std::string model;
  std::size_t size;
  std::unique_ptr<SoakCall> call;
};

struct Caller {
  std::vector<SizedCall> calls;
  Random random;

  Caller(TritonHost& host, std::uint64_t seed) : random{seed} {
    for (std::size_t i = 0; i < kSizes; ++i) {
      const bool pinned = i % 2 == 0;
      const std::size_t rows = someSize(random, 20'000), plans = someSize(random, 2'000), candidates = someSize(random, 4'096);
      calls.push_back({"delivery_time", rows, std::make_unique<NetworkCall>(host, random, rows, pinned)});
      calls.push_back({"route_planner", plans, std::make_unique<PlansCall>(host, random, plans, pinned)});
      calls.push_back({"candidate_cost", candidates,
                       std::make_unique<CostCall>(host, random, static_cast<int>(candidates), pinned)});
    }
  }

  void run(Clock::time_point end, Counts& counts) {
    while (Clock::now() < end) {
      const auto& [model, size, call] = calls[static_cast<std::size_t>(random.within(0, static_cast<int64_t>(calls.size()) - 1))];
      std::string failure;
      bool same = true;
      try {
        same = call->infer();
      } catch (const std::exception& error) {
        failure = error.what();
      }
      const std::lock_guard lock(counts.mutex);
      ++counts.requests[model];
      if (!same) ++counts.changed;
      if (failure.empty()) continue;
      if (++counts.failed == 1) counts.firstFailure = model + ": " + failure;
    }
  }
};

/// Buffers grow with the largest batch seen, so the largest ones come first: all calls of a model at once, the largest in
/// front, in every second round behind the two smallest, which keep the instances busy while the others become one batch.
void warmUp(const std::vector<std::unique_ptr<Caller>>& callers) {
  for (const char* model : {"delivery_time", "route_planner", "candidate_cost"}) {
    std::vector<SizedCall*> all;
    for (const auto& caller : callers) {
      for (SizedCall& sized : caller->calls) {
        if (sized.model == model) all.push_back(&sized);
      }
    }
    std::sort(all.begin(), all.end(), [](const SizedCall* a, const SizedCall* b) { return a->size > b->size; });
    for (int round = 0; round < 40; ++round) {
      std::vector<SizedCall*> order = all;
      if (round % 2 == 1 && order.size() > 2) std::rotate(order.begin(), order.end() - 2, order.end());
      for (SizedCall* sized : order) sized->call->start();
      for (SizedCall* sized : order) (void)sized->call->wait();
    }
  }
}

std::vector<MemorySample> sampleUntil(Clock::time_point start, double seconds) {
  std::vector<MemorySample> samples;
  for (double at = 0; at <= seconds; at += 1) {
    std::this_thread::sleep_until(start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(at)));
    samples.push_back({at, gpuMbInUse(), residentMb()});
  }
  return samples;
}

struct Growth {
  double gpuFrom, gpuTo, residentFrom, residentTo;
};

/// Between the tenth after the warm-up and the last tenth.
Growth growthOf(const std::vector<MemorySample>& samples, double seconds) {
  const auto gpu = [](const MemorySample& sample) { return sample.gpuMb; };
  const auto resident = [](const MemorySample& sample) { return sample.residentMb; };
  const double warm = seconds / 4;
  const double part = seconds / 10;
  return {levelOf(samples, warm, warm + part, gpu), levelOf(samples, seconds - part, seconds, gpu),
          levelOf(samples, warm, warm + part, resident), levelOf(samples, seconds - part, seconds, resident)};
}

std::string seriesOf(const std::vector<MemorySample>& samples) {
  std::string text;
  for (std::size_t i = 0; i < samples.size(); i += std::max<std::size_t>(1, samples.size() / 48)) {
    char row[96];
    std::snprintf(row, sizeof row, "%s[%.0f,%.1f,%.1f]", text.empty() ? "" : ",", samples[i].seconds, samples[i].gpuMb,
                  samples[i].residentMb);
    text += row;
  }
  return "[" + text + "]";
}

std::string quoted(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32; }, ' ');
  return "\"" + text + "\"";
}

void write(const Settings& settings, const Counts& counts, std::int64_t total, const Growth& growth,
           const std::vector<MemorySample>& samples, bool onGpu) {
  if (settings.out.empty()) return;
  std::FILE* file = std::fopen(settings.out.c_str(), "w");
  if (file == nullptr) throw std::runtime_error("can't write " + settings.out);
  std::fprintf(file, "{\"onGpu\":%s,\"seconds\":%.0f,\"callers\":%zu,\"requests\":%lld,\"requestsByModel\":{",
               onGpu ? "true" : "false", settings.seconds, settings.callers, static_cast<long long>(total));
  const char* comma = "";
  for (const auto& [model, requests] : counts.requests) {
    std::fprintf(file, "%s\"%s\":%lld", comma, model.c_str(), static_cast<long long>(requests));
    comma = ",";
  }
  std::fprintf(file, "},\"failed\":%lld,\"firstFailure\":%s,\"changedAnswers\":%lld,", static_cast<long long>(counts.failed),
               quoted(counts.firstFailure).c_str(), static_cast<long long>(counts.changed));
  std::fprintf(file, "\"gpuMbAfterWarmUp\":%.1f,\"gpuMbAtEnd\":%.1f,\"gpuGrowthMb\":%.1f,", growth.gpuFrom, growth.gpuTo,
               growth.gpuTo - growth.gpuFrom);
  std::fprintf(file, "\"residentMbAfterWarmUp\":%.1f,\"residentMbAtEnd\":%.1f,\"residentGrowthMb\":%.1f,",
               growth.residentFrom, growth.residentTo, growth.residentTo - growth.residentFrom);
  std::fprintf(file, "\"secondsGpuMbResidentMb\":%s}\n", seriesOf(samples).c_str());
  std::fclose(file);
}

void soak(const Settings& settings) {
  TritonHost host({.repository = settings.models, .backends = settings.backends});
  for (const char* model : {"delivery_time", "route_planner", "candidate_cost"}) host.load(model);
  const bool onGpu = host.config("candidate_cost").find("KIND_GPU") != std::string::npos;
  std::vector<std::unique_ptr<Caller>> callers;
  while (callers.size() < settings.callers) {
    callers.push_back(std::make_unique<Caller>(host, settings.seed * 1'000 + callers.size()));
  }
  if (onGpu) warmUp(callers);
  Counts counts;
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(settings.seconds));
  std::vector<std::thread> threads;
  for (const auto& caller : callers) threads.emplace_back([&, &one = *caller] { one.run(end, counts); });
  const std::vector<MemorySample> samples = sampleUntil(start, settings.seconds);
  for (std::thread& thread : threads) thread.join();
  std::int64_t total = 0;
  for (const auto& [model, requests] : counts.requests) total += requests;
  const Growth growth = growthOf(samples, settings.seconds);
  write(settings, counts, total, growth, samples, onGpu);
  std::printf("%lld requests in %.0f s on the %s; GPU %.1f to %.1f MB, resident %.1f to %.1f MB\n",
              static_cast<long long>(total), settings.seconds, onGpu ? "GPU" : "CPU", growth.gpuFrom, growth.gpuTo,
              growth.residentFrom, growth.residentTo);
  int gpus = 0;
  CHECK_THAT(onGpu || cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0, "there is a GPU, and the models are on the CPU");
  CHECK_THAT(!onGpu || growth.gpuFrom > 0, "the memory of the GPU can't be read");
  CHECK_EQUAL(counts.failed, 0);
  CHECK_EQUAL(counts.firstFailure, "");
  CHECK_EQUAL(counts.changed, 0);
  CHECK_THAT(total >= settings.least, "served " + std::to_string(total) + " of " + std::to_string(settings.least));
  CHECK_THAT(growth.gpuTo - growth.gpuFrom < kMostGrowthMb, "memory of the GPU grows");
}

Settings readSettings(int argc, char** argv) {
  Settings settings;
  for (int at = 1; at + 1 < argc; at += 2) {
    const std::string flag = argv[at];
    const std::string value = argv[at + 1];
    if (flag == "--models") settings.models = value;
    else if (flag == "--backends") settings.backends = value;
    else if (flag == "--out") settings.out = value;
    else if (flag == "--seconds") settings.seconds = std::stod(value);
    else if (flag == "--callers") settings.callers = std::stoul(value);
    else if (flag == "--least") settings.least = std::stoll(value);
    else if (flag == "--seed") settings.seed = std::stoull(value);
    else throw std::invalid_argument("unknown flag " + flag);
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Settings settings = readSettings(argc, argv);
    if (TritonHost::findCore().empty()) {
      skip("no TritonCore in the toolchain");
      return finish();
    }
    soak(settings);
  } catch (const std::exception& error) {
    test::check(false, __FILE__, __LINE__, error.what());
  }
  finish_and_exit();
}
